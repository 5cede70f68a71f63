import { setTimeout as sleep } from 'node:timers/promises'

/** The answer of a route. Times are Unix ms. */
export interface Probe {
  readonly at: number
  readonly answeredAt: number
  /** `null`: no answer in time. */
  readonly status: number | null
}

const EVERY_MS = 100
const PATIENCE_MS = 20_000

/** Calls a route repeatedly, one request after another, until it is stopped. */
export class Probes {
  readonly answers: Probe[] = []
  readonly #url: () => string
  #stopped = false
  readonly #going: Promise<void>

  constructor(url: () => string) {
    this.#url = url
    this.#going = this.#go()
  }

  stop(): Promise<void> {
    this.#stopped = true
    return this.#going
  }

  async #go(): Promise<void> {
    while (!this.#stopped) {
      const at = Date.now()
      const response = await fetch(this.#url(), { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
        () => null,
      )
      await response?.arrayBuffer().catch(() => undefined)
      this.answers.push({ at, answeredAt: Date.now(), status: response?.status ?? null })
      await sleep(EVERY_MS)
    }
  }
}
