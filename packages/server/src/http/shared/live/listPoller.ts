import type { Clock, Timer } from '../../../core/clock.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import type { Logger } from '../../../engine/log/logger.ts'
import { RateLimitedLogger } from '../rateLimitedLogger.ts'

/** Minimum time between two reads of the same list. */
const EVERY_MS = SECOND_MS
/** The same if the list is known to have changed. */
const SOON_MS = 20
/** All reads together take at most this share of one reading thread's time, however many lists are watched. */
const REST_PER_LOOK = 3

interface List<Poll> {
  readonly read: () => Promise<Poll>
  readonly viewers: Set<(poll: Poll) => void>
  latest: Poll | null
  /** On the monotonic clock. */
  dueAt: number
  /** Whether something became new in it since the last look began. */
  hurried: boolean
}

/**
 * Reads watched lists repeatedly: each at most once a second, for all its viewers, and one after another, so that watching
 * never slows down sending.
 */
export class ListPoller<Poll> {
  readonly #clock: Clock
  readonly #failures: RateLimitedLogger
  readonly #lists = new Map<string, List<Poll>>()
  #timer: Timer | null = null
  #polling: Promise<void> | null = null
  #restUntil = 0

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#failures = new RateLimitedLogger(logger, clock, 1, {
      one: 'a watched list could not be read',
      many: 'more watched lists could not be read',
    })
  }

  /**
   * @param key identifies the list
   * @param viewer gets every result, and immediately the latest if there is one
   * @returns a function that ends it
   */
  watch(key: string, read: () => Promise<Poll>, viewer: (poll: Poll) => void): () => void {
    const list = this.#lists.get(key) ?? { read, viewers: new Set(), latest: null, dueAt: 0, hurried: false }
    this.#lists.set(key, list)
    list.viewers.add(viewer)
    if (list.latest !== null) viewer(list.latest)
    this.#plan()
    return () => {
      list.viewers.delete(viewer)
      if (list.viewers.size === 0 && this.#lists.get(key) === list) this.#lists.delete(key)
      this.#plan()
    }
  }

  /** Looks soon, since something is new in the list. */
  hurry(key: string): void {
    const list = this.#lists.get(key)
    if (list === undefined) return
    list.hurried = true
    list.dueAt = Math.min(list.dueAt, this.#clock.monotonic() + SOON_MS)
    this.#plan()
  }

  /** Resolves when no look is under way. */
  async settled(): Promise<void> {
    await this.#polling
  }

  #plan(): void {
    this.#timer?.cancel()
    this.#timer = null
    if (this.#polling !== null || this.#lists.size === 0) return
    const at = Math.max(this.#next().dueAt, this.#restUntil)
    this.#timer = this.#clock.after(at - this.#clock.monotonic(), () => {
      this.#polling = this.#poll()
    })
  }

  #next(): List<Poll> {
    return [...this.#lists.values()].reduce((first, list) => (list.dueAt < first.dueAt ? list : first))
  }

  async #poll(): Promise<void> {
    const list = this.#next()
    const beganAt = this.#clock.monotonic()
    list.hurried = false
    try {
      list.latest = await list.read()
      for (const show of list.viewers) show(list.latest)
    } catch (error) {
      this.#failures.warn('look', { reason: error instanceof Error ? error.message : String(error) })
    }
    this.#polling = null
    const endedAt = this.#clock.monotonic()
    list.dueAt = endedAt + (list.hurried ? SOON_MS : EVERY_MS)
    this.#restUntil = endedAt + REST_PER_LOOK * (endedAt - beganAt)
    this.#plan()
  }
}
