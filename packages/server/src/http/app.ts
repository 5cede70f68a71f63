import cookie from '@fastify/cookie'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyInstance } from 'fastify'
import { adminRoutes } from './admin/index.ts'
import { consoleRoutes } from './console/index.ts'
import { documentRoutes } from './documents/index.ts'
import { documentsPage } from './documents/page.ts'
import { downloadRoutes } from './downloads/index.ts'
import { helpRoutes } from './help/index.ts'
import { getWebhookKeys } from './keys/getWebhookKeys.ts'
import { operationRoutes } from './operations/routes.ts'
import { Services } from './operations/service.ts'
import { healthz } from './ops/healthz.ts'
import { metrics } from './ops/metrics.ts'
import { readyz } from './ops/readyz.ts'
import { consoleDocument, pageRoutes } from './pages/index.ts'
import { AdminListener } from './shared/adminListener.ts'
import { MANAGEMENT_BODY_LIMIT_BYTES, REQUEST_TIMEOUT_MS } from './shared/bodies/limits.ts'
import { fillOptionalBodies, parseBodies } from './shared/bodies/parse.ts'
import { LoopTurns } from './shared/bodies/turns.ts'
import { answerClientErrors, missingHost } from './shared/clientErrors.ts'
import { setCommonHeaders } from './shared/commonHeaders.ts'
import { ConsumerReaders } from './shared/consumers/readers.ts'
import { Skips } from './shared/consumers/skips.ts'
import type { App, AppDeps, Context } from './shared/context.ts'
import { Credentials } from './shared/credentials.ts'
import { frameworkErrors, handleErrors } from './shared/errors.ts'
import { presentUrl } from './shared/formerPaths.ts'
import { KeysInUse } from './shared/keysInUse.ts'
import { EVENT_STREAM } from './shared/live/eventStream.ts'
import { LiveStreams } from './shared/live/liveStreams.ts'
import { answerUnknownRoutes } from './shared/notFound.ts'
import { RateLimitedLogger } from './shared/rateLimitedLogger.ts'
import { requestIds } from './shared/requestId.ts'
import { createAdminServer, guardServer, serverOptions } from './shared/servers.ts'
import { Authentications } from './shared/throttle/authentications.ts'
import { ClientRate } from './shared/throttle/clientRate.ts'
import { compileSchemas } from './shared/validation.ts'
import { signInRoutes } from './signIn/index.ts'

export type { AppDeps } from './shared/context.ts'

/** Some of the slower requests are logged; all others appear only in the metrics. */
const SLOW_REQUEST_MS = 1000
const SLOW_REQUESTS_IN_FULL = 5

const OPS_ROUTES = [healthz, readyz, metrics]

/**
 * Builds the HTTP API. It does not listen: the caller does, or sends requests with `inject`. Closing it also stores when keys
 * were last used, so close it before the store.
 */
