import type { Clock } from '../core/clock.ts'
import { HOUR_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import type { Warnings } from '../engine/log/warnings.ts'
import { Loop } from '../engine/loop.ts'
import { type SettingWarning, settingWarnings, type WatchedSettings } from './settingWarnings.ts'

/** Raises warnings about settings, in the log and in the list of warnings. */
export class SettingWatch {
  readonly #warnings: Warnings
  readonly #logger: Logger
  readonly #clock: Pick<Clock, 'now'>
  readonly #texts = new Map<SettingWarning['code'], string>()
  #config: WatchedSettings

  constructor(config: WatchedSettings, warnings: Warnings, logger: Logger, clock: Pick<Clock, 'now'>) {
    this.#config = config
    this.#warnings = warnings
    this.#logger = logger
    this.#clock = clock
  }

  /**
   * Checks new settings.
   * @returns a function that replaces the earlier warnings; it does not fail
   */
  prepare(config: WatchedSettings): () => void {
    const found = settingWarnings(config, this.#clock.now())
    return () => {
      this.#config = config
      this.#replace(found)
    }
  }

  /** Certificates expire, and modes of files change, without a reload. */
  check(): void {
    this.prepare(this.#config)()
  }

  /** Each text is logged once. */
  #replace(found: readonly SettingWarning[]): void {
    for (const code of this.#texts.keys()) {
      if (found.some((warning) => warning.code === code)) continue
      this.#warnings.withdraw(code)
      this.#texts.delete(code)
    }
    for (const { code, text } of found) {
      if (this.#texts.get(code) === text) continue
      this.#texts.set(code, text)
      this.#logger.warn({ code }, text)
      this.#warnings.give({ code, text, since: this.#clock.now() })
    }
  }
}

/** Checks the settings every hour. */
export function createSettingCheck(watch: SettingWatch, clock: Clock, failureLog: FailureLog): Loop {
  return new Loop({
    name: 'check of settings',
    clock,
    failureLog,
    intervalMs: HOUR_MS,
    work: async () => {
      watch.check()
      return null
    },
  })
}
