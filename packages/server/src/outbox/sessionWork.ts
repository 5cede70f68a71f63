import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import { BlockedWorkspaces } from './blocked.ts'
import { Lanes } from './lanes.ts'
import type { RelayObserver } from './observer.ts'
import { type EventPublisher, MOST_EVENTS } from './publisher.ts'
import { PosthornUnavailableError, type Published, publishRows, TOO_LARGE } from './publishing.ts'
import { type HeldRow, KEEP_EVERY_MS, type OutboxRow, type OutboxSession } from './source.ts'

/** Workspaces that are published at once. */
const WORKSPACES_AT_ONCE = 16
/** More of those whose rows waited, so that busy ones leave them a turn. */
const WAITING_AT_ONCE = 4
/** After so many failures in a row, while others publish, it is the workspace that is unavailable. */
const FAILURES_OF_ONE = 5
/** A stop waits this long for publishes under way; they are repeated otherwise. */
const STOP_WITHIN_MS = 10 * SECOND_MS
/** Failed rows that a command sets to waiting are found within this time. */
const LOOK_FOR_WAITING_EVERY_MS = 2 * SECOND_MS
const COUNT_EVERY_MS = 5 * SECOND_MS
/** After Posthorn was unavailable, each time in a row twice as long. */
const SHORTEST_WAIT_MS = 100
/** Whatever Posthorn asks for. */
const SHORTEST_REST_MS = 20
const LONGEST_WAIT_MS = 5 * SECOND_MS
/** How often the relay checks for room while it has read all that it may, or Posthorn is unavailable. */
const LOOK_AGAIN_MS = 5

/** Their names in the log. */
const PUBLISHING = 'publishing from an outbox'
const READING = 'reading an outbox'

export interface SessionParams {
  readonly session: OutboxSession
  readonly publisher: EventPublisher
  readonly clock: Clock
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly observer: RelayObserver
}

/** What a relay does as long as it has one session. */
export class SessionWork {
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
  /** By workspace: publishes that failed in a row, and what {@link #publishes} was when the first did. */
  readonly #failing = new Map<string, { failures: number; readonly since: number }>()
  /** Publishes that Posthorn answered. */
  #publishes = 0
  #failure: { readonly error: unknown } | null = null
  #stopping = false
  #waitMs = 0
  /** In monotonic time; until then Posthorn is taken for unavailable. */
  #restsUntil = 0

