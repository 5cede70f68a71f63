import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { FailureLog } from '../../engine/log/failureLog.ts'
import type { Logger } from '../../engine/log/logger.ts'
import { RELAY_PREFIX } from '../../http/shared/ownRelay.ts'
import { HttpPublisher, type Post } from '../../outbox/httpPublisher.ts'
import type { RelayObserver } from '../../outbox/observer.ts'
import { Relay } from '../../outbox/relay.ts'
import type { Config } from '../settings.ts'
import { openOutbox } from './openOutbox.ts'

export const newRelayToken = () => RELAY_PREFIX + randomBytes(32).toString('base64url')

/** The relay inside the service, which needs no keys; `null`: there is no outbox. */
export async function createOwnRelay(params: {
  readonly config: Pick<Config, 'outboxSource' | 'outboxSchema'>
  readonly app: FastifyInstance
  readonly relayToken: string
  readonly clock: Clock
  readonly logger: Logger
  readonly failureLog: FailureLog
  readonly observerOf: (outbox: string) => RelayObserver
}): Promise<Relay | null> {
  const { app, relayToken, clock, logger, failureLog } = params
  const { outboxSource, outboxSchema } = params.config
  if (outboxSource === null) return null
  const outbox = await openOutbox(outboxSource, outboxSchema)
  const authorization = `Bearer ${relayToken}`
  return new Relay({
    outbox,
    publisher: new HttpPublisher({
      post: postInto(app),
      headersFor: (workspace) => ({ authorization, 'posthorn-workspace': encodeURIComponent(workspace) }),
    }),
    clock,
    log: logger,
    failureLog,
    observer: params.observerOf(outbox.place),
  })
}

/** The same checks and limits apply as for events that come over the network. */
const postInto =
  (app: FastifyInstance): Post =>
  async ({ path, headers, body }) => {
    const response = await app.inject({
      method: 'POST',
      url: path,
      headers: { host: 'relay', 'content-type': 'application/json', ...headers },
      payload: body,
    })
    const retryAfter = response.headers['retry-after']
    return {
      status: response.statusCode,
      body: response.body,
      retryAfter: retryAfter === undefined ? null : String(retryAfter),
    }
  }
