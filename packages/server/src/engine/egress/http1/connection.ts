import type { Socket } from 'node:net'
import { type BodyReader, bodyReader } from './body.ts'
import { ExchangeError, reset, toExchangeError, unreadable } from './errors.ts'
import { FinalHeadReader } from './finalHead.ts'
import type { ResponseHead } from './head.ts'
import { IdleEntry } from './idleConnections.ts'
import { KEEP_ALIVE_MS, keepAliveOf } from './keepAlive.ts'
import type { ResponseHandler } from './responseHandler.ts'

/** A request and the handler of its response. */
export interface WrittenRequest {
  readonly text: string
  readonly handler: ResponseHandler
}

/** Callbacks to the pool of the connection. */
export interface ConnectionObserver {
  /** It may carry another request. */
  onFree(connection: Connection): void
  /** @param lost the request on the reused connection that got no response: send it again on a new connection */
  onClosed(connection: Connection, lost: WrittenRequest | null): void
  /** The receiver sent data that is no response to any request. */
  onUnasked(): void
}

/** Even a busy connection carries no request after this time: DNS may point to another address by then. */
const MAX_AGE_MS = 300_000
const REQUEST_TIMEOUT = 408
/**
 * If a receiver closes an idle connection while a request arrives on it, that is noticed within a round trip. A later close
 * means that it has seen the request, which counts as an attempt.
 */
const LOST_WITHIN_MS = 1_000

/** One connection to a receiver, which carries one request at a time (HTTP/1.1, RFC 9112). */
export class Connection {
  /** When it became idle, and until when it may be used again, in `performance.now()`. */
  freeSince = 0
  usableUntil = 0
  readonly idleEntry = new IdleEntry(this)
  readonly #observer: ConnectionObserver
  readonly #heads = new FinalHeadReader()
  #socket: Socket | null = null
  #handler: ResponseHandler | null = null
  /** The request in flight, until its response begins. */
  #text = ''
  #body: BodyReader | null = null
  #keepAliveMs: number | null = null
  /** When it is too old for another request, in `performance.now()`. */
  #oldAt = 0
  /** Whether it carried an earlier request, or was idle: data may then belong to no request. */
  #reused = false
  /** When the request in flight was sent, if the connection was reused for it. */
  #sentAt = 0
  #written = true
  /** Data that arrived before the request was written. */
  #early: Buffer | null = null
  /** The response came before all of the request was written; no other request follows. */
  #answeredEarly = false
  /** It is not read any more. */
  #over = false
  /** The pool closed it. */
  #dismissed = false
  #error: Error | null = null

  constructor(observer: ConnectionObserver) {
    this.#observer = observer
  }

