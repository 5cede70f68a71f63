import { createServer, type Server } from 'node:http'
import { pino } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { systemClock } from '../../core/clock.ts'
import { HOUR_MS } from '../../core/duration.ts'
import { FailureLog } from '../../engine/log/failureLog.ts'
import { HttpPublisher, postTo } from '../../outbox/httpPublisher.ts'
import { Relay } from '../../outbox/relay.ts'
import type { Outbox, OutboxUnusableError } from '../../outbox/source.ts'
import { SettingError } from '../settings.ts'
import { LOG_OPTIONS, stopSignal } from '../stopSignal.ts'
import { outboxMetrics } from './metrics.ts'

/**
 * Publishes the events that are emitted into an outbox until SIGTERM or SIGINT.
 * @throws SettingError
 * @throws OutboxUnusableError when the outbox was never opened and retries do not help
 */
export async function relay(params: {
  readonly outbox: Outbox
  readonly publicUrl: string
  /** By workspace. */
  readonly keys: ReadonlyMap<string, string>
  /** Listen address of metrics; port 0: disabled. */
  readonly metrics: { readonly host: string; readonly port: number }
}): Promise<void> {
  const { outbox, publicUrl, keys, metrics } = params
  const logger = pino(LOG_OPTIONS)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const server = metrics.port === 0 ? null : await serveMetrics(registry, metrics)
  const one = new Relay({
    outbox,
    publisher: new HttpPublisher({
      post: postTo(publicUrl),
      headersFor(workspace) {
        const key = keys.get(workspace)
        return key === undefined ? null : { authorization: `Bearer ${key}` }
      },
    }),
    clock: systemClock,
    log: logger,
    failureLog: new FailureLog(systemClock, logger),
    observer: outboxMetrics(registry)(outbox.place),
  })
  // Timers of the clock do not keep the process alive, and a relay of a file may have nothing else.
  const alive = setInterval(() => {}, HOUR_MS)
  const unusable = new Promise<OutboxUnusableError>((resolve) => {
    const opened = () =>
      logger.info(
        {
          outbox: outbox.place,
          service: publicUrl,
          workspaces: [...keys.keys()],
          metrics: server === null ? null : `${metrics.host}:${metrics.port}`,
        },
        'relay started',
      )
    one.start({ opened, unusable: resolve })
  })
  const error = await Promise.race([
    unusable,
    stopSignal('second stop signal: exiting immediately; batches in progress will be published again'),
  ])
  if (error === null) logger.info({}, 'stopping: waiting for the batch in progress to finish')
  await one.stop()
  clearInterval(alive)
  server?.close()
  if (error !== null) throw error
  logger.info({}, 'stopped')
}

async function serveMetrics(
  registry: Registry,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://relay')
    if (pathname === '/healthz') return response.end('ok\n')
    if (pathname !== '/metrics') return response.writeHead(404).end()
    return registry.metrics().then(
      (text) => response.setHeader('content-type', registry.contentType).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new SettingError(
          `--metrics-port: cannot listen on ${host}:${port} (${error.message}); use another port, or 0 to disable metrics`,
        ),
      ),
    )
    server.listen(port, host, resolve)
  })
  return server
}
