import type { Socket } from 'node:net'
import { type BodyReader, bodyReader } from './body.ts'
import { ExchangeError, reset, toExchangeError } from './errors.ts'
import { FinalHeadReader } from './finalHead.ts'
import { KEEP_ALIVE_MS, keepAliveOf } from './keepAlive.ts'
import type { ResponseHandler } from './responseHandler.ts'

/** What becomes of a connection matters to the pool that it is in. */
export interface ConnectionObserver {
  /** It may carry another request. */
  onFree(connection: Connection): void
  onClosed(connection: Connection): void
}

/** However busy, a connection carries no request that comes later: its address may be one that the name has left. */
const MAX_AGE_MS = 300_000

/** One connection to a receiver, which carries one request at a time (HTTP/1.1, RFC 9112). */
export class Connection {
  /** While nothing is under way on it: since when, and until when it may be used, in `performance.now()`. */
  freeSince = 0
  usableUntil = 0
  readonly #observer: ConnectionObserver
  readonly #heads = new FinalHeadReader()
  #socket: Socket | null = null
  #handler: ResponseHandler | null = null
  #body: BodyReader | null = null
  #keepAliveMs: number | null = null
  /** When it is too old for another request, in `performance.now()`. */
  #oldAt = 0
  #written = true
  #freeOnceWritten = false
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
    // A receiver that says no more would not read what is sent either.
    socket.once('end', () => socket.destroy())
    socket.once('close', () => this.#onClose())
  }

  get open(): boolean {
    return this.#socket?.destroyed === false && this.#socket.readable
  }

  get idle(): boolean {
    return this.#handler === null
  }

  /** Whether a request is without an answer that was not the first to be sent on it. */
  get failedReuse(): boolean {
    return this.#handler !== null && this.#body === null && this.freeSince > 0
  }

  /** @param text the whole request */
  send(text: string, handler: ResponseHandler): void {
    this.#handler = handler
    handler.onConnect(() => this.#abort(handler))
    if (this.#handler !== handler) return
    this.#written = false
    this.#socket!.write(text, this.#onWritten)
  }

  /** @param bytes valid during the call only */
  receive(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && this.#handler !== null) rest = this.#read(rest, this.#handler)
    // Nobody asked for what is left.
    if (rest.length > 0) this.#socket?.destroy()
  }

  /** Ends it; a request under way fails. */
  destroy(error?: Error): void {
    this.#error ??= error ?? null
    this.#socket?.destroy()
  }

  #abort(handler: ResponseHandler): void {
    if (this.#handler !== handler) return
    this.#handler = null
    this.#socket?.destroy()
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
      this.#fail(toExchangeError(error))
      return chunk
    }
    const rest = chunk.subarray(taken)
    const { head } = this.#heads
    if (head === null) return rest
    this.#keepAliveMs = keepAliveOf(head)
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
      return chunk
    }
    const rest = chunk.subarray(taken)
    this.#completeIfDone(handler, rest)
    return rest
  }

  #completeIfDone(handler: ResponseHandler, rest: Buffer): void {
    if (this.#handler !== handler || this.#body?.done !== true) return
    this.#handler = null
    this.#body = null
    if (this.#keepAliveMs !== null && rest.length === 0 && this.open) this.#free(this.#keepAliveMs)
    else this.#socket?.destroy()
    handler.onComplete()
  }

  #free(keepAliveMs: number): void {
    this.freeSince = performance.now()
    this.usableUntil = Math.min(this.freeSince + keepAliveMs, this.#oldAt)
    if (this.usableUntil <= this.freeSince) {
      this.#socket?.destroy()
      return
    }
    // An answer may come before all of the request is written. TLS tells of a write only in the next turn, as a rule after
    // the answer.
    if (this.#written) this.#observer.onFree(this)
    else this.#freeOnceWritten = true
  }

  readonly #onWritten = (error?: Error | null) => {
    this.#written = true
    if (!this.#freeOnceWritten) return
    this.#freeOnceWritten = false
    if (error == null && this.open) this.#observer.onFree(this)
  }

  #onClose(): void {
    this.#observer.onClosed(this)
    const handler = this.#handler
    if (handler === null) return
    this.#handler = null
    if (this.#error === null && this.#body?.endsWithConnection === true) handler.onComplete()
    else handler.onError(this.#error === null ? reset() : errorOf(this.#error))
  }

  #fail(error: ExchangeError): void {
    const handler = this.#handler
    this.#handler = null
    this.#socket?.destroy()
    handler?.onError(error)
  }
}

/** What the pool ended the connection with is told as it is. */
function errorOf(error: Error): Error {
  return error.name === 'EgressError' ? error : toExchangeError(error)
}
