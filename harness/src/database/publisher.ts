import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Credentials of a workspace for a publisher. */
export interface Account {
  readonly workspaceId: string
  readonly key: string
}

/** One attempt to publish one event. Times are Unix ms. */
export interface Try {
  readonly eventId: string
  /** Index of the node that it called. */
  readonly node: number
  readonly at: number
  readonly tookMs: number
  /** `null`: no answer, or none in time. */
  readonly status: number | null
  readonly contentType: string | null
  readonly retryAfter: string | null
  /** Of the problem document. */
  readonly code: string | null
}

const PATIENCE_MS = 15_000
const AGAIN_AT_ONCE = 20
/** How often an event is published again when the answer asks for that. */
const INSISTENCE = 3

const isAccepted = ({ status }: Try) => status === 202

/** Publishes an event at a fixed interval, whatever happened to earlier ones, until it is stopped. */
export class SteadyPublisher {
  readonly tries: Try[] = []
  readonly #urls: readonly (() => string)[]
  readonly #account: Account
  readonly #underWay = new Set<Promise<Try>>()
  readonly #stopped = new AbortController()
  readonly #going: Promise<void>

  /** @param urls of the nodes, which are used in turn */
  constructor(urls: readonly (() => string)[], account: Account, everyMs: number) {
    this.#urls = urls
    this.#account = account
    this.#going = this.#go(everyMs)
  }

  /** Events that the service has acknowledged. */
  get accepted(): Set<string> {
    return new Set(this.tries.filter(isAccepted).map(({ eventId }) => eventId))
  }

  /** Rejected tries since a time. */
  refusals(since = 0): Try[] {
    return this.tries.filter((one) => one.at >= since && !isAccepted(one))
  }

  /** Resolves when every published event has been answered. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#going
    await Promise.all(this.#underWay)
  }

  /** Publishes rejected events again, under the same ids. @returns the last try of each */
  async tryAgain(): Promise<Try[]> {
    const { accepted } = this
    const missing = [...new Set(this.tries.map(({ eventId }) => eventId))].filter((id) => !accepted.has(id))
    const tries: Try[] = []
    for (let from = 0; from < missing.length; from += AGAIN_AT_ONCE) {
      const some = missing.slice(from, from + AGAIN_AT_ONCE)
      tries.push(...(await Promise.all(some.map((eventId) => this.#insist(eventId)))))
    }
    return tries
  }

  /** Retries a few times, as a 503 asks for. */
  async #insist(eventId: string): Promise<Try> {
    for (let left = INSISTENCE; ; left--) {
      const one = await this.#publish(eventId, 0)
      if (one.status !== 503 || left === 0) return one
      await sleep(Number(one.retryAfter) * 1_000)
    }
  }

  async #go(everyMs: number): Promise<void> {
    const { signal } = this.#stopped
    for (let turn = 0; !signal.aborted; turn++) {
      const trying = this.#publish(`evt_${randomUUID()}`, turn)
      this.#underWay.add(trying)
      void trying.then(() => this.#underWay.delete(trying))
      await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #publish(eventId: string, turn: number): Promise<Try> {
    const at = Date.now()
    const startedAt = performance.now()
    const node = turn % this.#urls.length
    const answer = await this.#ask(eventId, this.#urls[node]!()).catch(() => null)
    const one: Try = {
      eventId,
      node,
      at,
      tookMs: performance.now() - startedAt,
      status: answer?.status ?? null,
      contentType: answer?.headers.get('content-type') ?? null,
      retryAfter: answer?.headers.get('retry-after') ?? null,
      code: answer?.code ?? null,
    }
    this.tries.push(one)
    return one
  }

  async #ask(eventId: string, url: string) {
    const { workspaceId, key } = this.#account
    const { status, headers, ...response } = await post(`${url}/v1/workspaces/${workspaceId}/events`, key, {
      type: 'schedule.cancel_required',
      id: eventId,
      data: { subject_id: `sch_${eventId}` },
    })
    return { status, headers, code: response.body.code ?? null }
  }
}

async function post(url: string, key: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const text = (await response.json()) as { readonly code?: string }
  return { status: response.status, headers: response.headers, body: text }
}
