import type { ConnectProgress } from '../connectAttempt.ts'
import type { DialCallback } from '../dial.ts'
import { Connection, type ConnectionObserver, type WrittenRequest } from './connection.ts'
import type { IdleConnections } from './idleConnections.ts'

/**
 * @param onData gets all data of the connection
 * @param callback called once, asynchronously
 */
type Connect = (onData: (bytes: Buffer) => void, callback: DialCallback) => ConnectProgress

export interface PoolParams {
  readonly connect: Connect
  readonly maxConnections: number
  readonly idle: IdleConnections
  readonly workspaceId: number
  readonly origin: string
}

/** A connection that was idle for longer may have been closed without that having been read yet. */
const FRESH_MS = 100

/**
 * A receiver may close after a response without announcing it. That is read one turn of the event loop later, and a request
 * sent before is lost. So this many reuses wait for that turn: the first ones, and those after a connection ended in this way.
 */
const WATCHED_AT_FIRST = 1
const WATCHED_AFTER_CLOSE = 1_000

/** How long a receiver that sent unsolicited data gets a new connection for each request: more data may be on its way. */
const DISTRUSTED_MS = 60_000

/** The connections to one destination. The one that became idle last is used first, so that those that are not needed expire. */
export class Pool implements ConnectionObserver {
  readonly #params: PoolParams
  readonly #connections = new Set<Connection>()
  readonly #free: Connection[] = []
  #connecting = 0
  #waiting: WrittenRequest[] = []
  /** Requests that have a connection and are not written yet. */
  #reserved = 0
  /** How many more reuses wait until their connection was seen to be open. */
  #watched = WATCHED_AT_FIRST
  /** Until then no connection is reused, in `performance.now()`. */
  #distrustedUntil = 0
  #onEmpty: (() => void)[] = []

  constructor(params: PoolParams) {
    this.#params = params
  }

  /** Whether it has no request in flight and no open connection. */
  get empty(): boolean {
    return this.#connections.size + this.#connecting + this.#waiting.length + this.#reserved === 0
  }

  /** @param text the whole request */
  dispatch(request: WrittenRequest): void {
    const now = performance.now()
    const connection = this.#takeFree(now)
    if (connection !== null) {
      if (this.#watched > 0) this.#watch(connection, request)
      else if (now - connection.freeSince < FRESH_MS) connection.send(request)
      else this.#sendIfOpen(connection, request)
    } else if (this.#connections.size + this.#connecting < this.#params.maxConnections) this.#open(request)
    else this.#waiting.push(request)
  }

  onFree(connection: Connection): void {
    if (this.#distrustedUntil > 0 && performance.now() < this.#distrustedUntil) {
      connection.destroy()
      return
    }
    const next = this.#nextWaiting()
    if (next === undefined) this.#keep(connection)
    else if (this.#watched > 0) this.#watch(connection, next)
    else connection.send(next)
  }

  onUnasked(): void {
    this.#distrustedUntil = performance.now() + DISTRUSTED_MS
    for (const connection of this.#free) connection.destroy()
  }

  onClosed(connection: Connection, lost: WrittenRequest | null): void {
    this.#connections.delete(connection)
    connection.idleEntry.remove()
    const at = this.#free.indexOf(connection)
    if (at !== -1) this.#free.splice(at, 1)
    const closedWhenFree = at !== -1 && !connection.dismissed
    if (lost !== null || (closedWhenFree && performance.now() - connection.freeSince < FRESH_MS))
      this.#watched = WATCHED_AFTER_CLOSE
    if (lost === null || lost.handler.ended) this.#goOn()
    else this.#open(lost)
  }

  /**
   * Closes connections that were idle for too long. @param now in `performance.now()`
   * @returns whether the pool can be dropped
   */
  sweep(now: number): boolean {
    for (const connection of this.#connections)
      if (connection.idle && connection.usableUntil <= now) connection.destroy()
    return this.empty && now >= this.#distrustedUntil
  }

  /** Fails all requests in flight. Resolves when every connection is closed. */
  destroy(error: Error): Promise<void> {
    for (const { handler } of this.#waiting.splice(0)) handler.onError(error)
    for (const connection of this.#connections) connection.destroy(error)
    return new Promise((resolve) => {
      this.#onEmpty.push(resolve)
      this.#goOn()
    })
  }

  #keep(connection: Connection): void {
    const { idle, workspaceId, origin } = this.#params
    this.#free.push(connection)
    idle.add(connection.idleEntry, workspaceId, origin)
  }

  #takeFree(now: number): Connection | null {
    for (let connection = this.#free.pop(); connection !== undefined; connection = this.#free.pop()) {
      connection.idleEntry.remove()
      if (connection.open && now < connection.usableUntil) return connection
      connection.destroy()
    }
    return null
  }

  /** Sends after two turns of the event loop: one may be under way already, and end without another read. */
  #watch(connection: Connection, request: WrittenRequest): void {
    this.#reserved += 1
    setImmediate(() => {
      this.#reserved -= 1
      this.#sendIfOpen(connection, request)
    })
  }

  /** Data that arrived in the meantime is read first. */
  #sendIfOpen(connection: Connection, request: WrittenRequest): void {
    this.#reserved += 1
    setImmediate(() => {
      this.#reserved -= 1
      if (connection.open) {
        if (this.#watched > 0) this.#watched -= 1
        this.#sendUnlessEnded(connection, request)
      } else {
        this.#watched = WATCHED_AFTER_CLOSE
        this.dispatch(request)
      }
    })
  }

  #open(request: WrittenRequest): void {
    this.#connecting++
    const connection = new Connection(this)
    const onData = (bytes: Buffer) => connection.receive(bytes)
    const progress = this.#params.connect(onData, (...[error, socket]) => {
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
    request.handler.onConnecting(progress)
  }

  /** Its time may be over by then; the connection can serve another request. */
  #sendUnlessEnded(connection: Connection, request: WrittenRequest): void {
    if (!request.handler.ended) connection.send(request)
    else {
      connection.markReused()
      this.onFree(connection)
    }
  }

  #nextWaiting(): WrittenRequest | undefined {
    let next = this.#waiting.shift()
    while (next?.handler.ended) next = this.#waiting.shift()
    return next
  }

  #goOn(): void {
    const next = this.#nextWaiting()
    if (next !== undefined) this.dispatch(next)
    else if (this.empty) for (const resolve of this.#onEmpty.splice(0)) resolve()
  }
}
