import { lazy } from '../../core/lazy.ts'

interface KnownPath {
  /** As routes write it, such as `/webhooks/:id`. */
  readonly url: string
  readonly pattern: RegExp
  readonly methods: Set<string>
  /** Of two that match a path, the one that sorts first is meant. */
  readonly rank: string
}

/** The order in which methods are named. */
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Which methods each path takes. A path that is written out goes before one with parameters, as OpenAPI has it, whatever
 * methods the two take. Only what no route serves is looked up here, so that requests pay next to nothing for it.
 */
export class KnownPaths {
  readonly #paths = new Map<string, KnownPath>()
  /** The most specific first. */
  readonly #sorted = lazy(() => [...this.#paths.values()].sort((a, b) => (a.rank < b.rank ? -1 : 1)))
  readonly #shadows = lazy(() => this.#findShadows())

  add(url: string, methods: readonly string[]): void {
    const path = this.#paths.get(url) ?? {
      url,
      pattern: patternOf(url),
      methods: new Set(['OPTIONS']),
      rank: rankOf(url),
    }
    for (const method of methods) path.methods.add(method)
    this.#paths.set(url, path)
  }

  /** What a path takes; nothing when there is no such path. */
  methodsAt(path: string): readonly string[] {
    return inOrder(this.#sorted().find(({ pattern }) => pattern.test(path))?.methods ?? [])
  }

  allMethods(): readonly string[] {
    return inOrder(new Set([...this.#paths.values()].flatMap(({ methods }) => [...methods])))
  }

  /** Whether a path that a route matched is written out by other routes, none of which takes the method. */
  isShadowed(url: string, method: string, path: () => string): boolean {
    const shadows = this.#shadows().get(`${method} ${url}`)
    if (shadows === undefined) return false
    const asked = path()
    return shadows.some(({ pattern }) => pattern.test(asked))
  }

  /** By method and route: the more specific paths that the route matches and that do not take the method. */
  #findShadows(): ReadonlyMap<string, readonly KnownPath[]> {
    const found = new Map<string, readonly KnownPath[]>()
    for (const { url, pattern, methods, rank } of this.#sorted()) {
      const narrower = this.#sorted().filter((other) => other.rank < rank && pattern.test(other.url))
      for (const method of methods) {
        const without = narrower.filter((other) => !other.methods.has(method))
        if (without.length > 0) found.set(`${method} ${url}`, without)
      }
    }
    return found
  }
}

const inOrder = (methods: Iterable<string>) =>
  [...methods].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))

/** As the router, which takes an empty parameter for one. */
function patternOf(url: string): RegExp {
  const escaped = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replace(/:[^/]+/g, '[^/]*')
  return new RegExp(`^${escaped}$`)
}

/** Segment by segment: written out, then parameters, then everything that follows. */
const rankOf = (url: string) =>
  url
    .split('/')
    .map((segment) => (segment === '*' ? 2 : segment.startsWith(':') ? 1 : 0))
    .join('')
