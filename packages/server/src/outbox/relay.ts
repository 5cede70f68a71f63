import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import { BlockedWorkspaces } from './blocked.ts'
import { Lanes } from './lanes.ts'
import type { RelayObserver } from './observer.ts'
import { type EventPublisher, MOST_EVENTS } from './publisher.ts'
import { PosthornUnavailableError, type Published, publishRows } from './publishing.ts'
import { type HeldRow, KEEP_EVERY_MS, type Outbox, type OutboxRow, type OutboxSession } from './source.ts'

/** Workspaces that are published at once. */
const WORKSPACES_AT_ONCE = 16
/** Failed rows that a command sets to waiting are found within this time. */
const LOOK_FOR_WAITING_EVERY_MS = 2 * SECOND_MS
const COUNT_EVERY_MS = 5 * SECOND_MS
/** After Posthorn was unavailable, each time in a row twice as long. */
const SHORTEST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5 * SECOND_MS
const OPEN_AGAIN_AFTER_MS = SECOND_MS
/** While as much is read as may be, or Posthorn is unavailable, it looks this often whether there is room. */
const LOOK_AGAIN_MS = 5

/** Its name in the log. */
const PUBLISHING = 'publishing from an outbox'

/**
 * Publishes what producers emit into an outbox. Every event is published at least once, and Posthorn knows repeats by their
 * ids. Events of one workspace are published in the order in which they were emitted; workspaces do not wait for each other.
 */
