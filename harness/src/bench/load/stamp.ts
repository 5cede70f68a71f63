/**
 * The instant at which an event was due, stored in the event itself: receivers in other processes read it to
 * compute the latency, since the machine's monotonic clock is shared. Nanoseconds, in a fixed length.
 */
const PREFIX = 'due-ns.'
const DIGITS = 20

const write = (ns: number) => `${PREFIX}${String(ns).padStart(DIGITS, '0')}`

/** Placeholder that the publisher replaces by the instant. */
export const BLANK_STAMP = write(0)

/** A body that is stamped repeatedly. */
export class StampedBody {
  readonly #pieces: readonly string[]

  /** @param template with {@link BLANK_STAMP} wherever the instant belongs */
  constructor(template: string) {
    this.#pieces = template.split(BLANK_STAMP)
  }

  /** @param ns a whole number */
  at(ns: number): string {
    return this.#pieces.join(write(ns))
  }
}

/** @returns nanoseconds; `null` when the body contains no instant */
export function stampIn(body: Buffer): number | null {
  const at = body.indexOf(PREFIX)
  if (at < 0) return null
  const digits = body.toString('latin1', at + PREFIX.length, at + PREFIX.length + DIGITS)
  return /^\d+$/.test(digits) ? Number(digits) : null
}
