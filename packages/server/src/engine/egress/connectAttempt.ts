import { Socket } from 'node:net'
import type { DialCallback } from './dial.ts'
import { type ConnectPhase, connectTimeout, toEgressError } from './errors.ts'

/** The phase of a connect. */
export interface ConnectProgress {
  readonly phase: ConnectPhase
  /** Its destination, if known: an address, not a name. */
  readonly address: string | null
}

/** One connect: its deadline, the socket to destroy then, and a callback that is called once. */
export class ConnectAttempt implements ConnectProgress {
  readonly #callback: DialCallback
  readonly #timer: NodeJS.Timeout
  #isSettled = false
  #phase: ConnectPhase = 'resolve'
  #address: string | null = null
  #pending: { destroy(): unknown } | null = null

  constructor(timeoutMs: number, callback: DialCallback) {
    this.#callback = callback
    this.#timer = setTimeout(() => this.fail(connectTimeout(this.#phase)), timeoutMs)
  }

  get phase(): ConnectPhase {
    return this.#phase
  }

  get address(): string | null {
    return this.#address
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  readonly settle: DialCallback = (...[error, socket]) => {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#pending = null
    if (error === null) this.#callback(null, socket)
    else this.#callback(toEgressError(error, this.#phase), null)
  }

  /** Turns an error of a step into the result, and closes what earlier steps opened. */
  guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      queueMicrotask(() => this.fail(error instanceof Error ? error : new Error(String(error))))
    }
  }

  /** Sets what the deadline destroys and, for a socket, notes the phase. */
  follow(pending: { destroy(): unknown }, phase: ConnectPhase): void {
    this.#pending = pending
    this.#phase = phase
    if (!(pending instanceof Socket) || phase === 'tls') return
    pending.once('lookup', (_error, address) => {
      this.#phase = 'connect'
      this.#address = address
    })
    pending.once('connect', () => {
      this.#phase = 'tls'
    })
  }

  /** Ends the connect and closes what it opened. */
  fail(error: Error): void {
    const pending = this.#pending
    this.settle(error, null)
    pending?.destroy()
  }
}
