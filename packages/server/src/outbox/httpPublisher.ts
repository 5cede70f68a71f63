import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { SECOND_MS } from '../core/duration.ts'
import type { EventPublisher, PublishOutcome, RejectedEvent } from './publisher.ts'

const ANSWER_WITHIN_MS = 30 * SECOND_MS
const CLOSED = new Set(['ECONNRESET', 'EPIPE'])
/** Servers and proxies close idle connections, few of them earlier than after 5 seconds. */
const IDLE_FOR_MS = 4 * SECOND_MS
/** The longest wait: a proxy may ask for a day, and a quota may be raised long before it is free again. */
const LONGEST_RETRY_AFTER_MS = 30 * SECOND_MS

/** The response to a request. */
export interface Answer {
  readonly status: number
  /** Parsed JSON, or the text. */
  readonly body: string
  readonly retryAfter: string | null
}

/** Sends one request. Rejects when there is no response. */
export type Post = (request: {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}) => Promise<Answer>

/** Headers that authenticate a request for a workspace; `null`: the relay has no credential for it. */
export type HeadersFor = (workspace: string) => Readonly<Record<string, string>> | null

/** A relay sends hundreds of requests a second, for which `fetch` takes twice the CPU time. */
export function postTo(publicUrl: string): Post {
  const { request, Agent } = new URL(publicUrl).protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, timeout: IDLE_FOR_MS })
  const post: Post = async ({ path, headers, body }) => {
    const bytes = Buffer.from(body)
    const outgoing = request(new URL(path, publicUrl), {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': bytes.length, ...headers },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    outgoing.end(bytes)
    const [response] = (await once(outgoing, 'response').catch((error: NodeJS.ErrnoException) => {
      // The server closed the idle connection just as it was used: there was no response.
      if (outgoing.reusedSocket && CLOSED.has(String(error.code))) return [null]
      throw error
    })) as [http.IncomingMessage | null]
    if (response === null) return post({ path, headers, body })
    return {
      status: response.statusCode!,
      body: await text(response),
      retryAfter: response.headers['retry-after'] ?? null,
    }
  }
  return post
}

/** Paths for publishing, by the layout of a service. */
const PATHS = {
  workspace: (workspace: string) => `/v1/workspaces/${encodeURIComponent(workspace)}/events/batch`,
  flat: () => '/api/v1/events/batch',
}
type Layout = keyof typeof PATHS

/** Publishes over Posthorn's API, with a key for each workspace. */
export class HttpPublisher implements EventPublisher {
  readonly #post: Post
  readonly #headersFor: HeadersFor
  readonly #layout: Layout | null
  /** The layout that worked, by workspace. */
  readonly #layouts = new Map<string, Layout>()

  /** @param params.layout of all workspaces; without it, both are tried for each */
  constructor(params: { readonly post: Post; readonly headersFor: HeadersFor; readonly layout?: Layout }) {
    this.#post = params.post
    this.#headersFor = params.headersFor
    this.#layout = params.layout ?? null
  }

  async publish(
    workspace: string,
    events: readonly string[],
    idempotencyKey: string | null = null,
  ): Promise<PublishOutcome> {
    const credentials = this.#headersFor(workspace)
    if (credentials === null)
      return {
        outcome: 'blocked',
        reason: `this relay has no key for the workspace ${workspace}: start it with --key ${workspace}=<key>`,
        retryAfterMs: null,
      }
    const headers = {
      ...credentials,
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const body = `{"events":[${events.join(',')}]}`
    const known = this.#layout ?? this.#layouts.get(workspace)
    const layouts: Layout[] = known === undefined ? ['workspace', 'flat'] : [known]
    try {
      let outcome: PublishOutcome | null = null
      for (const layout of layouts) {
        const answer = await this.#post({ path: PATHS[layout](workspace), headers, body })
        outcome = outcomeOf(answer, events.length)
        if (outcome.outcome === 'published') this.#layouts.set(workspace, layout)
        if (answer.status !== 404) break
      }
      return outcome!
    } catch (error) {
      return { outcome: 'unavailable', reason: reasonOf(error), retryAfterMs: null }
    }
  }
}

interface ProblemBody {
  readonly code?: unknown
  readonly detail?: unknown
  readonly title?: unknown
  readonly errors?: unknown
}

function outcomeOf({ status, body, retryAfter }: Answer, sent: number): PublishOutcome {
  const json = parsed(body)
  if (status === 202 && Array.isArray((json as { events?: unknown }).events)) {
    const { events } = json as { readonly events: readonly { readonly repeated?: unknown }[] }
    const repeated = events.filter((event) => event.repeated === true).length
    if (events.length === sent) return { outcome: 'published', repeated }
  }
  const problem = json as ProblemBody
  const said = [problem.detail, problem.title].find((text) => typeof text === 'string')
  const reason = `${status}: ${said ?? 'the response is not from Posthorn; check --public-url'}`
  const retryAfterMs =
    retryAfter !== null && /^\d{1,6}$/.test(retryAfter)
      ? Math.min(Number(retryAfter) * SECOND_MS, LONGEST_RETRY_AFTER_MS)
      : null
  // A proxy may have a lower limit than Posthorn.
  if (status === 413) return { outcome: 'rejected', events: [], reason }
  const events = REJECTIONS.has(String(problem.code)) ? rejectedEvents(problem.errors, sent) : []
  if (events.length > 0 || UNREADABLE.has(String(problem.code)))
    return { outcome: 'rejected', events, reason }
  // Anything but a problem document of Posthorn comes from a proxy in between.
  const isUnavailable = problem.code === undefined || UNAVAILABLE.has(status)
  return { outcome: isUnavailable ? 'unavailable' : 'blocked', reason, retryAfterMs }
}

/** Problems that list the events at fault; without a list, the whole request is at fault. */
const REJECTIONS = new Set(['invalid_request', 'event_id_conflict'])
/** Problems that do not say which event is at fault. */
const UNREADABLE = new Set(['malformed_json'])
const UNAVAILABLE = new Set([408, 502, 503, 504])

/** Mistakes of an event that its reason lists. */
const MOST_MISTAKES = 3
/** Occurs in no mistake. */
const BETWEEN_MISTAKES = ' | '
/** A wrong type often explains the other mistakes. */
const TYPE = '/type '

/** The events that mistakes concern, each with its first mistakes. */
function rejectedEvents(errors: unknown, sent: number): RejectedEvent[] {
  const reasons = new Map<number, string[]>()
  for (const error of Array.isArray(errors) ? errors : []) {
    const { pointer, message } = (error ?? {}) as { readonly pointer?: unknown; readonly message?: unknown }
    const [, index, member] = /^\/events\/(\d{1,4})(\/.*)?$/s.exec(String(pointer)) ?? []
    const position = Number(index)
    if (index === undefined || position >= sent) continue
    reasons.set(position, [...(reasons.get(position) ?? []), `${member ?? 'the event'} ${String(message)}`])
  }
  return [...reasons].map(([position, mistakes]) => ({ position, reason: reasonFor(mistakes) }))
}

function reasonFor(mistakes: readonly string[]): string {
  const isOfType = (mistake: string) => mistake.startsWith(TYPE)
  const sorted = [...mistakes.filter(isOfType), ...mistakes.filter((mistake) => !isOfType(mistake))]
  const left = sorted.length - MOST_MISTAKES
  const more = left > 0 ? [`and ${left} more`] : []
  return [...sorted.slice(0, MOST_MISTAKES), ...more].join(BETWEEN_MISTAKES)
}

function parsed(body: string): object {
  try {
    const json: unknown = JSON.parse(body)
    return typeof json === 'object' && json !== null ? json : {}
  } catch {
    return {}
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
