import type { Fault } from '../../core/cause.ts'
import type { Clock } from '../../core/clock.ts'
import { type AttemptErrorCode, type AttemptOutcome, RESPONSE_BODY_LIMIT_BYTES } from '../../core/delivery.ts'
import {
  type ConnectProgress,
  connectTimeout,
  type EgressAgent,
  EgressError,
  ExchangeError,
  type OutboundRequest,
  type ResponseHandler,
  type ResponseHead,
} from '../egress/index.ts'
import { type Deadline, DeadlineQueue } from './deadlines.ts'

/** Called exactly once, when a request has ended. `durationMs` runs from the start of the connect. */
export type OnSent = (outcome: AttemptOutcome, durationMs: number) => void

/** A request under way. */
export interface Sending {
  /** Whether the request may have been sent. */
  readonly connected: boolean
  /** Drops the connection; `OnSent` is not called any more. */
  abandon(): void
}

/** The status line decides the result. A receiver that sends its body slowly keeps the connection for no longer than this. */
const BODY_GRACE_MS = 2000

/**
 * Sends requests of one dialect: with one total deadline, at most 2 KB of the response, and without following redirects. Only
 * the connect has a timeout in the agent, since other timeouts restart with every chunk.
 */
export class Sender {
  readonly #agent: Pick<EgressAgent, 'dispatch' | 'destroy'>
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #deadlines: DeadlineQueue
  readonly #bodyDeadlines: DeadlineQueue

  constructor(params: {
    readonly agent: EgressAgent
    readonly clock: Clock
    readonly timeoutMs: number
  }) {
    this.#agent = params.agent
    this.#clock = params.clock
    this.#timeoutMs = params.timeoutMs
    this.#deadlines = new DeadlineQueue(params.clock, params.timeoutMs)
    this.#bodyDeadlines = new DeadlineQueue(params.clock, Math.min(BODY_GRACE_MS, params.timeoutMs))
  }

