import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { StoreUnavailableError } from '../../storage/storage.ts'
import type { Logger } from './logger.ts'

/** How often the log speaks of something that goes on failing. */
const SAY_EVERY_MS = 30 * SECOND_MS

/** The store is away, whoever finds it so. */
const STORE = 'the store'

interface Trouble {
  readonly since: number
  /** What fails for it. */
  readonly work: Set<string>
  failures: number
  /** Whether the log has spoken of it. */
  said: boolean
}

/**
 * What the log says of work that fails and is tried again: that it began, now and then that it lasts, and that it is
 * over. A store that takes nothing is one trouble, however many kinds of work fail for it.
 */
export class FailureLog {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #open = new Map<string, Trouble>()
  /** When the log last spoke of a failure, by trouble; one that comes and goes is not told of each time. */
  readonly #saidAt = new Map<string, number>()

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  /** @param work what failed; always the same words for the same work */
  failed(work: string, error: unknown): void {
    const name = error instanceof StoreUnavailableError ? STORE : work
    const now = this.#clock.monotonic()
    const trouble = this.#open.get(name) ?? { since: now, work: new Set(), failures: 0, said: false }
    this.#open.set(name, trouble)
    trouble.work.add(work)
    trouble.failures += 1
    if (now - (this.#saidAt.get(name) ?? Number.NEGATIVE_INFINITY) < SAY_EVERY_MS) return
    const lasts = { failures: trouble.failures, for_ms: Math.round(now - trouble.since) }
    if (error instanceof StoreUnavailableError) {
      const fields = { reason: error.message, work: [...trouble.work], ...lasts }
      this.#log.error(fields, `the store ${trouble.said ? 'still ' : ''}takes no work; trying again`)
    } else this.#log.error({ err: error, ...lasts }, `${work} failed; trying again`)
    this.#saidAt.set(name, now)
    trouble.said = true
  }

  /** @param work what has succeeded, whether it had failed before or not */
  worked(work: string): void {
    for (const [name, trouble] of this.#open) {
      if (!trouble.work.delete(work) || trouble.work.size > 0) continue
      this.#open.delete(name)
      if (!trouble.said) continue
      const lasted = {
        failures: trouble.failures,
        for_ms: Math.round(this.#clock.monotonic() - trouble.since),
      }
      this.#log.info(lasted, name === STORE ? 'the store takes work again' : `${work} works again`)
    }
  }
}