  constructor(params: SessionParams) {
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

  /** Runs until it is stopped. Rejects with what ended the session. */
  async run(onWorked: () => void): Promise<void> {
    try {
      while (!this.#stopping) {
        await this.#look()
        if (this.#failure !== null) throw this.#failure.error
        onWorked()
      }
    } finally {
      this.#stopping = true
      await this.#inTime(Promise.all(this.#publishing.values()))
      await this.#session.close().catch(() => {})
    }
  }

  async #inTime(work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#clock.after(STOP_WITHIN_MS, resolve)
      const done = () => {
        timer.cancel()
        resolve()
      }
      work.then(done, done)
    })
  }

  async #look(): Promise<void> {
    await this.#keep()
    const rests = this.#clock.monotonic() < this.#restsUntil
    const isFull = this.#lanes.isFull || this.#hasTooManyBlocked()
    if (rests || isFull) return this.#pause()
    const batch = await this.#session.read(this.#lanes.fullShards)
    for (const passed of this.#lanes.add(batch)) this.#session.passed(passed)
    this.#publish()
    // Otherwise a loop of reads would leave others in this process no turn.
    if (batch.more) await new Promise(setImmediate)
    else await this.#session.wait()
  }

  #hasTooManyBlocked(): boolean {
    if (this.#blocked.isFull)
      this.#failureLog.failed(
        READING,
        `${this.#blocked.size} workspaces are blocked, so no more events are read. Correct the names of workspaces where the application emits events; see \`posthorn outbox waiting\``,
      )
    else this.#failureLog.worked(READING)
    return this.#blocked.isFull
  }

  /** What is due now and then, also while Posthorn is unavailable. */
  async #keep(): Promise<void> {
    // Rows that wait are published before newer ones, so they must be known before anything is read.
    if (this.#isDue('keep', KEEP_EVERY_MS) && (await this.#session.keep())) this.#due.waiting = 0
    if (this.#isDue('waiting', LOOK_FOR_WAITING_EVERY_MS))
      for (const workspace of await this.#session.workspacesWaiting()) this.#blocked.markWaiting(workspace)
    if (this.#isDue('count', COUNT_EVERY_MS)) {
      // Counting may take too long where much waits; nothing depends on it.
      const backlog = await this.#session.backlog().catch(() => null)
      if (backlog !== null) this.#observer.backlog(backlog)
      const stored = await this.#session.stored().catch(() => null)
      if (stored !== null) this.#observer.stored(stored)
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
    for (const workspace of this.#lanes.idle())
      this.#begin(workspace, WORKSPACES_AT_ONCE, () => this.#publishNew(workspace))
    for (const workspace of this.#blocked.due())
      this.#begin(workspace, WORKSPACES_AT_ONCE + WAITING_AT_ONCE, () => this.#publishWaiting(workspace))
  }

  #begin(workspace: string, most: number, work: () => Promise<void>): void {
    if (this.#publishing.size >= most || this.#publishing.has(workspace)) return
    this.#publishing.set(workspace, this.#tracked(workspace, work()))
  }

  async #tracked(workspace: string, work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (error instanceof PosthornUnavailableError) this.#unavailable(workspace, error)
      else this.#failure ??= { error }
    }
    this.#publishing.delete(workspace)
    this.#publish()
  }

  #unavailable(workspace: string, error: PosthornUnavailableError): void {
    const failing = this.#failing.get(workspace) ?? { failures: 0, since: this.#publishes }
    failing.failures += 1
    this.#failing.set(workspace, failing)
    if (failing.failures >= FAILURES_OF_ONE && this.#publishes > failing.since) {
      this.#failing.delete(workspace)
      this.#block(workspace, { reason: error.message, retryAfterMs: error.retryAfterMs })
      return
    }
    this.#failureLog.failed(PUBLISHING, error.message)
    this.#observer.reachable(false)
    const now = this.#clock.monotonic()
    // Publishes of several workspaces fail together.
    if (now < this.#restsUntil) return
    this.#waitMs = Math.min(Math.max(2 * this.#waitMs, SHORTEST_WAIT_MS), LONGEST_WAIT_MS)
    this.#restsUntil = now + Math.max(error.retryAfterMs ?? this.#waitMs, SHORTEST_REST_MS)
  }

  /** Publishes rows that were held, of a workspace that may be able to publish again. */
  async #publishWaiting(workspace: string): Promise<void> {
    const rows = await this.#session.waiting(workspace)
    if (rows.length === 0) {
      this.#blocked.unblock(workspace)
      this.#log.info({ workspace }, 'outbox: workspace unblocked, its events are published')
      return
    }
    const result = await publishRows(this.#publisher, workspace, rows)
    this.#report(workspace, result)
    await this.#session.change(failedRows(result))
    await this.#session.release(result.published)
    if (result.blocked === null) return this.#blocked.resetBackoff(workspace)
    this.#block(workspace, result.blocked)
    // Operators are shown the reason of the row that is published next.
    const { reason } = result.blocked
    await this.#session.change(result.rest.slice(0, 1).map((row) => ({ row, state: 'waiting', reason })))
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
    this.#report(workspace, result)
    if (result.blocked !== null) this.#block(workspace, result.blocked)
    return [...failedRows(result), ...this.#waiting(workspace, result.rest)]
  }

  #waiting(workspace: string, rows: readonly OutboxRow[]): HeldRow[] {
    if (rows.length > 0) this.#observer.held('waiting', rows.length)
    const reason = this.#blocked.reasonOf(workspace)
    // One that is too large never becomes smaller.
    return rows.map((row) =>
      row.event === null ? { row, state: 'failed', reason: TOO_LARGE } : { row, state: 'waiting', reason },
    )
  }

  #block(workspace: string, { reason, retryAfterMs }: NonNullable<Published['blocked']>): void {
    if (this.#blocked.block(workspace, reason, retryAfterMs))
      this.#log.warn(
        { workspace, reason },
        'outbox: workspace blocked, its events wait, see `posthorn outbox waiting`',
      )
  }

  #report(workspace: string, { published, rejected }: Published): void {
    this.#waitMs = 0
    this.#publishes += 1
    this.#failing.delete(workspace)
    this.#failureLog.worked(PUBLISHING)
    this.#observer.reachable(true)
    const now = this.#clock.now()
    if (published.length > 0) this.#observer.published(published.map(({ emittedAt }) => now - emittedAt))
    if (rejected.length === 0) return
    this.#observer.held('failed', rejected.length)
    const [first] = rejected
    const fields = { workspace: first!.row.workspace, count: rejected.length, reason: first!.reason }
    this.#log.warn(fields, 'outbox: events failed because they were rejected, see `posthorn outbox failed`')
  }
}

const failedRows = ({ rejected }: Published): HeldRow[] =>
  rejected.map(({ row, reason }) => ({ row, state: 'failed', reason }))
