import type { Readable } from 'node:stream'
import { Problem } from '../problems.ts'
import type { Arrivals, Arriving } from './arrivals.ts'
import type { BodyReservation } from './budget.ts'
import { LARGE_BYTES } from './limits.ts'

/** Room for a body without Content-Length; doubled whenever it is full. */
const FIRST_BYTES = 16 * 1024

export interface UploadParams {
  readonly payload: Readable
  /** From `Content-Length`; `null`: the body comes in chunks. */
  readonly announcedBytes: number | null
  readonly limitBytes: number
  readonly reservation: BodyReservation
  readonly arrivals: Arrivals
  /**
   * Called with the data of a large body so far: `bytes` up to `end`, each time more of them.
   * @returns why the rest is rejected; `null`: nothing is wrong so far
   */
  readonly inspect: (bytes: Buffer, end: number) => Problem | null
}

/** Receives a whole body. `done` is called once, unless the upload is rejected with `null` for the body. */
export function receiveBody(
  params: UploadParams,
  done: (problem: Problem | null, body: Buffer | null) => void,
): void {
  new Upload(params, done).start()
}

class Upload implements Arriving {
  readonly #params: UploadParams
  readonly #done: (problem: Problem | null, body: Buffer | null) => void
  #bytes: Buffer | null = null
  receivedBytes = 0

  readonly #onData = (chunk: Buffer) => this.#take(chunk)
  readonly #onEnd = () => this.#finish()
  readonly #onError = () =>
    this.#refuse(new Problem('malformed_request', 'The request body could not be read.'))

  constructor(params: UploadParams, done: (problem: Problem | null, body: Buffer | null) => void) {
    this.#params = params
    this.#done = done
  }

  start(): void {
    const { payload, announcedBytes, limitBytes, reservation, arrivals } = this.#params
    const bytes = announcedBytes ?? 0
    const problem = bytes > limitBytes ? tooLarge(limitBytes) : reservation.raiseTo(bytes)
    if (problem !== null) {
      this.#done(problem, null)
      return
    }
    payload.on('data', this.#onData)
    payload.on('end', this.#onEnd)
    payload.on('error', this.#onError)
    arrivals.watch(this)
    payload.resume()
  }

  tooSlow(): void {
    const detail =
      'The request body arrived too slowly. Send at least 4 KiB per second. The whole request can take at most 30 s.'
    // The end of the body would come late as well: the connection is closed.
    const problem = new Problem('request_timeout', detail, { headers: { connection: 'close' } })
    this.#refuse(this.#params.reservation.refuse('slow', problem))
  }

  #take(chunk: Buffer): void {
    const { limitBytes } = this.#params
    const end = this.receivedBytes + chunk.length
    const problem = end > limitBytes ? tooLarge(limitBytes) : (this.#append(chunk, end) ?? this.#inspect(end))
    if (problem !== null) this.#refuse(problem)
  }

  #inspect(end: number): Problem | null {
    return this.#isLarge(end) ? this.#params.inspect(this.#bytes!, end) : null
  }

  #isLarge(end: number): boolean {
    return Math.max(end, this.#params.announcedBytes ?? 0) > LARGE_BYTES
  }

  #append(chunk: Buffer, end: number): Problem | null {
    const { announcedBytes } = this.#params
    // Most bodies come in one piece, which needs no copy.
    if (this.#bytes === null && chunk.length === announcedBytes) this.#bytes = chunk
    else {
      const problem = this.#makeRoom(end)
      if (problem !== null) return problem
      // Copied, since a body may come in millions of chunks, each of which takes far more memory than its bytes.
      this.#bytes!.set(chunk, this.receivedBytes)
    }
    this.receivedBytes = end
    return null
  }

  #makeRoom(end: number): Problem | null {
    const { announcedBytes, limitBytes, reservation } = this.#params
    let room = this.#bytes?.length ?? announcedBytes ?? FIRST_BYTES
    while (room < end) room *= 2
    room = Math.min(room, Math.max(limitBytes, end))
    if (this.#bytes !== null && this.#bytes.length >= room) return null
    const problem = reservation.raiseTo(room)
    if (problem !== null) return problem
    const bytes = Buffer.allocUnsafe(room)
    if (this.#bytes !== null) bytes.set(this.#bytes.subarray(0, this.receivedBytes))
    this.#bytes = bytes
    return null
  }

  #finish(): void {
    const { announcedBytes } = this.#params
    this.#stop()
    if (announcedBytes !== null && announcedBytes !== this.receivedBytes) {
      const detail = 'The length of the request body differs from its Content-Length.'
      this.#done(new Problem('malformed_request', detail), null)
    } else this.#done(null, (this.#bytes ?? Buffer.alloc(0)).subarray(0, this.receivedBytes))
  }

  #refuse(problem: Problem): void {
    this.#stop()
    this.#bytes = null
    this.#done(problem, null)
  }

  /** Further data is dropped: the stream keeps flowing, so that the client reads the response. */
  #stop(): void {
    const { payload, arrivals } = this.#params
    arrivals.forget(this)
    payload.off('data', this.#onData)
    payload.off('end', this.#onEnd)
    payload.off('error', this.#onError)
    // Without a listener, a client that disconnects now would end the process.
    payload.on('error', ignore)
  }
}

function ignore(): void {}

const tooLarge = (limitBytes: number) =>
  new Problem(
    'payload_too_large',
    `The request body is too large: this route accepts at most ${limitBytes} bytes.`,
  )
