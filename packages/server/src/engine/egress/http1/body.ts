import { unreadable } from './errors.ts'
import type { Framing } from './head.ts'

/** Reads the body of one response from the data of its connection. */
export interface BodyReader {
  /** Whether the body has been read to its end. */
  readonly done: boolean
  /** Whether the body is complete when the connection ends here. */
  readonly endsWithConnection: boolean
  /**
   * @param onData gets the body's bytes, which are valid during the call only
   * @returns how many bytes of `chunk` belong to this response
   * @throws ExchangeError when the body does not match its head
   */
  read(chunk: Buffer, onData: (bytes: Buffer) => void): number
}

export function bodyReader(framing: Framing): BodyReader {
  if (framing.kind === 'length') return new LengthBody(framing.bytes)
  return framing.kind === 'chunked' ? new ChunkedBody() : new EndlessBody()
}

class LengthBody implements BodyReader {
  readonly endsWithConnection = false
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  get done(): boolean {
    return this.#left === 0
  }

  read(chunk: Buffer, onData: (bytes: Buffer) => void): number {
    const bytes = Math.min(this.#left, chunk.length)
    this.#left -= bytes
    onData(chunk.subarray(0, bytes))
    return bytes
  }
}

class EndlessBody implements BodyReader {
  readonly done = false
  readonly endsWithConnection = true

  read(chunk: Buffer, onData: (bytes: Buffer) => void): number {
    onData(chunk)
    return chunk.length
  }
}

/** Limits of a line with the size of a chunk, extensions included, and of all trailers together. */
const MAX_LINE_BYTES = 4_096
const MAX_TRAILER_BYTES = 16_384
const CHUNK_SIZE = /^([0-9a-f]{1,12})[\t ]*(?:;[^\0\r\n]*)?$/i

/** RFC 9112 section 7.1. Extensions and trailers are ignored. */
class ChunkedBody implements BodyReader {
  readonly endsWithConnection = false
  #expects: 'size' | 'data' | 'end of data' | 'trailer' | 'nothing' = 'size'
  #left = 0
  #line = ''
  #trailerBytes = 0

  get done(): boolean {
    return this.#expects === 'nothing'
  }

  read(chunk: Buffer, onData: (bytes: Buffer) => void): number {
    let at = 0
    while (at < chunk.length && !this.done) {
      if (this.#expects === 'data') {
        const bytes = Math.min(this.#left, chunk.length - at)
        this.#left -= bytes
        if (this.#left === 0) this.#expects = 'end of data'
        onData(chunk.subarray(at, at + bytes))
        at += bytes
      } else at += this.#readLine(chunk, at)
    }
    return at
  }

  /** @returns how many bytes it consumed */
  #readLine(chunk: Buffer, from: number): number {
    const feed = chunk.indexOf('\n', from)
    const end = feed === -1 ? chunk.length : feed + 1
    this.#line += chunk.toString('latin1', from, end)
    if (this.#line.length > MAX_LINE_BYTES) throw unreadable('a line between its chunks is too long')
    if (feed === -1) return end - from
    const line = this.#line
    this.#line = ''
    if (!line.endsWith('\r\n')) throw unreadable('a line between its chunks ends without CR')
    this.#take(line.slice(0, -2))
    return end - from
  }

  #take(line: string): void {
    if (this.#expects === 'size') {
      const digits = CHUNK_SIZE.exec(line)?.[1]
      if (digits === undefined) throw unreadable('a chunk size is not a hexadecimal number')
      this.#left = Number.parseInt(digits, 16)
      this.#expects = this.#left === 0 ? 'trailer' : 'data'
    } else if (this.#expects === 'end of data') {
      if (line !== '') throw unreadable('a chunk is longer than its size')
      this.#expects = 'size'
    } else if (line === '') this.#expects = 'nothing'
    else {
      this.#trailerBytes += line.length
      if (this.#trailerBytes > MAX_TRAILER_BYTES) throw unreadable('its trailers are too long')
    }
  }
}
