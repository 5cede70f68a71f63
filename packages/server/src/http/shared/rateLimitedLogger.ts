import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Logger } from '../../engine/log/logger.ts'

const WINDOW_MS = 30 * SECOND_MS

/** How a line says what happened. */
export interface Messages {
  readonly one: string
  /** For the sum of those that have no line of their own. */
  readonly many: string
}

interface Window {
  lines: number
  unsaid: Unsaid | null
}

/** Those that have no line of their own; times in Unix ms. */
interface Unsaid {
  times: number
  readonly from: number
  to: number
  last: object
}

/**
 * Warns of what callers can bring about as often as they like: of each kind, a few in full, and half a minute later how
 * many more there were, and from when to when.
 */
export class RateLimitedLogger {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #inFull: number
  readonly #messages: Messages
  readonly #windows = new Map<string, Window>()

  /** @param inFull how many of a kind get a line of their own in half a minute */
  constructor(logger: Logger, clock: Clock, inFull: number, messages: Messages) {
    this.#logger = logger
    this.#clock = clock
    this.#inFull = inFull
    this.#messages = messages
  }

  /** @param kind one of a few */
  warn(kind: string, fields: object): void {
    const window = this.#windows.get(kind) ?? this.#open(kind)
    if (window.lines < this.#inFull) {
      window.lines += 1
      this.#logger.warn(fields, this.#messages.one)
    } else {
      const now = this.#clock.now()
      window.unsaid ??= { times: 0, from: now, to: now, last: fields }
      window.unsaid.times += 1
      window.unsaid.to = now
      window.unsaid.last = fields
    }
  }

  #open(kind: string): Window {
    const window: Window = { lines: 0, unsaid: null }
    this.#windows.set(kind, window)
    this.#clock.after(WINDOW_MS, () => {
      this.#windows.delete(kind)
      if (window.unsaid !== null) this.#sumUp(window.unsaid)
    })
    return window
  }

  /** It may be over by now: the line says when it was. */
  #sumUp({ times, from, to, last }: Unsaid): void {
    const iso = (ms: number) => new Date(ms).toISOString()
    this.#logger.warn({ times, from: iso(from), to: iso(to), last }, this.#messages.many)
  }
}
