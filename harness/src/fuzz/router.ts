import type { ApiDocument } from '../api/apiDocument.ts'
import type { Operation } from '../api/operation.ts'

/** An operation and the document that describes it. */
export interface Described {
  readonly document: ApiDocument
  readonly operation: Operation
}

interface Route {
  readonly segments: readonly string[]
  readonly method: string
  readonly described: Described
}

/** Finds the operation of a request by the same rules as a server, also for mutated paths. */
export class Router {
  readonly #routes: readonly Route[]

  constructor(documents: readonly ApiDocument[]) {
    const routes = documents.flatMap((document) =>
      document.operations.map((operation) => ({
        segments: operation.path.split('/'),
        method: operation.method.toUpperCase(),
        described: { document, operation },
      })),
    )
    // If two match, the one whose first difference is a fixed segment wins: `{` sorts after every letter.
    this.#routes = routes.sort((a, b) => (a.described.operation.path < b.described.operation.path ? -1 : 1))
  }

  /**
   * The best matching template decides, even if another one has the method.
   * @returns `null` when no document describes this method and path
   */
  find(method: string, path: string): Described | null {
    const segments = segmentsOf(path)
    if (segments === null) return null
    const template = this.#routes.find((one) => matches(one.segments, segments))?.described.operation.path
    const route = this.#routes.find(
      (one) => one.method === method && one.described.operation.path === template,
    )
    return route?.described ?? null
  }
}

/** @returns `null` for invalid percent-encoding */
function segmentsOf(path: string): readonly string[] | null {
  try {
    return path.split(/[?#]/, 1)[0]!.split('/').map(decodeURIComponent)
  } catch {
    return null
  }
}

const matches = (template: readonly string[], segments: readonly string[]) =>
  template.length === segments.length &&
  template.every((segment, i) => segment.startsWith('{') || segment === segments[i])
