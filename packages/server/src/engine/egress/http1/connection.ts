import type { Socket } from 'node:net'
import { type BodyReader, bodyReader } from './body.ts'
import { ExchangeError, reset, toExchangeError, unreadable } from './errors.ts'
import { FinalHeadReader } from './finalHead.ts'
import type { ResponseHead } from './head.ts'
import { IdleEntry } from './idleConnections.ts'
import { KEEP_ALIVE_MS, keepAliveOf } from './keepAlive.ts'
import type { ResponseHandler } from './responseHandler.ts'

/** A request as it is written, and who waits for its answer. */
export interface WrittenRequest {
  readonly text: string
  readonly handler: ResponseHandler
}

/** What becomes of a connection matters to the pool that it is in. */
export interface ConnectionObserver {
  /** It may carry another request. */
  onFree(connection: Connection): void
  /** @param lost a request that it was used again for, and that got no answer: to be sent again on a new connection */
  onClosed(connection: Connection, lost: WrittenRequest | null): void
  /** The receiver sent what is no answer to any request. */
  onUnasked(): void
}

/** However busy, a connection carries no request that comes later: its address may be one that the name has left. */
const MAX_AGE_MS = 300_000
const REQUEST_TIMEOUT = 408
/**
 * A receiver that closes an idle connection as a request arrives on it is heard of within a round trip. One that
 * closes later has looked at the request, and that counts.
 */
const LOST_WITHIN_MS = 1_000

/** One connection to a receiver, which carries one request at a time (HTTP/1.1, RFC 9112). */
export class Connection {
  /** While nothing is under way on it: since when, and until when it may be used, in `performance.now()`. */
  freeSince = 0
  usableUntil = 0
  readonly idleEntry = new IdleEntry(this)
  readonly #observer: ConnectionObserver
  readonly #heads = new FinalHeadReader()
  #socket: Socket | null = null
  #handler: ResponseHandler | null = null
  /** The request under way, until its answer begins. */
  #text = ''
  #body: BodyReader | null = null
  #keepAliveMs: number | null = null
  /** When it is too old for another request, in `performance.now()`. */
  #oldAt = 0
  /** Whether it carried a request before this one, or lay idle: what arrives may then belong to nothing. */
  #reused = false
  /** When the request under way was sent, if the connection was reused for it. */
  #sentAt = 0
  #written = true
  /** What arrived before the request was written. */
  #early: Buffer | null = null
  /** The answer came before all of the request was written; no other request follows. */
  #answeredEarly = false
  /** Nothing more is read from it. */
  #over = false
  /** It is closed by its pool. */
  #dismissed = false
  #error: Error | null = null

  constructor(observer: ConnectionObserver) {
    this.#observer = observer
  }

  /** It stands. @param socket what arrives on it is given to {@link receive} */
  begin(socket: Socket): void {
    this.#socket = socket
    const now = performance.now()
    this.usableUntil = now + KEEP_ALIVE_MS
    this.#oldAt = now + MAX_AGE_MS
    socket.on('error', (error) => {
      this.#error = error
    })
    if (this.#over) socket.destroy(unreadable('it came before the request'))
    // A receiver that says no more would not read what is sent either.
    socket.once('end', () => this.#endIfRead())
    socket.once('close', () => this.#onClose())
  }

  get open(): boolean {
    return this.#socket?.destroyed === false && this.#socket.readable
  }

  get idle(): boolean {
    return this.#handler === null
  }

  /** Whether it was closed from this side. */
  get dismissed(): boolean {
    return this.#dismissed
  }

  /** It lies idle before its first request. */
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

  /** Ends it; a request under way fails. */
  destroy(error?: Error): void {
    this.#error ??= error ?? null
    this.#dismissed = true
    this.#end()
  }

  #end(): void {
    this.#over = true
    this.#socket?.destroy()
  }

  /** Whether a connection that ends without an answer does so because it was reused, as far as one can tell. */
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
      // It may be a late answer to an earlier request.
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

  /** What is buffered is read first. */
  #endIfRead(): void {
    if (this.#early === null) this.#socket?.destroy()
  }

  #take(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && this.#handler !== null) rest = this.#read(rest, this.#handler)
  }

  /** @returns what belongs to no response */
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
        // Aborted in the middle of a chunk, it hears no more of it.
        if (this.#handler === handler) handler.onData(bytes)
      })
    } catch (error) {
      // What the handler throws is no fault of the response.
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

/** What a receiver may say as it closes a connection that lay idle for too long for it (RFC 9110 section 15.5.9). */
function isFarewell({ statusCode, keepAlive }: ResponseHead): boolean {
  return statusCode === REQUEST_TIMEOUT && !keepAlive.allowed
}

/** Errors that come from the pool are passed on unchanged. */
function errorOf(error: Error): Error {
  return error.name === 'EgressError' ? error : toExchangeError(error)
}
