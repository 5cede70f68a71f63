import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { PosthornProcess, Settings } from './posthorn.ts'
import { eventually } from './waiting.ts'

const CLOCK_FILE = new URL('./walkingClock.js', import.meta.url).href
const LEAP_WITHIN_MS = 10_000

/** The wall clock of a service that simulates days in a minute. */
export class WalkingClock {
  readonly #file: string
  #skewMs = 0

  /** @param at its initial time, Unix ms */
  constructor(directory: string, at: number) {
    this.#file = path.join(directory, 'clock-skew')
    this.#write(at)
  }

  /** Settings for the service with this clock. */
  get settings(): Settings {
    return {
      HARNESS_CLOCK_FILE: this.#file,
      NODE_OPTIONS: `--import=${CLOCK_FILE}`,
      // It leaps while monotonic time stands still; simulated days are not a clock fault.
      POSTHORN_CLOCK_LEAP: '3650d',
    }
  }

  /** Its current time, Unix ms. */
  now(): number {
    return Date.now() + this.#skewMs
  }

  /** Resolves once the service uses the new time. */
  async leapTo(at: number, service: PosthornProcess): Promise<void> {
    this.#write(at)
    process.kill(service.pid, 'SIGUSR2')
    const warning = `the clock is off by ${this.#skewMs} ms\n`
    await eventually(() => (service.stderr.includes(warning) ? true : null), {
      withinMs: LEAP_WITHIN_MS,
      everyMs: 3,
      what: `leap of the clock to ${new Date(at).toISOString()}`,
    })
  }

  #write(at: number): void {
    this.#skewMs = Math.round(at) - Date.now()
    writeFileSync(this.#file, String(this.#skewMs))
  }
}