export class Relay {
  readonly #outbox: Outbox
  readonly #publisher: EventPublisher
  readonly #clock: Clock
  readonly #log: Logger
  readonly #failureLog: FailureLog
  readonly #observer: RelayObserver
  #work: SessionWork | null = null
  #running: Promise<void> | null = null
  #stopping = false
  #endRest: (() => void) | null = null

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
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Lets publishes under way finish, and gives back what the relay has of the outbox. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#work?.stop()
    this.#endRest?.()
    await this.#running
  }

  async #run(): Promise<void> {
    const name = `relay of the outbox ${this.#outbox.place}`
    while (!this.#stopping) {
      try {
        const session = await this.#outbox.open()
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
        this.#failureLog.failed(name, error)
        this.#observer.backlog(null)
        await this.#rest()
      }
    }
  }

  #rest(): Promise<void> {
    if (this.#stopping) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = this.#clock.after(OPEN_AGAIN_AFTER_MS, resolve)
      this.#endRest = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}

/** What a relay does as long as it has one session. */
class SessionWork {
  readonly #session: OutboxSession
  readonly #publisher: EventPublisher
  readonly #clock: Clock
  readonly #log: Logger
  readonly #failureLog: FailureLog
  readonly #observer: RelayObserver
  readonly #lanes = new Lanes()
  readonly #blocked: BlockedWorkspaces
  /** By workspace: its rows are being published, or those that waited. */
  readonly #publishing = new Map<string, Promise<void>>()
  readonly #due = { keep: 0, waiting: 0, count: 0 }
  #failure: { readonly error: unknown } | null = null
  #stopping = false
  #waitMs = 0
  /** In monotonic time; until then Posthorn is taken for unavailable. */
  #restsUntil = 0

  constructor(params: {
    readonly session: OutboxSession
    readonly publisher: EventPublisher
    readonly clock: Clock
    readonly log: Logger
    readonly failureLog: FailureLog
    readonly observer: RelayObserver
  }) {
    this.#session = params.session
    this.#publisher = params.publisher
    this.#clock = params.clock
    this.#log = params.log
    this.#failureLog = params.failureLog
    this.#observer = params.observer
    this.#blocked = new BlockedWorkspaces(params.clock)
  }

  stop(): void {
    this.#stopping = true
    this.#session.wake()
  }

  /** Until it is stopped. @throws what ended the session (rejects) */
  async run(onWorked: () => void): Promise<void> {
    try {
      while (!this.#stopping) {
        await this.#look()
        if (this.#failure !== null) throw this.#failure.error
        onWorked()
      }
    } finally {
      this.#stopping = true
      await Promise.all(this.#publishing.values())
      await this.#session.close().catch(() => {})
    }
  }

  async #look(): Promise<void> {
    await this.#keep()
    const rests = this.#clock.monotonic() < this.#restsUntil
    if (rests || this.#lanes.isFull) return this.#pause()
    const batch = await this.#session.read()
    if (batch.rows.length > 0) this.#lanes.add(batch)
    // What lies before it must be passed first.
    else if (this.#lanes.isEmpty) this.#session.passed(batch)
    this.#publish()
    if (!batch.more) await this.#session.wait()
  }

  /** What is due now and then, also while Posthorn is unavailable. */
  async #keep(): Promise<void> {
    // Rows that wait are published before newer ones, so they must be known before anything is read.
    if (this.#isDue('keep', KEEP_EVERY_MS) && (await this.#session.keep())) this.#due.waiting = 0
    if (this.#isDue('waiting', LOOK_FOR_WAITING_EVERY_MS))
      for (const workspace of await this.#session.workspacesWaiting()) this.#blocked.hasWaiting(workspace)
    if (this.#isDue('count', COUNT_EVERY_MS)) {
      this.#observer.backlog(await this.#session.backlog())
      this.#observer.blockedWorkspaces(this.#blocked.size)
    }
  }

  #isDue(what: 'keep' | 'waiting' | 'count', everyMs: number): boolean {
    const now = this.#clock.monotonic()
    if (now < this.#due[what]) return false
    this.#due[what] = now + everyMs
    return true
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.after(LOOK_AGAIN_MS, resolve))
    this.#publish()
  }

  /** Begins to publish what can be. */
  #publish(): void {
    if (this.#stopping || this.#clock.monotonic() < this.#restsUntil) return
    // New rows of a workspace that waits are held first: they must not fill the memory that others need.
    for (const workspace of this.#lanes.idle()) this.#begin(workspace, () => this.#publishNew(workspace))
    for (const workspace of this.#blocked.due()) this.#begin(workspace, () => this.#publishWaiting(workspace))
  }

  #begin(workspace: string, work: () => Promise<void>): void {
    if (this.#publishing.size >= WORKSPACES_AT_ONCE || this.#publishing.has(workspace)) return
    this.#publishing.set(workspace, this.#tracked(workspace, work()))
  }

  async #tracked(workspace: string, work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (error instanceof PosthornUnavailableError) this.#unavailable(error)
      else this.#failure ??= { error }
    }
    this.#publishing.delete(workspace)
    this.#publish()
  }

  #unavailable(error: PosthornUnavailableError): void {
    this.#failureLog.failed(PUBLISHING, error)
    this.#observer.reachable(false)
    const now = this.#clock.monotonic()
    // Publishes of several workspaces fail together.
    if (now < this.#restsUntil) return
    this.#waitMs = Math.min(Math.max(2 * this.#waitMs, SHORTEST_WAIT_MS), LONGEST_WAIT_MS)
    this.#restsUntil = now + (error.retryAfterMs ?? this.#waitMs)
  }

  /** Publishes rows that were held, of a workspace that may be able to publish again. */
  async #publishWaiting(workspace: string): Promise<void> {
    const rows = await this.#session.waiting(workspace)
    if (rows.length === 0) {
      this.#blocked.unblock(workspace)
      return
    }
    const result = await publishRows(this.#publisher, workspace, rows)
    this.#report(result)
    await this.#session.hold(failedRows(result))
    await this.#session.release(result.published)
    if (result.blocked === null) this.#blocked.worked(workspace)
    else this.#block(workspace, result.blocked)
  }

  /** Publishes or holds the next rows of a workspace. */
  async #publishNew(workspace: string): Promise<void> {
    const rows = this.#lanes.take(workspace, MOST_EVENTS)
    let held: readonly HeldRow[]
    try {
      held = this.#blocked.has(workspace)
        ? this.#waiting(workspace, rows)
        : await this.#publishRows(workspace, rows)
      await this.#session.hold(held)
    } catch (error) {
      this.#lanes.putBack(workspace)
      throw error
    }
    for (const batch of this.#lanes.finish(workspace, rows.length)) this.#session.passed(batch)
  }

  /** @returns rows to hold */
  async #publishRows(workspace: string, rows: readonly OutboxRow[]): Promise<readonly HeldRow[]> {
    const result = await publishRows(this.#publisher, workspace, rows)
    this.#report(result)
    if (result.blocked !== null) this.#block(workspace, result.blocked)
    return [...failedRows(result), ...this.#waiting(workspace, result.rest)]
  }

  #waiting(workspace: string, rows: readonly OutboxRow[]): HeldRow[] {
    if (rows.length > 0) this.#observer.held(rows.length)
    const reason = this.#blocked.reasonOf(workspace)
    return rows.map((row) => ({ row, state: 'waiting', reason }))
  }

  #block(workspace: string, { reason, retryAfterMs }: NonNullable<Published['blocked']>): void {
    if (this.#blocked.block(workspace, reason, retryAfterMs))
      this.#log.warn({ workspace, reason }, 'outbox: the events of a workspace wait')
  }

  #report({ published, rejected }: Published): void {
    this.#waitMs = 0
    this.#failureLog.worked(PUBLISHING)
    this.#observer.reachable(true)
    const now = this.#clock.now()
    if (published.length > 0) this.#observer.published(published.map(({ emittedAt }) => now - emittedAt))
    if (rejected.length === 0) return
    this.#observer.rejected(rejected.length)
    const [first] = rejected
    const fields = { workspace: first!.row.workspace, count: rejected.length, reason: first!.reason }
    this.#log.warn(fields, 'outbox: events were rejected and set aside, see `posthorn outbox failed`')
  }
}

const failedRows = ({ rejected }: Published): HeldRow[] =>
  rejected.map(({ row, reason }) => ({ row, state: 'failed', reason }))
