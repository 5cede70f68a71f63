import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import { BlockedWorkspaces } from './blocked.ts'
import type { RelayObserver } from './observer.ts'
import type { EventPublisher } from './publisher.ts'
import { PosthornUnavailableError, type Published, publishRows } from './publishing.ts'
import {
  type Batch,
  type HeldRow,
  KEEP_EVERY_MS,
  type Outbox,
  type OutboxRow,
  type OutboxSession,
} from './source.ts'

/** Workspaces that are published at once. */
const WORKSPACES_AT_ONCE = 4
/** Failed rows that a command sets to waiting are found within this time. */
const LOOK_FOR_WAITING_EVERY_MS = 2 * SECOND_MS
const COUNT_EVERY_MS = 5 * SECOND_MS
/** After Posthorn was unavailable, each time in a row twice as long. */
const SHORTEST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5 * SECOND_MS
const OPEN_AGAIN_AFTER_MS = SECOND_MS

/** Its name in the log. */
const PUBLISHING = 'publishing from an outbox'

/** A batch that was read, and the workspaces in it of which all rows were published or held. */
interface Pending {
  readonly batch: Batch
  readonly done: Set<string>
}

/**
 * Publishes what producers emit into an outbox. Every event is published at least once, and Posthorn knows repeats by their
 * ids. Events of one workspace are published in the order in which they were emitted.
 */
export class Relay {
  readonly #outbox: Outbox
  readonly #publisher: EventPublisher
  readonly #clock: Clock
  readonly #log: Logger
  readonly #failureLog: FailureLog
  readonly #observer: RelayObserver
  readonly #blocked: BlockedWorkspaces
  #session: OutboxSession | null = null
  #running: Promise<void> | null = null
  #stopping = false
  #endRest: (() => void) | null = null
  #pending: Pending | null = null
  #waitMs = 0
  /** In monotonic time. */
  #restsUntil = 0
  readonly #due = { keep: 0, waiting: 0, count: 0 }

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
    this.#blocked = new BlockedWorkspaces(params.clock)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Lets the batch under way finish, and gives back what the relay has of the outbox. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#session?.wake()
    this.#endRest?.()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#relayUntilLost()
      } catch (error) {
        this.#failureLog.failed(this.#name, error)
        this.#observer.backlog(null)
        await this.#rest(OPEN_AGAIN_AFTER_MS)
      }
    }
  }

  get #name(): string {
    return `relay of the outbox ${this.#outbox.place}`
  }

  async #relayUntilLost(): Promise<void> {
    const session = await this.#outbox.open()
    this.#session = session
    this.#blocked.clear()
    this.#pending = null
    Object.assign(this.#due, { keep: 0, waiting: 0, count: 0 })
    try {
      while (!this.#stopping) {
        await this.#look(session)
        this.#failureLog.worked(this.#name)
      }
    } finally {
      this.#session = null
      await session.close().catch(() => {})
    }
  }

  async #look(session: OutboxSession): Promise<void> {
    await this.#keep(session)
    const restMs = this.#restsUntil - this.#clock.monotonic()
    if (restMs > 0) return this.#rest(Math.min(restMs, KEEP_EVERY_MS))
    try {
      await this.#publishWaiting(session)
      this.#pending ??= { batch: await session.read(), done: new Set() }
      const { batch } = this.#pending
      if (batch.rows.length > 0) await this.#publish(session, this.#pending)
      session.passed(batch)
      this.#pending = null
      if (!batch.more) await session.wait()
    } catch (error) {
      if (!(error instanceof PosthornUnavailableError)) throw error
      this.#failureLog.failed(PUBLISHING, error)
      this.#observer.reachable(false)
      this.#waitMs = Math.min(Math.max(2 * this.#waitMs, SHORTEST_WAIT_MS), LONGEST_WAIT_MS)
      this.#restsUntil = this.#clock.monotonic() + (error.retryAfterMs ?? this.#waitMs)
    }
  }

  /** What is due now and then, also while Posthorn is unavailable. */
  async #keep(session: OutboxSession): Promise<void> {
    // Rows that wait are published before newer ones, so they must be known before anything is read.
    if (this.#isDue('keep', KEEP_EVERY_MS) && (await session.keep())) this.#due.waiting = 0
    if (this.#isDue('waiting', LOOK_FOR_WAITING_EVERY_MS))
      for (const workspace of await session.workspacesWaiting()) this.#blocked.hasWaiting(workspace)
    if (this.#isDue('count', COUNT_EVERY_MS)) {
      this.#observer.backlog(await session.backlog())
      this.#observer.blockedWorkspaces(this.#blocked.size)
    }
  }

  #isDue(what: 'keep' | 'waiting' | 'count', everyMs: number): boolean {
    const now = this.#clock.monotonic()
    if (now < this.#due[what]) return false
    this.#due[what] = now + everyMs
    return true
  }

  /** Publishes rows that were held, of workspaces that may be able to publish again. */
  async #publishWaiting(session: OutboxSession): Promise<void> {
    for (const workspace of this.#blocked.due()) {
      const rows = await session.waiting(workspace)
      if (rows.length === 0) {
        this.#blocked.unblock(workspace)
        continue
      }
      const result = await publishRows(this.#publisher, workspace, rows)
      this.#report(result)
      await session.hold(failedRows(result))
      await session.release(result.published)
      if (result.blocked === null) this.#blocked.worked(workspace)
      else this.#block(workspace, result.blocked)
    }
  }

  /** @throws PosthornUnavailableError (rejects) once the workspaces that were published are noted */
  async #publish(session: OutboxSession, pending: Pending): Promise<void> {
    const groups = [...byWorkspace(pending.batch.rows)].filter(([workspace]) => !pending.done.has(workspace))
    const held: HeldRow[] = []
    const finished: string[] = []
    const worker = async () => {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        held.push(...(await this.#publishGroup(...group)))
        finished.push(group[0])
      }
    }
    const outcomes = await Promise.allSettled(Array.from({ length: WORKSPACES_AT_ONCE }, worker))
    await session.hold(held)
    for (const workspace of finished) pending.done.add(workspace)
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  /** @returns rows to hold */
  async #publishGroup(workspace: string, rows: readonly OutboxRow[]): Promise<readonly HeldRow[]> {
    if (this.#blocked.has(workspace)) return this.#waiting(workspace, rows)
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

  #rest(ms: number): Promise<void> {
    if (this.#stopping) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, resolve)
      this.#endRest = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}

const failedRows = ({ rejected }: Published): HeldRow[] =>
  rejected.map(({ row, reason }) => ({ row, state: 'failed', reason }))

function byWorkspace(rows: readonly OutboxRow[]): ReadonlyMap<string, readonly OutboxRow[]> {
  const groups = new Map<string, OutboxRow[]>()
  for (const row of rows) {
    const group = groups.get(row.workspace)
    if (group === undefined) groups.set(row.workspace, [row])
    else group.push(row)
  }
  return groups
}