  /** It is open. @param socket its data is passed to {@link receive} */
  begin(socket: Socket): void {
    this.#socket = socket
    const now = performance.now()
    this.usableUntil = now + KEEP_ALIVE_MS
    this.#oldAt = now + MAX_AGE_MS
    socket.on('error', (error) => {
      this.#error = error
    })
    if (this.#over) socket.destroy(unreadable('it arrived before the request'))
    // A receiver that has ended its side would not read a request either.
    socket.once('end', () => this.#endIfRead())
    socket.once('close', () => this.#onClose())
  }

  get open(): boolean {
    return this.#socket?.destroyed === false && this.#socket.readable
  }

  get idle(): boolean {
    return this.#handler === null
  }

  /** Whether this side closed it. */
  get dismissed(): boolean {
    return this.#dismissed
  }

  /** It is idle before its first request. */
  markReused(): void {
    this.#reused = true
  }

  send({ text, handler }: WrittenRequest): void {
    this.#handler = handler
    handler.onConnect(() => this.#abort(handler))
    if (this.#handler !== handler) return
    this.#text = text
    if (this.#reused) this.#sentAt = performance.now()
    this.#written = false
    this.#socket!.write(text, this.#onWritten)
  }

  /** @param bytes valid during the call only */
  receive(bytes: Buffer): void {
    if (this.#over) return
    if (this.#handler === null) this.#endUnasked()
    else if (this.#written || this.#answeredEarly) this.#take(bytes)
    else this.#buffer(bytes)
  }

  /** Closes it; a request in flight fails. */
  destroy(error?: Error): void {
    this.#error ??= error ?? null
    this.#dismissed = true
    this.#end()
  }

  #end(): void {
    this.#over = true
    this.#socket?.destroy()
  }

  /** Whether a connection that ends without a response probably does so because it was reused. */
  get #isReuseRace(): boolean {
    return this.#reused && performance.now() - this.#sentAt < LOST_WITHIN_MS
  }

  #endUnasked(): void {
    this.#end()
    this.#observer.onUnasked()
  }

  #abort(handler: ResponseHandler): void {
    if (this.#handler !== handler) return
    this.#handler = null
    this.#end()
  }

  /** The write callback may come late: with TLS it comes in the next turn, usually after the answer. */
  #buffer(bytes: Buffer): void {
    if (this.#early === null) setImmediate(this.#judgeEarly)
    this.#early = this.#early === null ? Buffer.from(bytes) : Buffer.concat([this.#early, bytes])
  }

  readonly #onWritten = (error?: Error | null) => {
    if (error != null) return
    this.#written = true
    this.#takeEarly()
  }

  /** By now the write callback of a complete request has been called. */
  readonly #judgeEarly = () => {
    if (this.#early === null || this.#handler === null) return
    if (this.#reused) {
      // It may be a late response to an earlier request.
      this.#endUnasked()
      return
    }
    this.#answeredEarly = true
    this.#takeEarly()
  }

  #takeEarly(): void {
    const early = this.#early
    if (early === null) return
    this.#early = null
    if (!this.#over) this.#take(early)
    if (this.#socket?.readable === false) this.#endIfRead()
  }

  /** Reads buffered data first. */
  #endIfRead(): void {
    if (this.#early === null) this.#socket?.destroy()
  }

  #take(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && this.#handler !== null) rest = this.#read(rest, this.#handler)
  }

  /** @returns the bytes that belong to no response */
  #read(chunk: Buffer, handler: ResponseHandler): Buffer {
    return this.#body === null ? this.#readHead(chunk, handler) : this.#readBody(this.#body, chunk, handler)
  }

  #readHead(chunk: Buffer, handler: ResponseHandler): Buffer {
    let taken: number
    try {
      taken = this.#heads.read(chunk)
    } catch (error) {
      if (this.#isReuseRace) this.#endUnasked()
      else this.#fail(toExchangeError(error))
      return NOTHING
    }
    const rest = chunk.subarray(taken)
    const { head } = this.#heads
    if (head === null) return rest
    if (this.#isReuseRace && isFarewell(head)) {
      this.#end()
      return NOTHING
    }
    this.#text = ''
    this.#keepAliveMs = this.#answeredEarly ? null : keepAliveOf(head)
    this.#body = bodyReader(head.framing)
    handler.onHead(head)
    this.#completeIfDone(handler, rest)
    return rest
  }

  #readBody(body: BodyReader, chunk: Buffer, handler: ResponseHandler): Buffer {
    let taken: number
    try {
      taken = body.read(chunk, (bytes) => {
        // An aborted handler gets no more of the chunk.
        if (this.#handler === handler) handler.onData(bytes)
      })
    } catch (error) {
      // An error of the handler is not a fault of the response.
      if (!(error instanceof ExchangeError)) throw error
      this.#fail(error)
      return NOTHING
    }
    const rest = chunk.subarray(taken)
    this.#completeIfDone(handler, rest)
    return rest
  }

  #completeIfDone(handler: ResponseHandler, rest: Buffer): void {
    if (this.#handler !== handler || this.#body?.done !== true) return
    this.#handler = null
    this.#body = null
    if (this.#keepAliveMs === null) this.#end()
    else if (rest.length > 0) this.#endUnasked()
    else this.#free(this.#keepAliveMs)
    handler.onComplete()
  }

  #free(keepAliveMs: number): void {
    this.#reused = true
    this.freeSince = performance.now()
    this.usableUntil = Math.min(this.freeSince + keepAliveMs, this.#oldAt)
    if (this.usableUntil > this.freeSince && this.open) this.#observer.onFree(this)
    else this.#end()
  }

  #onClose(): void {
    if (!this.#reused) this.#takeEarly()
    this.#over = true
    const handler = this.#handler
    this.#handler = null
    const isRace = this.#isReuseRace || this.#early !== null
    const isLost = handler !== null && isRace && this.#body === null && !this.#dismissed
    this.#observer.onClosed(this, isLost ? { text: this.#text, handler } : null)
    if (handler === null || isLost) return
    if (this.#error === null && this.#body?.endsWithConnection === true) handler.onComplete()
    else handler.onError(this.#error === null ? reset() : errorOf(this.#error))
  }

  #fail(error: ExchangeError): void {
    const handler = this.#handler
    this.#handler = null
    this.#end()
    handler?.onError(error)
  }
}

const NOTHING = Buffer.alloc(0)

/** The response with which a receiver may close a connection that was idle for too long (RFC 9110 section 15.5.9). */
function isFarewell({ statusCode, keepAlive }: ResponseHead): boolean {
  return statusCode === REQUEST_TIMEOUT && !keepAlive.allowed
}

/** Errors that come from the pool are passed on unchanged. */
function errorOf(error: Error): Error {
  return error.name === 'EgressError' ? error : toExchangeError(error)
}
