import { snakeKeys } from './camelKeys.ts'
import { ProblemError } from './problem.ts'
import { send } from './send.ts'
import type { ServiceDescription } from './serviceDescription.ts'

type Members = Readonly<Record<string, unknown>>

interface Call {
  /** Members that are `undefined` or `null` are omitted. */
  readonly query?: Members
  readonly body?: Members
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

interface Answer {
  /** With the service's own member names. */
  readonly json: unknown
  readonly response: Response
}

/** Calls the API of a workspace's service. Members of requests have camel-case names. */
export interface ServiceApi {
  /** Prefix of all paths. */
  readonly base: string
  /**
   * @param path segments
   * @throws ProblemError when the request was rejected, OfflineError without a response
   */
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: readonly string[], call?: Call): Promise<Answer>
}

export function serviceApi(ws: string, description: Pick<ServiceDescription, 'paths' | 'case'>): ServiceApi {
  const isFlat = description.paths === 'flat'
  const base = isFlat ? '/api/v1' : `/v1/workspaces/${encodeURIComponent(ws)}`
  // Flat paths do not contain the workspace, so a header does.
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
          // The query cache holds responses; the browser's cache would only return stale ones.
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

/** Proxies may return errors that are not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
