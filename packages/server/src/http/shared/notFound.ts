import type { FastifyInstance } from 'fastify'
import { Problem } from './problems.ts'

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/**
 * Answers for what no route serves: 405 with `Allow` where the path is right and the method wrong, else 404.
 * Paths are matched here only then, so routes pay nothing for it. Must be called before routes are added.
 */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const known = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const name of [method].flat()) path.methods.add(name)
    known.set(url, path)
  })
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0]!
    const allowed = [...known.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ methods }) => [...methods])
    if (allowed.length === 0) {
      throw new Problem('route_not_found', 'There is nothing at this path; see the API documents.')
    }
    const allow = [...new Set(allowed)].join(', ')
    throw new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } })
  })
}

function patternOf(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')
  return new RegExp(`^${escaped}$`)
}
