import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf, weighted, wholeNumber } from '../../support/random.ts'
import type { Account } from './account.ts'
import { CHANGING_ACTS } from './changingActs.ts'
import { SENDING_ACTS } from './sendingActs.ts'

const PAUSE_MS = { min: 20, max: 220 }
/** Share of the webhooks paused at the end of the chaos that stay paused. */
const STAY_PAUSED_SHARE = 0.3

/** Repeatedly changes the webhooks of a workspace until it is stopped. */
export class Manager {
  readonly #account: Account
  readonly #random: () => number
  readonly #note: (text: string) => void
  #ending = false

  constructor(account: Account, random: () => number, note: (text: string) => void) {
    this.#account = account
    this.#random = random
    this.#note = note
  }

  async run(): Promise<void> {
    const acts = [...CHANGING_ACTS, ...SENDING_ACTS].filter(({ dialects }) =>
      dialects.includes(this.#account.dialect),
    )
    while (!this.#ending) {
      const act = weighted(this.#random, acts)
      await act.perform(this.#account, this.#random)
      this.#note(`${this.#account.dialect}: ${act.name}`)
      await sleep(wholeNumber(this.#random, PAUSE_MS.min, PAUSE_MS.max))
    }
    await this.#tidyUp()
  }

  end(): void {
    this.#ending = true
  }

  /** Resumes most of the paused and disabled webhooks. */
  async #tidyUp(): Promise<void> {
    for (const hook of this.#account.hooks) {
      if (hook.states.last.status !== 'paused' || this.#random() < STAY_PAUSED_SHARE) continue
      const paused = oneOf(this.#random, [{ paused: false }, { paused: false, enabled: true }])
      await this.#account.patch(hook, paused, { status: 'on' })
    }
  }
}
