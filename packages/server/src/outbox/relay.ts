import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import type { RelayObserver } from './observer.ts'
import { Pause } from './pause.ts'
import type { EventPublisher } from './publisher.ts'
import { SessionWork } from './sessionWork.ts'
import { type Outbox, OutboxUnavailableError, OutboxUnusableError, ShardsLostError } from './source.ts'

const OPEN_AGAIN_AFTER_MS = SECOND_MS

interface FirstOpening {
  readonly opened?: () => void
  readonly unusable?: (error: OutboxUnusableError) => void
}

/**
 * Publishes what producers emit into an outbox. Every event is published at least once, and Posthorn knows repeats by their
 * ids. Events of one workspace are published in the order in which they were emitted; workspaces do not wait for each other.
 */
export class Relay {
  readonly #id = randomUUID()
  readonly #outbox: Outbox
  readonly #publisher: EventPublisher
  readonly #clock: Clock
  readonly #log: Logger
  readonly #failureLog: FailureLog
  readonly #observer: RelayObserver
  readonly #pause: Pause
  #work: SessionWork | null = null
  #running: Promise<void> | null = null
  #stopping = false

  constructor(params: {
    readonly outbox: Outbox
    readonly publisher: EventPublisher
    readonly clock: Clock
    readonly log: Logger
    readonly failureLog: FailureLog
    readonly observer: RelayObserver
  }) {
    this.#outbox = params.outbox
    this.#publisher = params.publisher
    this.#clock = params.clock
    this.#log = params.log
    this.#failureLog = params.failureLog
    this.#observer = params.observer
    this.#pause = new Pause(params.clock)
  }

  /** Where its outbox is, without credentials. */
  get place(): string {
    return this.#outbox.place
  }

  /**
   * @param on.opened called when the outbox was opened for the first time
   * @param on.unusable called instead if trying again does not help; the relay then ends. Without it, it tries again in any case.
   */
  start(on: FirstOpening = {}): void {
    this.#running ??= this.#run(on)
  }

  /** Lets publishes under way finish, and gives back what the relay has of the outbox. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#work?.stop()
    this.#pause.end()
    await this.#running
  }

  async #run({ opened, unusable }: FirstOpening): Promise<void> {
    const name = `relay of the outbox ${this.#outbox.place}`
    let wasOpen = false
    while (!this.#stopping) {
      try {
        const session = await this.#outbox.open(this.#id)
        if (!wasOpen) opened?.()
        wasOpen = true
        this.#work = new SessionWork({
          session,
          publisher: this.#publisher,
          clock: this.#clock,
          log: this.#log,
          failureLog: this.#failureLog,
          observer: this.#observer,
        })
        if (this.#stopping) this.#work.stop()
        await this.#work.run(() => this.#failureLog.worked(name))
      } catch (error) {
        if (error instanceof ShardsLostError) continue
        if (!wasOpen && unusable !== undefined && error instanceof OutboxUnusableError) return unusable(error)
        this.#failureLog.failed(name, reasonOrBug(error))
        this.#observer.backlog(null)
        if (!this.#stopping) await this.#pause.for(OPEN_AGAIN_AFTER_MS)
      }
    }
  }
}

/** Errors of a database say enough without their stack, and may quote rows, which must not be logged. */
const reasonOrBug = (error: unknown): unknown =>
  error instanceof OutboxUnavailableError ||
  (error instanceof Error && ('detail' in error || 'code' in error))
    ? error.message
    : error