  send(request: OutboundRequest, onSent: OnSent): Sending {
    const exchange = new Exchange(this.#clock, this.#bodyDeadlines, this.#timeoutMs, onSent)
    exchange.startDeadline(this.#deadlines)
    try {
      this.#agent.dispatch(request, exchange)
    } catch (error) {
      exchange.onError(error as Error)
    }
    return exchange
  }

  /** Drops every connection. */
  async destroy(): Promise<void> {
    await this.#agent.destroy()
  }
}

/** One request and its response. */
class Exchange implements ResponseHandler, Sending {
  readonly #clock: Clock
  readonly #bodyDeadlines: DeadlineQueue
  readonly #timeoutMs: number
  readonly #startedAt: number
  #onSent: OnSent | null
  #deadline: Deadline | null = null
  #abort: (() => void) | null = null
  #connected = false
  /** The phase of its connect; `null`: it needed none. */
  #progress: ConnectProgress | null = null
  #statusCode: number | null = null
  #contentType: string | null = null
  #retryAfter: string | null = null
  #chunks: Uint8Array[] = []
  #bodyBytes = 0

  constructor(clock: Clock, bodyDeadlines: DeadlineQueue, timeoutMs: number, onSent: OnSent) {
    this.#clock = clock
    this.#bodyDeadlines = bodyDeadlines
    this.#timeoutMs = timeoutMs
    this.#onSent = onSent
    this.#startedAt = clock.monotonic()
  }

  get connected(): boolean {
    return this.#connected
  }

  get ended(): boolean {
    return this.#onSent === null
  }

  startDeadline(deadlines: DeadlineQueue): void {
    this.#deadline = deadlines.set(() => this.#onDeadline())
  }

  abandon(): void {
    this.#onSent = null
    this.#end()
  }

  onConnecting(progress: ConnectProgress): void {
    // Its first connection may have been closed before the answer.
    this.#connected = false
    this.#progress = progress
  }

  onConnect(abort: () => void): void {
    this.#connected = true
    this.#abort = abort
  }

  onHead({ statusCode, contentType, retryAfter }: ResponseHead): void {
    if (this.#onSent === null) return
    this.#statusCode = statusCode
    this.#contentType = contentType
    this.#retryAfter = retryAfter
    this.#deadline?.cancel()
    this.#deadline = this.#bodyDeadlines.set(() => this.#settle())
  }

  onData(chunk: Buffer): void {
    const room = RESPONSE_BODY_LIMIT_BYTES - this.#bodyBytes
    // Copied: it is a view of a larger buffer, and would keep all of it in memory.
    if (room > 0 && chunk.length > 0) this.#chunks.push(Uint8Array.from(chunk.subarray(0, room)))
    this.#bodyBytes += Math.min(chunk.length, room)
    if (this.#bodyBytes >= RESPONSE_BODY_LIMIT_BYTES) this.#settle()
  }

  onComplete(): void {
    this.#abort = null
    this.#settle()
  }

  onError(error: Error): void {
    this.#abort = null
    // A reset after the status line changes nothing.
    if (this.#statusCode !== null) this.#settle()
    else this.#finish(failure(...reasonOf(error)))
  }

  #onDeadline(): void {
    this.#finish(failure(...this.#timeoutReason()))
  }

  #timeoutReason(): Reason {
    const seconds = this.#timeoutMs / 1000
    if (this.#connected)
      return [
        'timeout',
        'timeout',
        `No response within ${seconds} s. Answer with 2xx first, then do the work.`,
      ]
    // The connect may take all the time of the attempt, so its own deadline would give the same result.
    if (this.#progress !== null) return reasonOf(connectTimeout(this.#progress.phase))
    return [
      'connect_timeout',
      'no_free_connection',
      `No connection was free within ${seconds} s, because all were waiting for responses. Answer faster.`,
    ]
  }

  #settle(): void {
    const statusCode = this.#statusCode
    if (statusCode === null) {
      this.#finish(
        failure(
          'protocol_error',
          'protocol',
          'The response ended before its status line. Check the error log of the server.',
        ),
      )
      return
    }
    this.#finish({
      error: statusError(statusCode),
      statusCode,
      contentType: this.#contentType,
      body: this.#bodyBytes === 0 ? null : joined(this.#chunks, this.#bodyBytes),
      retryAfter: this.#retryAfter,
      newConnection: this.#progress !== null,
    })
  }

  #finish(outcome: AttemptOutcome): void {
    const onSent = this.#onSent
    if (onSent === null) return
    this.#onSent = null
    this.#end()
    onSent(outcome, Math.max(0, Math.round(this.#clock.monotonic() - this.#startedAt)))
  }

  #end(): void {
    this.#deadline?.cancel()
    this.#deadline = null
    const abort = this.#abort
    this.#abort = null
    abort?.()
  }
}

type Reason = readonly [code: AttemptErrorCode, fault: Fault, message: string]

function reasonOf(error: Error): Reason {
  if (error instanceof EgressError || error instanceof ExchangeError)
    return [error.code, error.fault, error.message]
  return [
    'protocol_error',
    'unsendable',
    'The request could not be built. Check the URL. If it is correct, ask the operator.',
  ]
}

function statusError(statusCode: number): AttemptOutcome['error'] {
  if (statusCode >= 200 && statusCode < 300) return null
  if (statusCode >= 300 && statusCode < 400) {
    return {
      code: 'redirect',
      fault: 'redirect',
      message: `The receiver answered ${statusCode}, a redirect. Redirects are not followed. Change the URL of the webhook to the final URL.`,
    }
  }
  return {
    code: 'http_status',
    fault: 'status',
    message: `${adviceFor(statusCode)} Only a 2xx status counts as received.`,
  }
}

function adviceFor(statusCode: number): string {
  if (statusCode === 410) return 'The receiver answered 410 Gone: it wants no more requests.'
  if (statusCode === 401 || statusCode === 403) {
    return `The receiver answered ${statusCode}. Check that it uses the signing secret of this webhook, that its clock is correct, and that no login is required.`
  }
  if (statusCode === 404 || statusCode === 405) {
    return `The receiver answered ${statusCode}. Check the path of the URL and that it accepts POST.`
  }
  if (statusCode === 429) return 'The receiver answered 429 and asks for fewer requests.'
  if (statusCode >= 500) return `The receiver answered ${statusCode}. Check its error log at this time.`
  return `The receiver answered ${statusCode}.`
}

function failure(...[code, fault, message]: Reason): AttemptOutcome {
  return {
    error: { code, fault, message },
    statusCode: null,
    contentType: null,
    body: null,
    retryAfter: null,
    newConnection: false,
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
  }
  return body
}
