import { headTooLong, unreadable } from './errors.ts'

/** A response head beyond this is a protocol error. */
const MAX_HEAD_BYTES = 16_384
const END = Buffer.from('\r\n\r\n')
const START = 'HTTP/1.'
const CR = 0x0d
const LF = 0x0a

/** Collects the head of a response from the chunks in which it arrives. */
export class HeadReader {
  /** The part of an incomplete head that has arrived. */
  #kept: Buffer | null = null

  /**
   * @returns the head without its empty line, one character per byte, and how many bytes of `chunk` it consumed; `null`: it is
   *   incomplete, and all of the chunk was consumed
   * @throws ExchangeError for data that cannot become a head
   */
  read(chunk: Buffer): { readonly text: string; readonly taken: number } | null {
    const kept = this.#kept
    const all = kept === null ? chunk : Buffer.concat([kept, chunk])
    const before = kept === null ? 0 : kept.length
    const end = all.indexOf(END, Math.max(0, before - END.length + 1))
    if (end > MAX_HEAD_BYTES || (end === -1 && all.length > MAX_HEAD_BYTES)) throw headTooLong(MAX_HEAD_BYTES)
    if (end === -1) {
      refuseOthers(all, before)
      // The chunk is in the shared memory of the sockets.
      this.#kept = kept === null ? Buffer.from(all) : all
      return null
    }
    this.#kept = null
    return { text: all.toString('latin1', 0, end), taken: end + END.length - before }
  }
}

/** A peer of another protocol may wait for us to speak; without this check we would wait until the deadline. */
function refuseOthers(bytes: Buffer, from: number): void {
  const start = bytes.toString('latin1', 0, START.length)
  if (start !== START.slice(0, start.length)) throw unreadable('its status line is invalid')
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) throw unreadable('a header line ends without CR')
  }
}
