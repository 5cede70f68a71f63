import { snakeKeys } from './camelKeys.ts'
import { ProblemError } from './problem.ts'
import { send } from './send.ts'
import type { ServiceDescription } from './serviceDescription.ts'

type Members = Readonly<Record<string, unknown>>

interface Call {
  /** What is `undefined` or `null` is left out. */
  readonly query?: Members
  readonly body?: Members
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

interface Answer {
  /** With members as the service writes them. */
  readonly json: unknown
  readonly response: Response
}

/** Calls the API of a workspace's service. Members of requests have the console's names. */
export interface ServiceApi {
  /** Path that those of all operations begin with. */
  readonly base: string
  /**
   * @param path names and ids, one after the other
   * @throws ProblemError when the service refused, OfflineError when no answer came
   */
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: readonly string[], call?: Call): Promise<Answer>
}

export function serviceApi(ws: string, description: Pick<ServiceDescription, 'paths' | 'case'>): ServiceApi {
  const isFlat = description.paths === 'flat'
  const base = isFlat ? '/api/v1' : `/v1/workspaces/${encodeURIComponent(ws)}`
  // Flat paths name no workspace, so a header does.
  const named = isFlat ? { 'posthorn-workspace': ws } : {}
  const spelt = (members: Members) => (description.case === 'snake' ? snakeKeys(members) : members)
  return {
    base,
    async call(method, path, { query = {}, body, headers = {}, signal } = {}) {
      const url = new URL(
        base + path.map((step) => `/${encodeURIComponent(step)}`).join(''),
        window.location.origin,
      )
      for (const [name, value] of Object.entries(spelt(query))) {
        if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
      }
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await send(
        new Request(url, {
          method,
          headers: { ...named, ...json, ...headers },
          body: body === undefined ? null : JSON.stringify(spelt(body)),
          // Queries hold what was read; the browser's own cache would only show it older than it is.
          cache: 'no-store',
          signal: signal ?? null,
        }),
      )
      const text = await response.text()
      if (!response.ok) throw new ProblemError(response, parsed(text))
      return { json: text === '' ? null : JSON.parse(text), response }
    },
  }
}

/** Proxies answer errors in other forms than JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