export function buildApp(deps: AppDeps): FastifyInstance {
  const newRequestId = requestIds()
  const app = fastify({
    // Important events are logged explicitly; a log line per request costs half as much as the request.
    logger: false,
    genReqId: newRequestId,
    rewriteUrl: ({ url = '/' }) => presentUrl(url),
    bodyLimit: MANAGEMENT_BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    // While closing, the engine rejects work with a problem document; Fastify's own response would not be one.
    return503OnClosing: false,
    ...serverOptions(deps.tls),
    frameworkErrors,
    clientErrorHandler: answerClientErrors(newRequestId),
  })
  const liveStreams = new LiveStreams(deps.clock, deps.logger, () => deps.quotas.streams)
  const consumerReaders = new ConsumerReaders({
    storage: deps.storage.consumers,
    clock: deps.clock,
    logger: deps.logger,
    observer: deps.consumerObserver,
    maxOfWorkspace: () => deps.quotas.readers,
  })
  const credentials = new Credentials(
    deps.storage.credentials,
    deps.clock,
    deps.logger,
    deps.adminToken,
    () => {
      void liveStreams.checkAll()
      consumerReaders.checkAll()
    },
  )
  const adminListener = new AdminListener(deps.adminUrl !== null)
  const services = new Services(() => ctx)
  const ctx: Context = {
    ...deps,
    adminListener,
    credentials,
    keysInUse: new KeysInUse(),
    liveStreams,
    consumerReaders,
    consumerSkips: new Skips(deps.storage.consumers, deps.clock),
    deliveryJson: (caller, delivery) => services.of(caller.workspace.dialect).deliveryJson(caller, delivery),
    authentications: new Authentications({
      clock: deps.clock,
      logger: deps.logger,
      observer: deps.authenticationObserver,
      limits: deps.authenticationLimits,
    }),
    turns: new LoopTurns(deps.clock),
    linksAskedFor: new ClientRate(deps.clock, deps.authenticationLimits.linksAskedFor),
  }
  app.decorateRequest('caller', null)
  app.decorateRequest('signedIn', null)
  app.decorateRequest('operator', null)
  app.decorateRequest('takesBody', null)
  app.decorateRequest('waitedMs', 0)
  app.decorateRequest('trace', null)
  // Read on demand: most requests have none.
  app.register(cookie, { hook: false })
  parseBodies(app, ctx)
  guardServer(app.server, deps.connections, newRequestId)
  app.decorate(
    'adminServer',
    deps.adminUrl === null
      ? null
      : createAdminServer({
          app,
          identity: deps.tls,
          adminListener,
          connections: deps.adminConnections,
          newRequestId,
        }),
  )
  fillOptionalBodies(app)
  compileSchemas(app)
  handleErrors(app, deps.logger, deps.clock)
  addHooks(app, ctx)
  const { consoleDirectory } = deps
  const page = consoleDirectory === null ? null : consoleDocument(consoleDirectory, deps)
  answerUnknownRoutes(app, page, adminListener)
  documentRoutes(app, ctx.dialects, deps.publicUrl, deps.logger)
  downloadRoutes(app, deps.downloadsDirectory)
  documentsPage(app, deps.referenceDirectory, ctx.dialects, deps.publicUrl)
  helpRoutes(app, deps.helpDirectory, deps.publicUrl)
  if (consoleDirectory !== null && page !== null) pageRoutes(app, consoleDirectory, page, deps)
  // In a plugin, so that the hook that documents routes is installed before them.
  app.register((scope, _options, done) => {
    addRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), ctx, services)
    done()
  })
  return app
}

function addHooks(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    // If we closed an idle connection while a proxy sends a request on it, that request would be lost.
    if (ctx.engine.stopping) reply.header('connection', 'close')
    done(missingHost(request))
  })
  const slow = new RateLimitedLogger(ctx.logger, ctx.clock, SLOW_REQUESTS_IN_FULL, {
    one: 'slow request',
    many: 'more slow requests',
  })
  app.addHook('onResponse', (request, reply, done) => {
    // A 503 is logged separately, a stream is long by design, and a waiting client asked for it.
    const durationMs = reply.elapsedTime - request.waitedMs
    const isSlow = durationMs >= SLOW_REQUEST_MS && reply.statusCode !== 503
    if (isSlow && reply.getHeader('content-type') !== EVENT_STREAM) {
      slow.warn('slow', {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        duration_ms: Math.round(durationMs),
      })
    }
    if (ctx.trail.on)
      ctx.trail.answered({
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
      })
    request.trace?.ended(reply.statusCode)
    done()
  })
  app.addHook('onListen', async () => ctx.storage.onCredentialsChanged(() => ctx.credentials.forget()))
  // Before the server waits for requests in progress.
  app.addHook('preClose', async () => {
    await Promise.all([ctx.liveStreams.end(), ctx.consumerReaders.end()])
  })
  app.addHook('onClose', async () => ctx.credentials.flush())
}

function addRoutes(app: App, ctx: Context, services: Services): void {
  for (const route of [...OPS_ROUTES, getWebhookKeys, ...adminRoutes, ...consoleRoutes]) route(app, ctx)
  if (ctx.signInProvider !== null) signInRoutes(app, ctx, ctx.signInProvider)
  operationRoutes(app, ctx, services)
}
