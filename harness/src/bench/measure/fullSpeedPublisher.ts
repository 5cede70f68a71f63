import type { Program } from '../../support/program.ts'
import { batchesOf, type PublishedHook } from '../load/prepareLoad.ts'
import {
  type FromPublisher,
  PUBLISHER,
  type PublisherStart,
  type ToPublisher,
} from '../programs/publisher.ts'
import type { Stage } from '../stage/stage.ts'
import { watchFailures } from './failures.ts'

export const BATCH_EVENTS = 500
const BATCHES_IN_FLIGHT = 4
const MAX_OUTSTANDING = 5_000

interface FullSpeedOptions {
  /** File for the ids of acknowledged events; `null`: none. */
  readonly idsFile: string | null
  /** Most events published but not yet delivered, in whole batches. */
  readonly maxOutstanding?: number
  /** Whether a temporary rejection of a publish is not a failure. */
  readonly goesOn?: boolean
}

/** Reports the deliveries received since the publisher started. */
interface Progressing {
  on(kind: 'progress', listener: (message: { readonly deliveries: number }) => void): void
}

/** A publisher in its own process, which publishes batches as fast as they are delivered. */
export class FullSpeedPublisher {
  readonly #program: Program<ToPublisher, FromPublisher>
  readonly #check: () => void
  readonly #ready: Promise<unknown>

  private constructor(program: Program<ToPublisher, FromPublisher>) {
    this.#program = program
    this.#check = watchFailures(program, 'publish')
    this.#ready = program.next('ready')
    // The program may end before a caller awaits this.
    this.#ready.catch(() => undefined)
  }

  /** @param services which get batches in turn */
  static start(
    stage: Stage,
    services: readonly { readonly url: string }[],
    hooks: readonly PublishedHook[],
    { idsFile, maxOutstanding = MAX_OUTSTANDING, goesOn = false }: FullSpeedOptions,
  ): FullSpeedPublisher {
    const start: PublisherStart = {
      urls: services.map(({ url }) => url),
      batches: batchesOf(hooks, BATCH_EVENTS),
      batchesInFlight: BATCHES_IN_FLIGHT,
      maxOutstanding,
      goesOn,
      idsFile,
    }
    return new FullSpeedPublisher(stage.start<ToPublisher, FromPublisher>(PUBLISHER, start))
  }

  get pid(): number {
    return this.#program.pid
  }

  /** Continues as fast as this receiver gets the events. */
  follow(receiver: Progressing): void {
    receiver.on('progress', ({ deliveries }) => this.progress(deliveries))
  }

  /** @param deliveries so far */
  progress(deliveries: number): void {
    this.#program.send({ kind: 'progress', deliveries })
  }

  /** @throws BenchError when a publish has failed */
  check(): void {
    this.#check()
  }

  /** @throws BenchError when a publish has failed */
  count = () => this.#ask({ kind: 'count' }, 'count')

  /**
   * Stops publishing. Resolves when all requests are answered. @throws BenchError when a publish has failed
   */
  finish = () => this.#ask({ kind: 'finish' }, 'finished')

  async #ask<K extends 'count' | 'finished'>(question: ToPublisher, kind: K) {
    await this.#ready
    const answer = await this.#program.ask(question, kind)
    this.#check()
    return answer
  }
}
