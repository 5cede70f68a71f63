import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import {
  BUSY_FOR_MS,
  BUSY_POLL_MS,
  BYTES_OF_EVENT,
  BYTES_PER_READ,
  MOST_BLOCKED,
  WAITING_PER_READ,
} from '../limits.ts'
import { Pause } from '../pause.ts'
import {
  type Backlog,
  type Batch,
  type HeldRow,
  LEASE_MS,
  MOST_COUNTED,
  type OutboxRow,
  type OutboxSession,
  ShardsLostError,
  type Stored,
} from '../source.ts'
import { emptyPartitions, rewriteLeases } from './cleanUp.ts'
import { SHARDS } from './layout.ts'
import { type Cursor, Progress, type ReadResult } from './progress.ts'
import { columnsOf, cursorOf, nameOf, type ReadRow, type ShardRow, toRow } from './rows.ts'
import type { Statements } from './statements.ts'

const ROWS_PER_READ = 2_000
/** When idle, how often a relay looks, in case a notification is lost or another relay needs none. */
const IDLE_POLL_MS = 100
/** While idle it asks for notifications for this long at a time, so that producers stop sending them when the relay is dead. */
const NOTIFY_FOR_MS = 10 * SECOND_MS
const CLEAN_UP_EVERY_MS = 30 * SECOND_MS
/** Progress without rows need not be stored immediately: it only lets partitions be emptied. */
const STORE_EVERY_MS = 10 * SECOND_MS
const LEASE_S = LEASE_MS / SECOND_MS

/** A relay's connection to an outbox in PostgreSQL. */
export class PostgresSession implements OutboxSession {
  readonly #client: pg.Client
  readonly #sql: Statements
  readonly #clock: Clock
  readonly #relay: string
  /** Identifies the leases: statements of an earlier session of the relay must not count for this one. */
  readonly #id = randomUUID()
  readonly #pause: Pause
  /** How far it has read. */
  readonly #read = new Progress()
  /** How far everything was published or held. */
  readonly #progress = new Progress()
  readonly #results = new WeakMap<Batch, ReadResult>()
  #lastRowAt = Number.NEGATIVE_INFINITY
  #notifiedUntil = 0
  #cleanUpAt = 0
  #storeAt = 0
  #notified = false
  #hasLost = false

  /** @param client connected, and not used elsewhere */
  constructor(client: pg.Client, sql: Statements, clock: Clock, relay: string) {
    this.#client = client
    this.#relay = relay
    this.#sql = sql
    this.#clock = clock
    this.#pause = new Pause(clock)
    client.on('notification', () => {
      this.#notified = true
      this.wake()
    })
  }

  async start(): Promise<void> {
    await this.#query(this.#sql.join, [this.#relay, this.#id])
    await this.#query(this.#sql.listen)
  }

