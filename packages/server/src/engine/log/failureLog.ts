import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { StoreUnavailableError } from '../../storage/storage.ts'
import type { Logger } from './logger.ts'

/** How often a persistent failure is logged. */
const LOG_EVERY_MS = 30 * SECOND_MS

/** Names the failure of all work for which the store is unavailable. */
const STORE = 'the store'

interface OngoingFailure {
  readonly since: number
  /** The work that fails. */
  readonly work: Set<string>
  failures: number
  /** Whether it was logged. */
  logged: boolean
}

/**
 * Logs work that fails and is retried: when it starts to fail, repeatedly while it fails, and when it succeeds again. An
 * unavailable store is one failure, however many kinds of work fail because of it.
 */
export class FailureLog {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #open = new Map<string, OngoingFailure>()
  /** When each failure was last logged, so that an intermittent one is not logged each time. */
  readonly #loggedAt = new Map<string, number>()

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  /**
   * @param work what failed; always the same text for the same work
   * @param error the error, or a text that describes it
   */
  failed(work: string, error: unknown): void {
    const name = error instanceof StoreUnavailableError ? STORE : work
    const now = this.#clock.monotonic()
    const failure = this.#open.get(name) ?? { since: now, work: new Set(), failures: 0, logged: false }
    this.#open.set(name, failure)
    failure.work.add(work)
    failure.failures += 1
    if (now - (this.#loggedAt.get(name) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return
    const lasts = { failures: failure.failures, for_ms: Math.round(now - failure.since) }
    if (error instanceof StoreUnavailableError) {
      const fields = { reason: error.message, work: [...failure.work], ...lasts }
      this.#log.error(fields, `the store is ${failure.logged ? 'still ' : ''}unavailable; retrying`)
    } else {
      const fields = typeof error === 'string' ? { reason: error } : { err: error }
      this.#log.error({ ...fields, ...lasts }, `${work} failed; retrying`)
    }
    this.#loggedAt.set(name, now)
    failure.logged = true
  }

  /** @param work what succeeded, whether it had failed before or not */
  worked(work: string): void {
    for (const [name, failure] of this.#open) {
      if (!failure.work.delete(work) || failure.work.size > 0) continue
      this.#open.delete(name)
      if (!failure.logged) continue
      const lasted = {
        failures: failure.failures,
        for_ms: Math.round(this.#clock.monotonic() - failure.since),
      }
      this.#log.info(lasted, name === STORE ? 'the store is available again' : `${work} works again`)
    }
  }
}
