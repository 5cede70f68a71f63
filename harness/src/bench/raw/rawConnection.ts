import { createConnection, type Socket } from 'node:net'
import type { BandwidthLimit } from './bandwidthLimit.ts'

const CHUNK_BYTES = 64 * 1024
const END_OF_HEAD = '\r\n\r\n'

/** `null`: the other side closed the connection without an answer. */
export type RawAnswer = { readonly status: number; readonly body: string } | null

/**
 * An HTTP/1.1 connection that writes requests unchanged, complete or not. It has one request in flight at a
 * time, costs little more than the kernel's share, and reads answers with a `content-length`.
 */
export class RawConnection {
  readonly #socket: Socket
  #received: Buffer[] = []
  #receivedBytes = 0
  #settle: ((answer: RawAnswer) => void) | null = null

  constructor(port: number) {
    this.#socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
    // `close` follows.
    this.#socket.on('error', () => {})
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('close', () => this.#end(null))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /**
   * Writes a request and waits for its answer. An answer before the request is complete ends the connection,
   * since the rest would be read as the next request.
   */
  async exchange(request: Uint8Array, bandwidth: BandwidthLimit): Promise<RawAnswer> {
    if (!this.isOpen) return null
    let isOver = false
    const answer = new Promise<RawAnswer>((resolve) => {
      this.#settle = (settled) => {
        isOver = true
        resolve(settled)
      }
    })
    let written = 0
    while (written < request.length && !isOver) {
      const chunk = request.subarray(written, written + CHUNK_BYTES)
      await bandwidth.take(chunk.length)
      if (isOver) break
      written += chunk.length
      if (!this.#socket.write(chunk)) await Promise.race([this.#drained(), answer])
    }
    if (isOver && written < request.length) this.close()
    return answer
  }

  close(): void {
    this.#socket.destroy()
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => this.#socket.once('drain', resolve))
  }

  #read(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#receivedBytes += chunk.length
    const received = this.#received.length === 1 ? chunk : Buffer.concat(this.#received, this.#receivedBytes)
    this.#received = [received]
    const headBytes = received.indexOf(END_OF_HEAD)
    if (headBytes < 0) return
    const head = received.toString('latin1', 0, headBytes)
    const bodyAt = headBytes + END_OF_HEAD.length
    const bodyBytes = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    if (received.length < bodyAt + bodyBytes) return
    this.#received = []
    this.#receivedBytes = 0
    const answer = {
      status: Number(head.split(' ', 2)[1]),
      body: received.toString('utf8', bodyAt, bodyAt + bodyBytes),
    }
    if (/^connection: *close/im.test(head)) this.close()
    this.#end(answer)
  }

  #end(answer: RawAnswer): void {
    this.#settle?.(answer)
    this.#settle = null
  }
}
