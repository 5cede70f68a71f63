import type { Clock, Timer } from '../../../src/core/clock.ts'
import { SECOND_MS } from '../../../src/core/duration.ts'
import {
  type EgressAgent,
  EgressError,
  type OutboundRequest,
  type Probed,
  type ResponseHandler,
} from '../../../src/engine/egress/index.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'
import type { WayOut } from '../nodes/wayOut.ts'
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
  /** `none`: it hangs until the sender times out. */
  readonly status: number | 'refused' | 'none'
  readonly afterMs: number
  readonly retryAfter: RetryAfter | null
}

/** A request and its result. Times in Unix ms. */
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
  /** When the sender had the answer, or timed out; `null`: it is still in flight, or the sender died. */
  endedAt: number | null
  /** The sender's own clock at that moment. */
  endedNow: number
  /** By the sender's monotonic time. */
  tookMs: number
  /** Whether the sender had the answer. */
  answered: boolean
}

/** The sending process. */
export interface SendingProcess {
  readonly number: number
  readonly node: number
  readonly alive: boolean
  /** Its engine's clock. */
  readonly clock: Clock
  /** Calls back as soon as the process can; never once it is dead. */
  receive(callback: () => void): void
}

export interface ReceiverEvents {
  /** A request has arrived; its sender may be killed by it. */
  readonly onSent: (arrival: Arrival) => void
  /** A request did not leave its node. */
  readonly onUnsent: (process: number, receiver: number, event: number) => void
  /** Its sender has the answer, or timed out. */
  readonly onHeard: (arrival: Arrival) => void
  /** The answer is about to be returned; its sender may die before it is. */
  readonly onAnswering: (arrival: Arrival) => void
}

const REFUSED = new EgressError('connect_failed', 'connect_failed', 'The server refused the connection.')
const TIMED_OUT = new EgressError(
  'connect_timeout',
  'connect_timeout',
  'The server did not accept the connection.',
)
const FAILS_AFTER_MS = 5
const ORIGIN_PREFIX = 'https://r'

/** @param variant which of the receiver's successive URLs */
export const urlOf = (receiver: number, variant = 0): string =>
  `${ORIGIN_PREFIX}${receiver}.example.com/hooks${variant === 0 ? '' : `/${variant}`}`
const receiverOf = (url: string): number => Number.parseInt(url.slice(ORIGIN_PREFIX.length), 10)

export const bodyOf = (event: number): string => JSON.stringify({ event })
export const eventOf = (body: string): number => (JSON.parse(body) as { event: number }).event

/** @param status answered almost at once, by default */
export function answer(status: Answer['status'], afterMs = 0): Answer {
  return { status, afterMs, retryAfter: null }
}

/** All receivers of a simulation, instead of the network that real senders use. */
export class Receivers {
  readonly arrivals: Arrival[] = []
  readonly #clock: VirtualClock
  readonly #answerTo: (request: RequestSeen) => Answer
  readonly #wayOutOf: (node: number) => WayOut | null
  readonly #events: ReceiverEvents

  /** @param wayOutOf the current fault of a node's egress; `null`: none */
  constructor(
    clock: VirtualClock,
    answerTo: (request: RequestSeen) => Answer,
    wayOutOf: (node: number) => WayOut | null,
    events: ReceiverEvents,
  ) {
    this.#clock = clock
    this.#answerTo = answerTo
    this.#wayOutOf = wayOutOf
    this.#events = events
  }

  /** The network as one process sees it. */
  agentOf(process: SendingProcess): EgressAgent {
    return {
      dispatch: (request, handler) => this.#take(process, request, handler),
      probe: (target, timeoutMs, callback) => this.#probe(process, target.hostname, timeoutMs, callback),
      destroy: async () => {},
    }
  }

  #take(process: SendingProcess, request: OutboundRequest, handler: ResponseHandler): void {
    if (!process.alive) return
    const wayOut = this.#wayOutOf(process.node)
    const { destination, body } = request
    handler.onConnecting({ phase: wayOut?.phase ?? 'connect', address: null })
    const send = this.#sendFrom(process, request, handler)
    if (wayOut === null) {
      send()
      return
    }
    this.#events.onUnsent(process.number, receiverOf(destination.origin), eventOf(body))
    const { error } = wayOut
    if (error === null) this.#connectAgain(process, handler, send)
    else this.#clock.after(FAILS_AFTER_MS, () => process.receive(() => handler.onError(error)))
  }

  /** As TCP does while nothing gets through. */
  #connectAgain(
    process: SendingProcess,
    handler: ResponseHandler,
    send: () => void,
    waitMs = SECOND_MS,
  ): void {
    this.#clock.after(waitMs, () => {
      if (!process.alive || handler.ended) return
      if (this.#wayOutOf(process.node) !== null) this.#connectAgain(process, handler, send, 2 * waitMs)
      else
        process.receive(() => {
          if (!handler.ended) send()
        })
    })
  }

  /** @returns a function that sends the request of an attempt that begins now */
  #sendFrom(
    process: SendingProcess,
    { destination, body }: OutboundRequest,
    handler: ResponseHandler,
  ): () => void {
    const startedAt = process.clock.now()
    const monotonic = process.clock.monotonic()
    const receiver = receiverOf(destination.origin)
    const event = eventOf(body)
    return () =>
      this.#send(process, { startedAt, monotonic, receiver, event, path: destination.path }, handler)
  }

  #send(
    process: SendingProcess,
    { startedAt, ...request }: Pick<Arrival, 'startedAt' | 'monotonic' | 'receiver' | 'event' | 'path'>,
    handler: ResponseHandler,
  ): void {
    const { receiver, event } = request
    const seen = { receiver, event, at: this.#clock.monotonic(), now: startedAt }
    const arrival: Arrival = {
      ...request,
      at: this.#clock.now(),
      startedAt,
      process: process.number,
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
      // Lost data is sent again, as TCP does.
      const arrive = (againMs: number) => () => {
        if (this.#wayOutOf(process.node)?.error === null) {
          timer = this.#clock.after(againMs, arrive(2 * againMs))
          return
        }
        this.#events.onAnswering(arrival)
        process.receive(() => this.#answer(arrival, process, handler))
      }
      timer = this.#clock.after(afterMs, arrive(SECOND_MS))
    }
    this.#events.onSent(arrival)
  }

  /** A connect without a request. A receiver that rejects requests does so by refusing connections. */
  #probe(
    process: SendingProcess,
    hostname: string,
    timeoutMs: number,
    callback: (probed: Probed) => void,
  ): void {
    const receiver = receiverOf(`https://${hostname}`)
    const wayOut = this.#wayOutOf(process.node)
    const seen = { receiver, event: 0, at: this.#clock.monotonic(), now: this.#clock.now() }
    const refuses = this.#answerTo(seen).status === 'refused'
    const error = wayOut === null ? (refuses ? REFUSED : undefined) : (wayOut.error ?? TIMED_OUT)
    const afterMs = wayOut?.error === null ? timeoutMs : FAILS_AFTER_MS
    this.#clock.after(afterMs, () =>
      process.receive(() => callback({ fault: error?.fault ?? null, address: hostname })),
    )
  }

  #answer(arrival: Arrival, process: SendingProcess, handler: ResponseHandler): void {
    // The sender timed out while the answer was in transit.
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
