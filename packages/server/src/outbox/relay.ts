import { randomUUID } from 'node:crypto'
import { SECOND_MS } from '../core/duration.ts'
import { Pause } from './pause.ts'
import { type SessionParams, SessionWork } from './sessionWork.ts'
import { type Outbox, OutboxUnavailableError, OutboxUnusableError, ShardsLostError } from './source.ts'

const OPEN_AGAIN_AFTER_MS = SECOND_MS

interface RelayParams extends Omit<SessionParams, 'session'> {
  readonly outbox: Outbox
}

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
  readonly #params: RelayParams
  readonly #pause: Pause
  #work: SessionWork | null = null
  #running: Promise<void> | null = null
  #stopping = false

  constructor(params: RelayParams) {
    this.#params = params
    this.#pause = new Pause(params.clock)
  }

  /** Where its outbox is, without credentials. */
  get place(): string {
    return this.#params.outbox.place
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
    const { outbox, ...params } = this.#params
    const name = `relay of the outbox ${outbox.place}`
    let wasOpen = false
    while (!this.#stopping) {
      try {
        const session = await outbox.open(this.#id)
        if (!wasOpen) opened?.()
        wasOpen = true
        this.#work = new SessionWork({ session, ...params })
        if (this.#stopping) this.#work.stop()
        await this.#work.run(() => params.failureLog.worked(name))
      } catch (error) {
        if (error instanceof ShardsLostError) continue
        if (!wasOpen && unusable !== undefined && error instanceof OutboxUnusableError) return unusable(error)
        params.failureLog.failed(name, reasonOrBug(error))
        params.observer.backlog(null)
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
