import { setTimeout as sleep } from 'node:timers/promises'
import { type Exit, type PosthornProcess, type ServiceOptions, spawnService } from '../support/posthorn.ts'
import { wholeNumber } from './random.ts'

/** When a run of the service ended and the next one began; Unix ms. */
export interface Kill {
  readonly at: number
  readonly restartedAt: number
}

const LIVES_MS = { min: 80, max: 900 }
/** One kill in five comes this early: while the service is still starting. */
const START_KILL_MS = { min: 0, max: 600 }
const START_KILL_SHARE = 0.2

/** The service on one data directory, killed and started again and again. */
export class ServiceUnderFire {
  readonly kills: Kill[] = []
  readonly #options: ServiceOptions
  readonly #random: () => number
  #process: PosthornProcess
  #whenUp: Promise<void>

  constructor(options: ServiceOptions, random: () => number) {
    this.#options = options
    this.#random = random
    this.#process = spawnService(options)
    this.#whenUp = this.#process.ready()
  }

  /** Where it listens now. */
  readonly url = (): string => this.#process.url

  /** Resolves when the present run takes events; when it is killed before that, goes on with the next one. */
  async up(): Promise<void> {
    for (;;) {
      const current = this.#whenUp
      const isUp = await current.then(
        () => true,
        () => false,
      )
      if (current === this.#whenUp) {
        if (isUp) return
        await current
      }
    }
  }

  async killAtRandom(): Promise<void> {
    const isEarly = this.#random() < START_KILL_SHARE
    const { min, max } = isEarly ? START_KILL_MS : LIVES_MS
    if (!isEarly) await this.up()
    await sleep(wholeNumber(this.#random, min, max))
    const at = Date.now()
    await this.#process.kill()
    const restartedAt = Date.now()
    this.#process = spawnService(this.#options)
    this.#whenUp = this.#process.ready()
    // Nobody may be waiting for this run, and it may be killed before it is ready.
    this.#whenUp.catch(() => undefined)
    this.kills.push({ at, restartedAt })
  }

  stop(): Promise<Exit> {
    return this.#process.stop()
  }

  kill(): Promise<Exit> {
    return this.#process.kill()
  }
}
