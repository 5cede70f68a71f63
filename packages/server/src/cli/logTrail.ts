import type { Logger } from 'pino'
import { BoundedMap } from '../core/boundedMap.ts'
import type { Trail } from '../engine/log/trail.ts'

/** Events of a few minutes on a busy node; at most 20 MB. */
const REQUESTS_KNOWN = 100_000

/**
 * Logs at level `debug`. The line of an attempt has the id of the request that published the event, if this node accepted it recently. To
 * find the request of other attempts, search for the event id: the line `events published` has both.
 */
export function logTrail(logger: Pick<Logger, 'debug' | 'isLevelEnabled'>): Trail {
  /** By event id. */
  const requestIds = new BoundedMap<string, string>(REQUESTS_KNOWN)
  return {
    get on() {
      return logger.isLevelEnabled('debug')
    },
    answered: ({ requestId, method, route, status, durationMs }) =>
      logger.debug(
        { request_id: requestId, method, route, status, duration_ms: Math.round(durationMs) },
        'request answered',
      ),
    published(requestId, workspace, eventIds) {
      for (const id of eventIds) requestIds.set(id, requestId)
      logger.debug({ request_id: requestId, workspace, events: eventIds }, 'events published')
    },
    attempted({ eventId, deliveryId }, { number, trigger, statusCode, errorCode, durationMs }) {
      logger.debug(
        {
          request_id: requestIds.get(eventId),
          event: eventId,
          delivery: deliveryId,
          attempt: number,
          trigger,
          outcome: errorCode ?? 'delivered',
          status: statusCode,
          duration_ms: Math.round(durationMs),
        },
        'attempt ended',
      )
    },
  }
}
