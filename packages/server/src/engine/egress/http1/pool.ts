import type { DialCallback } from '../dial.ts'
import type { ConnectPhase } from '../errors.ts'
import { Connection, type ConnectionObserver } from './connection.ts'
import type { ResponseHandler } from './responseHandler.ts'

/**
 * @param onData takes all that arrives on the connection
 * @param callback called later and once
 * @returns asks how far the connect has come
 */
type Connect = (onData: (bytes: Buffer) => void, callback: DialCallback) => () => ConnectPhase

interface Waiting {
  readonly text: string
  readonly handler: ResponseHandler
}

/** Free for longer than this, a connection may have been closed without that having been read yet. */
const FRESH_MS = 100

/**
 * A receiver may close after an answer without having said so. That is read a turn of the event loop later than the
 * answer, and what is sent before then is lost. So many reuses wait for that turn: the first of all, and those after a
 * connection ended in this way.
 */
const WATCHED_AT_FIRST = 1
const WATCHED_AFTER_CLOSE = 1_000

/** The connections to one origin. The one that became free last is used first, so that those not needed grow old. */
export class Pool implements ConnectionObserver {
  readonly #connect: Connect
  readonly #maxConnections: number
  readonly #connections = new Set<Connection>()
  readonly #free: Connection[] = []
  #connecting = 0
  #waiting: Waiting[] = []
  /** Requests that have a connection and are not written yet. */
  #held = 0
  /** How many reuses are still to wait until their connection was seen to be open. */
  #watched = WATCHED_AT_FIRST
  #onEmpty: (() => void)[] = []

  constructor(connect: Connect, maxConnections: number) {
    this.#connect = connect
    this.#maxConnections = maxConnections
  }

  /** Whether nothing would be lost with it. */
  get empty(): boolean {
    return this.#connections.size + this.#connecting + this.#waiting.length + this.#held === 0
  }

  /** What may be closed and nothing is lost; the one that has been free for longest first. */
  get free(): readonly Connection[] {
    return this.#free
  }

  /** @param text the whole request */
  dispatch(text: string, handler: ResponseHandler): void {
    const now = performance.now()
    const connection = this.#takeFree(now)
    if (connection !== null) {
      if (this.#watched > 0) this.#watch(connection, { text, handler })
      else if (now - connection.freeSince < FRESH_MS) connection.send(text, handler)
      else this.#sendIfOpen(connection, { text, handler })
    } else if (this.#connections.size + this.#connecting < this.#maxConnections) this.#open({ text, handler })
    else this.#waiting.push({ text, handler })
  }

  onFree(connection: Connection): void {
    const next = this.#nextWaiting()
    if (next === undefined) this.#free.push(connection)
    else if (this.#watched > 0) this.#watch(connection, next)
    else connection.send(next.text, next.handler)
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection)
    const at = this.#free.indexOf(connection)
    if (at !== -1) this.#free.splice(at, 1)
    if (connection.failedReuse || (at !== -1 && performance.now() - connection.freeSince < FRESH_MS))
      this.#watched = WATCHED_AFTER_CLOSE
    this.#goOn()
  }

  /** Closes what has been free for too long. @param now in `performance.now()` */
  sweep(now: number): void {
    for (const connection of this.#connections)
      if (connection.idle && connection.usableUntil <= now) connection.destroy()
  }

  /** Fails all that is under way. Resolves when every connection is closed. */
  destroy(error: Error): Promise<void> {
    for (const { handler } of this.#waiting.splice(0)) handler.onError(error)
    for (const connection of this.#connections) connection.destroy(error)
    return new Promise((resolve) => {
      this.#onEmpty.push(resolve)
      this.#goOn()
    })
  }

  #takeFree(now: number): Connection | null {
    for (let connection = this.#free.pop(); connection !== undefined; connection = this.#free.pop()) {
      if (connection.open && now < connection.usableUntil) return connection
      connection.destroy()
    }
    return null
  }

  /** Sends after two turns of the event loop: one may have been under way, and is over without another read. */
  #watch(connection: Connection, request: Waiting): void {
    this.#held += 1
    setImmediate(() => {
      this.#held -= 1
      this.#sendIfOpen(connection, request)
    })
  }

  /** What the receiver has said meanwhile is read first. */
  #sendIfOpen(connection: Connection, request: Waiting): void {
    this.#held += 1
    setImmediate(() => {
      this.#held -= 1
      if (connection.open) {
        if (this.#watched > 0) this.#watched -= 1
        this.#sendUnlessEnded(connection, request)
      } else {
        this.#watched = WATCHED_AFTER_CLOSE
        this.dispatch(request.text, request.handler)
      }
    })
  }

  #open(request: Waiting): void {
    this.#connecting++
    const connection = new Connection(this)
    const onData = (bytes: Buffer) => connection.receive(bytes)
    const phase = this.#connect(onData, (...[error, socket]) => {
      this.#connecting--
      if (error !== null) {
        request.handler.onError(error)
        this.#goOn()
        return
      }
      connection.begin(socket)
      this.#connections.add(connection)
      this.#sendUnlessEnded(connection, request)
    })
    request.handler.onConnecting(phase)
  }

  /** Meanwhile its time may be over; the connection is as good for another. */
  #sendUnlessEnded(connection: Connection, { text, handler }: Waiting): void {
    if (handler.ended) this.onFree(connection)
    else connection.send(text, handler)
  }

  #nextWaiting(): Waiting | undefined {
    let next = this.#waiting.shift()
    while (next?.handler.ended) next = this.#waiting.shift()
    return next
  }

  #goOn(): void {
    const next = this.#nextWaiting()
    if (next !== undefined) this.dispatch(next.text, next.handler)
    else if (this.empty) for (const resolve of this.#onEmpty.splice(0)) resolve()
  }
}
