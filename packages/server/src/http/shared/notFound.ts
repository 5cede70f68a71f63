import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AdminListener, isAdminRoute } from './adminListener.ts'
import { KnownPaths } from './knownPaths.ts'
import { Problem } from './problems.ts'
import { originOf } from './requestTarget.ts'

/**
 * Answers requests without a route, before any body is read: 404 for unknown paths, 405 with `Allow` for other methods, 204
 * with `Allow` for OPTIONS. Every caller gets the same response, which does not depend on credentials. Must be called before
 * routes are added.
 * @param adminListener decides which requests see admin routes
 * @param page for people who open such an address in a browser, if there is a console
 */
export function answerUnknownRoutes(
  app: FastifyInstance,
  page: ((reply: FastifyReply) => void) | null,
  adminListener: AdminListener,
): void {
  const all = new KnownPaths()
  /** What the public listener knows, if there is an admin listener. */
  const publicOnes = new KnownPaths()
  const pathsFor = (request: FastifyRequest) =>
    adminListener.isSeparate && !adminListener.has(request) ? publicOnes : all
  app.addHook('onRoute', ({ url, method }) => {
    all.add(url, [method].flat())
    if (!isAdminRoute(url)) publicOnes.add(url, [method].flat())
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { is404, method } = request
    const paths = pathsFor(request)
    if (is404 || adminListener.hides(request, request.routeOptions.url!)) {
      const allowed = method === 'OPTIONS' ? optionsOf(paths, request) : []
      if (page !== null && isOpenedByPeople(request) && paths.methodsAt(pathOf(request)).length === 0)
        page(reply.code(404))
      else if (allowed.length === 0) done(refusal(paths, request))
      else reply.code(204).header('allow', allowed.join(', ')).send()
      return
    }
    // The router takes `/webhooks/sample` for the webhook `sample` when the path itself does not take the method.
    const belongsToAnother = paths.isShadowed(request.routeOptions.url!, method, () => pathOf(request))
    done(belongsToAnother ? refusal(paths, request) : undefined)
  })
  // For files that are not there: these have a route.
  app.setNotFoundHandler((request) => {
    throw refusal(pathsFor(request), request)
  })
}

/** Programs accept anything, or JSON; only browsers ask for pages. */
export const isOpenedByPeople = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept?.includes('text/html') === true

const optionsOf = (paths: KnownPaths, request: FastifyRequest): readonly string[] =>
  request.url === '*' ? paths.allMethods() : paths.methodsAt(pathOf(request))

function refusal(paths: KnownPaths, request: FastifyRequest): Problem {
  const allowed = paths.methodsAt(pathOf(request))
  if (allowed.length === 0 || allowed.includes(request.method)) return nothingHere()
  const allow = allowed.join(', ')
  return new Problem('method_not_allowed', `This path allows ${allow}.`, { headers: { allow } })
}

const nothingHere = () =>
  new Problem('route_not_found', 'There is nothing at this path; see the API documents.')

/** As the router reads it: without the origin, which a request may name too, and decoded. */
function pathOf({ url }: FastifyRequest): string {
  const path = url.slice(originOf(url).length).split('?', 1)[0]!
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
