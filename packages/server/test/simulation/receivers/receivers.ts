import type { Clock, Timer } from '../../../src/core/clock.ts'
import {
  type EgressAgent,
  EgressError,
  type OutboundRequest,
  type ResponseHandler,
} from '../../../src/engine/egress/index.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'
import type { RetryAfter } from './retryAfters.ts'

/** A request as its receiver sees it. */
export interface RequestSeen {
  /** The receiver, by its number. */
  readonly receiver: number
  /** The event, by its number. */
  readonly event: number
  /** Milliseconds from the start of the simulation. */
  readonly at: number
  /** The sender's time in Unix ms, for answers that name a date. */
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
  /** The sender's own clock at that moment. */
  readonly startedAt: number
  /** The sender's monotonic time. */
  readonly monotonic: number
  /** The process that sent it. */
  readonly process: number
  readonly receiver: number
  /** Path of the URL that it was sent to. */
  readonly path: string
  readonly event: number
  readonly answer: Answer
  /** When the sender had the answer, or gave up; `null`: it is still under way, or the sender died. */
  endedAt: number | null
  /** The sender's own clock at that moment. */
  endedNow: number
  /** By the sender's monotonic time. */
  tookMs: number
  /** Whether the sender had the answer. */
  answered: boolean
}

/** The process that sends. */
export interface SendingProcess {
  readonly number: number
  readonly alive: boolean
  /** By which its engine goes. */
  readonly clock: Clock
  /** Calls back as soon as the process can; not at all once it is dead. */
  receive(callback: () => void): void
}

export interface ReceiverEvents {
  /** A request has come; its sender may die of it. */
  readonly onSent: (arrival: Arrival) => void
  /** Its sender has the answer, or gave up. */
  readonly onHeard: (arrival: Arrival) => void
  /** The answer is about to be handed over; its sender may die before it is. */
  readonly onAnswering: (arrival: Arrival) => void
}

const REFUSED = new EgressError('connect_failed', 'The server refused the connection.')
const ORIGIN_PREFIX = 'https://r'

/** @param variant which of the URLs that the receiver has had */
export const urlOf = (receiver: number, variant = 0): string =>
  `${ORIGIN_PREFIX}${receiver}.example.com/hooks${variant === 0 ? '' : `/${variant}`}`
const receiverOf = (url: string): number => Number.parseInt(url.slice(ORIGIN_PREFIX.length), 10)

export const bodyOf = (event: number): string => JSON.stringify({ event })
export const eventOf = (body: string): number => (JSON.parse(body) as { event: number }).event

/** @param status answered without delay worth mentioning, unless said otherwise */
export function answer(status: Answer['status'], afterMs = 0): Answer {
  return { status, afterMs, retryAfter: null }
}

/** All receivers of a simulation, in the place of the network that real senders send through. */
export class Receivers {
  readonly arrivals: Arrival[] = []
  readonly #clock: VirtualClock
  readonly #answerTo: (request: RequestSeen) => Answer
  readonly #events: ReceiverEvents

  constructor(clock: VirtualClock, answerTo: (request: RequestSeen) => Answer, events: ReceiverEvents) {
    this.#clock = clock
    this.#answerTo = answerTo
    this.#events = events
  }

  /** The network as one process has it. */
  agentOf(process: SendingProcess): EgressAgent {
    return {
      dispatch: (request, handler) => this.#take(process, request, handler),
      destroy: async () => {},
    }
  }

  #take(process: SendingProcess, { destination, body }: OutboundRequest, handler: ResponseHandler): void {
    if (!process.alive) return
    const startedAt = process.clock.now()
    const receiver = receiverOf(destination.origin)
    const event = eventOf(body)
    const seen = { receiver, event, at: this.#clock.monotonic(), now: startedAt }
    const arrival: Arrival = {
      at: this.#clock.now(),
      startedAt,
      monotonic: process.clock.monotonic(),
      process: process.number,
      receiver,
      path: destination.path,
      event,
      answer: this.#answerTo(seen),
      endedAt: null,
      endedNow: 0,
      tookMs: 0,
      answered: false,
    }
    this.arrivals.push(arrival)
    let timer: Timer | null = null
    handler.onConnect(() => {
      timer?.cancel()
      this.#end(arrival, process, false)
    })
    const { status, afterMs } = arrival.answer
    if (status !== 'none') {
      timer = this.#clock.after(afterMs, () => {
        this.#events.onAnswering(arrival)
        process.receive(() => this.#answer(arrival, process, handler))
      })
    }
    this.#events.onSent(arrival)
  }

  #answer(arrival: Arrival, process: SendingProcess, handler: ResponseHandler): void {
    // The sender gave up while the answer was on its way.
    if (arrival.endedAt !== null) return
    this.#end(arrival, process, true)
    const { status, retryAfter } = arrival.answer
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

  #end(arrival: Arrival, process: SendingProcess, answered: boolean): void {
    if (arrival.endedAt !== null) return
    const { clock } = process
    arrival.endedAt = this.#clock.now()
    arrival.endedNow = clock.now()
    arrival.tookMs = clock.monotonic() - arrival.monotonic
    arrival.answered = answered
    this.#events.onHeard(arrival)
  }
}
