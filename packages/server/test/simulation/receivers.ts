import type { Timer } from '../../src/core/clock.ts'
import {
  type EgressAgent,
  EgressError,
  type OutboundRequest,
  type ResponseHandler,
} from '../../src/engine/egress/index.ts'
import type { RetryAfter } from './retryAfters.ts'
import type { VirtualClock } from './virtualClock.ts'

/** A request as its receiver sees it. */
export interface RequestSeen {
  /** The receiver, by its number. */
  readonly receiver: number
  /** The event, by its number. */
  readonly event: number
  /** Milliseconds from the start of the simulation. */
  readonly at: number
  /** The same in Unix ms, for answers that name a date. */
  readonly now: number
}

/** How a receiver answers one request. */
export interface Answer {
  /** `none`: it hangs until the sender gives up. */
  readonly status: number | 'refused' | 'none'
  readonly afterMs: number
  readonly retryAfter: RetryAfter | null
}

/** A request and what came of it. Times in Unix ms. */
export interface Arrival {
  readonly at: number
  readonly receiver: number
  readonly event: number
  readonly answer: Answer
  /** When the sender had the answer, or gave up; `null`: it is still under way. */
  endedAt: number | null
}

const REFUSED = new EgressError('connect_failed', 'The server refused the connection.')
const ORIGIN_PREFIX = 'https://r'

export const urlOf = (receiver: number): string => `${ORIGIN_PREFIX}${receiver}.example.com/hooks`
const receiverOf = (origin: string): number => Number.parseInt(origin.slice(ORIGIN_PREFIX.length), 10)

export const bodyOf = (event: number): string => JSON.stringify({ event })
export const eventOf = (body: string): number => (JSON.parse(body) as { event: number }).event

/** @param status answered without delay worth mentioning, unless said otherwise */
export function answer(status: Answer['status'], afterMs = 0): Answer {
  return { status, afterMs, retryAfter: null }
}

/** All receivers of a simulation, in the place of the network that the real sender sends through. */
export class Receivers implements EgressAgent {
  readonly arrivals: Arrival[] = []
  readonly #clock: VirtualClock
  readonly #answerTo: (request: RequestSeen) => Answer

  constructor(clock: VirtualClock, answerTo: (request: RequestSeen) => Answer) {
    this.#clock = clock
    this.#answerTo = answerTo
  }

  dispatch({ destination, body }: OutboundRequest, handler: ResponseHandler): void {
    const now = this.#clock.now()
    const receiver = receiverOf(destination.origin)
    const event = eventOf(body)
    const answer = this.#answerTo({ receiver, event, at: this.#clock.monotonic(), now })
    const arrival: Arrival = { at: now, receiver, event, answer, endedAt: null }
    this.arrivals.push(arrival)
    let timer: Timer | null = null
    handler.onConnect(() => {
      arrival.endedAt = this.#clock.now()
      timer?.cancel()
    })
    if (answer.status !== 'none')
      timer = this.#clock.after(answer.afterMs, () => this.#answer(arrival, handler))
  }

  async destroy(): Promise<void> {}

  #answer(arrival: Arrival, handler: ResponseHandler): void {
    const { status, retryAfter } = arrival.answer
    arrival.endedAt = this.#clock.now()
    if (typeof status !== 'number') {
      handler.onError(REFUSED)
      return
    }
    handler.onHead({
      statusCode: status,
      contentType: null,
      retryAfter: retryAfter?.header ?? null,
      framing: { kind: 'length', bytes: 0 },
      keepAlive: { allowed: true, timeoutMs: null },
    })
    handler.onComplete()
  }
}
