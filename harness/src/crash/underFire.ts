import { setTimeout as sleep } from 'node:timers/promises'
import { type Exit, type PosthornProcess, type ServiceOptions, spawnService } from '../support/posthorn.ts'
import { eventually } from '../support/waiting.ts'
import { wholeNumber } from './random.ts'

/** When a run of the service ended and the next one began; Unix ms. */
export interface Kill {
  readonly at: number
  readonly restartedAt: number
}

const LIVES_MS = { min: 80, max: 900 }
/** Publishes that a run must have answered before it is killed: on a busy machine a while alone may hit nothing. */
const ANSWERS = { min: 1, max: 30 }
const ANSWERS_WITHIN_MS = 15_000
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
  #over = false

  constructor(options: ServiceOptions, random: () => number) {
    this.#options = options
    this.#random = random
    this.#process = spawnService(options)
    this.#whenUp = this.#process.ready()
  }

  /** Whether it was killed for good. */
  get over(): boolean {
    return this.#over
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

  /** @param answered publishes answered so far, in all runs */
  async killAtRandom(answered: () => number): Promise<void> {
    if (this.#random() < START_KILL_SHARE) {
      await sleep(wholeNumber(this.#random, START_KILL_MS.min, START_KILL_MS.max))
    } else {
      await this.up()
      const enough = answered() + wholeNumber(this.#random, ANSWERS.min, ANSWERS.max)
      await sleep(wholeNumber(this.#random, LIVES_MS.min, LIVES_MS.max))
      await eventually(() => (answered() >= enough ? true : null), {
        withinMs: ANSWERS_WITHIN_MS,
        everyMs: 1,
        what: 'answers to publishes',
      })
    }
    const at = Date.now()
    await this.#process.kill()
    if (this.#over) return
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

  /** For good. */
  kill(): Promise<Exit> {
    this.#over = true
    return this.#process.kill()
  }
}