  async keep(): Promise<boolean> {
    const sql = this.#sql
    const now = this.#progress.shards
    const [renewed] = await this.#rows<{ shards: number }>(sql.renew, [this.#relay, this.#id])
    if (renewed === undefined || renewed.shards < now.length) throw this.#lost()
    if (this.#clock.monotonic() >= this.#storeAt) await this.#store()
    await this.#query(sql.endLeases, [LEASE_S])
    const [counted] = await this.#rows<{ relays: number }>(sql.relays)
    const share = Math.ceil(SHARDS / Math.max(counted!.relays, 1))
    // Another relay has started. Everything is released, so that earlier and later reads are not mixed up.
    if (now.length > share) throw this.#lost()
    const took = now.length < share && (await this.#claim(share - now.length))
    if (this.#clock.monotonic() >= this.#cleanUpAt) {
      this.#cleanUpAt = this.#clock.monotonic() + CLEAN_UP_EVERY_MS
      await emptyPartitions(this.#client, sql)
      await rewriteLeases(this.#client, sql)
    }
    return took
  }

  async read(except: ReadonlySet<number>): Promise<Batch> {
    const sql = this.#sql
    if (this.#read.shouldAlign) {
      const [[last], [now]] = await Promise.all([
        this.#rows<{ last_id: string }>(sql.lastId),
        this.#rows<{ snapshot: string; xid: string }>(sql.now),
      ])
      this.#read.align({ ...now!, id: last!.last_id })
    }
    // Rows that are left out may be read soon.
    if (except.size > 0) this.#lastRowAt = this.#clock.monotonic()
    const next = this.#read.next(except)
    if (next === null) return { shards: [], rows: [], more: false }
    const { shards, cursor } = next
    // Both are sent immediately, and answered in order: the order matters.
    const [[lastId], rows] = await Promise.all([
      this.#rows<{ last_id: string }>(sql.lastId),
      this.#rows<ReadRow>(sql.read, [
        shards,
        ...columnsOf(cursor.done),
        cursor.target?.snapshot ?? null,
        cursor.lastId,
        ROWS_PER_READ,
        BYTES_OF_EVENT,
        BYTES_PER_READ,
      ]),
    ])
    const found = rows.filter(({ id }) => id !== null)
    const last = found.at(-1)
    const isCut =
      last !== undefined && (last.is_mark || last.found >= ROWS_PER_READ || last.found > found.length)
    const result = {
      shards,
      target: cursor.target ?? { snapshot: rows[0]!.target, id: lastId!.last_id, xid: rows[0]!.xid },
      lastId: last?.id ?? null,
      more: isCut,
    }
    this.#read.passed(result)
    // There may be more after an old target.
    const more = cursor.target !== null || this.#read.hasTarget(except)
    const batch = { shards, rows: found.filter(({ is_mark }) => !is_mark).map(toRow), more }
    this.#results.set(batch, result)
    if (found.length > 0) this.#lastRowAt = this.#clock.monotonic()
    return batch
  }

  passed(batch: Batch): void {
    const result = this.#results.get(batch)
    if (result === undefined) return
    this.#progress.passed(result)
    if (batch.rows.length > 0) this.#storeAt = 0
  }

  async hold(rows: readonly HeldRow[]): Promise<void> {
    if (rows.length === 0) return
    const column = <T>(value: (held: HeldRow) => T) => rows.map(value)
    await this.#query(this.#sql.hold, [
      this.#id,
      column(({ row }) => row.position),
      column(({ row }) => row.shard),
      column(({ row }) => row.workspace),
      column(({ row }) => row.event),
      column(({ row }) => row.emittedAt),
      column(({ state }) => state),
      column(({ reason }) => reason),
    ])
  }

  async workspacesWaiting(): Promise<readonly string[]> {
    const rows = await this.#rows<{ workspace: string }>(
      `${this.#sql.workspacesWaiting} LIMIT ${MOST_BLOCKED}`,
      [this.#progress.shards],
    )
    return rows.map(({ workspace }) => workspace)
  }

  async waiting(workspace: string): Promise<readonly OutboxRow[]> {
    const values = [this.#progress.shards, workspace, WAITING_PER_READ, BYTES_OF_EVENT]
    return (await this.#rows<ReadRow>(this.#sql.waiting, values)).map(toRow)
  }

  async release(rows: readonly OutboxRow[]): Promise<void> {
    if (rows.length > 0) await this.#query(this.#sql.release, [rows.map(({ position }) => position)])
  }

  async change(rows: readonly HeldRow[]): Promise<void> {
    if (rows.length === 0) return
    const column = <T>(value: (held: HeldRow) => T) => rows.map(value)
    await this.#query(this.#sql.change, [
      this.#id,
      column(({ row }) => row.position),
      column(({ state }) => state),
      column(({ reason }) => reason),
    ])
  }

