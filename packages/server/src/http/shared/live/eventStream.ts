import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Clock } from '../../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../../core/duration.ts'

export const EVENT_STREAM = 'text/event-stream'

/** How long clients wait before they reconnect. */
const RETRY_MS = 3 * SECOND_MS
/** Something is sent at least this often, so that proxies keep the connection open. */
const KEEP_ALIVE_MS = 15 * SECOND_MS
/** A client that has read nothing for this long is disconnected. */
const DROP_AFTER_MS = 30 * SECOND_MS
/** Clients must reconnect after this time: to any node, with its present settings. */
const MAX_AGE_MS = 10 * MINUTE_MS

/**
 * One response of server-sent events. A message is sent only when the client has received all before it, so that at most one
 * waits in memory for a slow client.
 */
export class EventStream {
  /** What is sent as the body of the response. */
  readonly body: Readable
  readonly #response: ServerResponse
  readonly #clock: Clock
  readonly #beganAt: number
  #sentAt: number
  #takenAt: number
  #ended = false
  #isWanted = false

  /** @param onWanted called when the client takes more than was sent */
  constructor(response: ServerResponse, clock: Clock, onWanted: () => void = () => {}) {
    this.#response = response
    this.#clock = clock
    this.#beganAt = clock.monotonic()
    this.#sentAt = this.#beganAt
    this.#takenAt = this.#beganAt
    this.body = new Readable({
      read: () => {
        this.#isWanted = true
        onWanted()
      },
    })
    this.body.once('close', () => {
      this.#ended = true
    })
    this.#push(`retry: ${RETRY_MS}\n\n`)
  }

  /** Whether the client has taken all that was sent. */
  get isReady(): boolean {
    return !this.#ended && this.body.readableLength === 0 && this.#response.writableLength === 0
  }

  /** Whether a message would be sent soon, although the client may not have received all before it. */
  get takesMore(): boolean {
    return !this.#ended && this.#isWanted
  }

  /** @param fields in this order, without line breaks, as JSON has none; without `event` it is a `message` */
  send(fields: { readonly id?: string; readonly event?: string; readonly data: string }): void {
    this.#push(
      `${Object.entries(fields)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join('')}\n`,
    )
  }

  /** Call this every second or so: keeps the connection alive, or ends it when its time is over. */
  tick(): void {
    const now = this.#clock.monotonic()
    if (this.isReady) {
      this.#takenAt = now
      if (now - this.#sentAt >= KEEP_ALIVE_MS) this.#push(': keep-alive\n\n')
    }
    if (now - this.#takenAt >= DROP_AFTER_MS || now - this.#beganAt >= MAX_AGE_MS) this.end()
  }

  /** Ends the response, or aborts it if the client does not read. */
  end(): void {
    if (this.#ended) return
    const { isReady } = this
    this.#ended = true
    if (isReady) this.body.push(null)
    else this.body.destroy()
  }

  #push(text: string): void {
    this.#sentAt = this.#clock.monotonic()
    this.#isWanted = false
    this.body.push(text)
  }
}
