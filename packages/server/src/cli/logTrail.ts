import type { Logger } from 'pino'
import { BoundedMap } from '../core/boundedMap.ts'
import type { Trail } from '../engine/log/trail.ts'

/** A few minutes' worth of a busy node: 20 MB at most. */
const REQUESTS_KNOWN = 100_000

/**
 * Writes lines of level `debug`. An attempt has the id of the request that published its event, if this node accepted it lately; later
 * attempts, and those of other nodes, are found by the event id, which the line of the publish has beside the id of the request.
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