  async stored(): Promise<Stored> {
    const [row] = await this.#rows<{ emitted_bytes: number; held_bytes: number; oldest_ms: number | null }>(
      this.#sql.stored,
    )
    const { emitted_bytes, held_bytes, oldest_ms } = row!
    return { emittedBytes: emitted_bytes, heldBytes: held_bytes, oldestMs: Math.max(0, oldest_ms ?? 0) }
  }

  async backlog(): Promise<Backlog> {
    const shards = this.#progress.shards
    const parts = await Promise.all(
      this.#progress.groups.map(async ({ shards: ofGroup, cursor: { done, lastId } }) => {
        const values = [ofGroup, ...columnsOf(done), lastId, MOST_COUNTED]
        const [row] = await this.#rows<{ waiting: number; oldest_ms: number | null }>(this.#sql.ahead, values)
        return row!
      }),
    )
    const [held] = await this.#rows<{ waiting: number; failed: number; oldest_ms: number | null }>(
      this.#sql.held,
      [shards, MOST_COUNTED],
    )
    const all = [...parts, held!]
    return {
      pending: Math.min(
        all.reduce((sum, { waiting }) => sum + waiting, 0),
        MOST_COUNTED,
      ),
      oldestPendingMs: Math.max(0, ...all.map(({ oldest_ms }) => oldest_ms ?? 0)),
      waiting: held!.waiting,
      failed: held!.failed,
    }
  }

  async wait(): Promise<void> {
    const now = this.#clock.monotonic()
    const isBusy = now - this.#lastRowAt < BUSY_FOR_MS
    if (isBusy && this.#notifiedUntil > 0) await this.#notifyFor(0)
    if (!isBusy && this.#notifiedUntil < now + NOTIFY_FOR_MS / 2) {
      const wasSilent = this.#notifiedUntil === 0
      await this.#notifyFor(NOTIFY_FOR_MS)
      // Events from just before sent no notification.
      if (wasSilent) return
    }
    if (this.#notified) {
      this.#notified = false
      return
    }
    await this.#pause.for(isBusy ? BUSY_POLL_MS : IDLE_POLL_MS)
    this.#notified = false
  }

  wake(): void {
    this.#pause.end()
  }

  async close(): Promise<void> {
    try {
      await this.#store()
      await this.#query(this.#sql.releaseShards, [this.#id])
      // It polls again immediately: others must not take all rows in the meantime.
      if (!this.#hasLost) await this.#query(this.#sql.leave, [this.#relay, this.#id])
    } finally {
      await this.#client.end()
    }
  }

  #lost(): ShardsLostError {
    this.#hasLost = true
    return new ShardsLostError()
  }

  async #notifyFor(ms: number): Promise<void> {
    await this.#query(this.#sql.notifyFor, [ms])
    this.#notifiedUntil = ms === 0 ? 0 : this.#clock.monotonic() + ms
  }

  /** Stores its progress. @throws ShardsLostError when another relay took some over */
  async #store(): Promise<void> {
    const cursors = [...this.#progress.cursors()]
    if (cursors.length === 0) return
    this.#storeAt = this.#clock.monotonic() + STORE_EVERY_MS
    const column = <T>(value: (cursor: Cursor) => T) => cursors.map(([, cursor]) => value(cursor))
    const stored = await this.#rows<{ shard: number }>(this.#sql.store, [
      this.#id,
      cursors.map(([shard]) => shard),
      column(({ done }) => done.snapshot),
      column(({ done }) => done.id),
      column(({ done }) => done.xid),
      column(({ target }) => target?.snapshot ?? null),
      column(({ target }) => target?.id ?? null),
      column(({ target }) => target?.xid ?? null),
      column(({ lastId }) => lastId),
    ])
    if (stored.length < cursors.length) throw this.#lost()
  }

  /** @returns whether there were free ones */
  async #claim(most: number): Promise<boolean> {
    const rows = await this.#rows<ShardRow>(this.#sql.claim, [this.#id, most])
    for (const row of rows) {
      const cursor = cursorOf(row)
      for (const progress of [this.#read, this.#progress]) progress.take(row.shard, cursor)
    }
    return rows.length > 0
  }

  async #query(text: string, values: unknown[] = []): Promise<void> {
    await this.#rows(text, values)
  }

  async #rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#client.query<Row>({ name: nameOf(text), text, values })
    return rows
  }
}
