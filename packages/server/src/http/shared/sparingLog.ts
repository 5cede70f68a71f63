import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Logger } from '../../engine/logger.ts'

const WINDOW_MS = 30 * SECOND_MS

interface Window {
  lines: number
  /** Those that have no line of their own. */
  unsaid: number
  last: object
}

/**
 * Warns of what callers can bring about as often as they like: of each kind, a few in full, and half a minute later how
 * many more there were.
 */
export class SparingLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #inFull: number
  readonly #windows = new Map<string, Window>()

  /** @param inFull how many of a kind get a line of their own in half a minute */
  constructor(logger: Logger, clock: Clock, inFull: number) {
    this.#logger = logger
    this.#clock = clock
    this.#inFull = inFull
  }

  /** @param kind one of a few */
  warn(kind: string, fields: object, message: string): void {
    const window = this.#windows.get(kind) ?? this.#open(kind, message)
    if (window.lines < this.#inFull) {
      window.lines += 1
      this.#logger.warn(fields, message)
    } else {
      window.unsaid += 1
      window.last = fields
    }
  }

  #open(kind: string, message: string): Window {
    const window: Window = { lines: 0, unsaid: 0, last: {} }
    this.#windows.set(kind, window)
    this.#clock.after(WINDOW_MS, () => {
      this.#windows.delete(kind)
      if (window.unsaid > 0) this.#logger.warn({ ...window.last, times: window.unsaid }, message)
    })
    return window
  }
}
