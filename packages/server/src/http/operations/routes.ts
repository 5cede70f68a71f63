import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { callerOf, guard, isStillAuthorized } from '../shared/auth.ts'
import type { App, Context } from '../shared/context.ts'
import { Problem } from '../shared/problems.ts'
import { OPERATIONS } from './index.ts'
import { LAYOUTS, type LayoutName } from './layout.ts'
import type { Operation } from './operation.ts'
import type { ServedOperation, Service, Services } from './service.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of a service that the route stands for. */
    readonly operation?: Operation
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Adds every operation once for each layout. Which service is meant, and with it the schemas, is known by the workspace of
 * the caller, so that services come and go without new routes.
 */
export function operationRoutes(app: App, ctx: Context, services: Services): void {
  for (const layout of Object.keys(LAYOUTS) as LayoutName[]) {
    for (const operation of OPERATIONS) {
      const path = operation.path(layout)
      if (path !== null) addRoute(app, ctx, services, { operation, layout, path })
    }
  }
}

interface Place {
  readonly operation: Operation
  readonly layout: LayoutName
  readonly path: string
}

function addRoute(app: App, ctx: Context, services: Services, { operation, layout, path }: Place): void {
  const { method, bodyLimit } = operation
  const access = guard(ctx, {
    layout,
    rights: ({ dialect }) => operation.access(services.of(dialect).ctx.dialect.profile),
  })
  app.route({
    method,
    url: LAYOUTS[layout].base + path,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    config: { operation },
    onRequest: guards(access, services, operation),
    handler: (request, reply) =>
      answer(services, operation, request, reply, () => isStillAuthorized(app, access, request, reply)),
  })
}

function guards(
  access: onRequestHookHandler,
  services: Services,
  operation: Operation,
): onRequestHookHandler[] {
  const { beforeBody } = operation
  if (beforeBody === undefined) return [access]
  return [
    access,
    (request, _reply, done) => {
      const caller = callerOf(request)
      done(problemIn(() => beforeBody(services.of(caller.workspace.dialect).ctx, caller)))
    },
  ]
}

/** The problem that is thrown, if one is. */
function problemIn(check: () => void): Problem | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** @throws Problem `route_not_found` */
function servedBy(service: Service, operation: Operation): ServedOperation {
  const served = service.operation(operation)
  if (served !== null) return served
  const { name } = service.ctx.dialect
  throw new Problem(
    'route_not_found',
    `The service ${name} has no such operation; see /openapi/${name}.json.`,
  )
}

async function answer(
  services: Services,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  isAuthorized: () => Promise<boolean>,
): Promise<string | Readable | null> {
  const caller = callerOf(request)
  const service = services.of(caller.workspace.dialect)
  const served = servedBy(service, operation)
  request.takesBody = served.takesBody
  operation.beforeSchema?.(request)
  served.check(request)
  const answered = await operation.run({
    ctx: service.ctx,
    caller,
    request,
    reply,
    isAuthorized,
    params: request.params as Readonly<Record<string, string>>,
    query: served.queryOf(request),
    body: served.bodyOf(request),
  })
  if (answered === null || answered instanceof Readable) return answered
  reply.header('content-type', JSON_TYPE)
  return served.textOf(reply.statusCode, answered)
}
