import type Database from 'better-sqlite3'
import type { Clock } from '../../core/clock.ts'
import { BUSY_FOR_MS, BUSY_POLL_MS, BYTES_OF_EVENT, BYTES_PER_READ, WAITING_PER_READ } from '../limits.ts'
import {
  type Backlog,
  type Batch,
  type HeldRow,
  LEASE_MS,
  MOST_COUNTED,
  type OutboxRow,
  type OutboxSession,
  ShardsLostError,
} from '../source.ts'
import { whenFree } from './whenFree.ts'

/** Few, since reading takes time of the event loop. */
const ROWS_PER_READ = 500
const IDLE_POLL_MS = 50
/** Published rows are deleted in steps, between which others may write. */
const ROWS_PER_DELETE = 500

interface Row {
  readonly position: number
  readonly workspace: string
  readonly event: string | null
  readonly emitted_at: number
}

/** A relay's connection to an outbox in SQLite. One relay at a time works; others wait for its lease to end. */
export class SqliteSession implements OutboxSession {
  readonly #db: Database.Database
  readonly #clock: Clock
  readonly #relay: string
  #hasLease = false
  /** The last row that was read, the last up to which all were published or held, and the last of these that was deleted. */
  #readTo = 0
  #lastId = 0
  #deletedTo = 0
  #lastRowAt = Number.NEGATIVE_INFINITY
  #endWait: (() => void) | null = null
  readonly #statements

  /** @param db used by nobody else */
  constructor(db: Database.Database, clock: Clock, relay: string) {
    this.#db = db
    this.#relay = relay
    this.#clock = clock
    this.#statements = statementsOf(db)
  }

  async keep(): Promise<boolean> {
    await this.#deletePublished()
    const had = this.#hasLease
    const now = this.#clock.now()
    const { changes } = await this.#write(() =>
      this.#statements.lease.run({ relay: this.#relay, now, until: now + LEASE_MS }),
    )
    this.#hasLease = changes > 0
    if (had && !this.#hasLease) throw new ShardsLostError()
    if (!this.#hasLease || had) return false
    // The relay before may have stopped anywhere.
    this.#readTo = 0
    this.#lastId = 0
    this.#deletedTo = 0
    return true
  }

  read(): Promise<Batch> {
    return whenFree(this.#clock, () => this.#readNow())
  }

  #readNow(): Batch {
    if (!this.#hasLease) return { rows: [], more: false }
    const rows: OutboxRow[] = []
    let bytes = 0
    let isCut = false
    const found = this.#statements.read.iterate(this.#readTo, ROWS_PER_READ) as IterableIterator<Row>
    for (const row of found) {
      const size = Buffer.byteLength(row.event ?? '')
      isCut = rows.length > 0 && bytes + size > BYTES_PER_READ
      if (isCut) break
      bytes += size
      rows.push(toRow(row))
    }
    if (rows.length > 0) {
      this.#lastRowAt = this.#clock.monotonic()
      this.#readTo = Number(rows.at(-1)!.position)
    }
    return { rows, more: isCut || rows.length === ROWS_PER_READ }
  }

  passed({ rows }: Batch): void {
    if (rows.length > 0) this.#lastId = Math.max(this.#lastId, Number(rows.at(-1)!.position))
  }

  async hold(rows: readonly HeldRow[]): Promise<void> {
    if (rows.length === 0 || !this.#hasLease) return
    const now = this.#clock.now()
    await this.#write(() => {
      for (const { row, state, reason } of rows)
        this.#statements.hold.run({ ...row, position: Number(row.position), state, reason, now })
    })
  }

  async workspacesWaiting(): Promise<readonly string[]> {
    return whenFree(this.#clock, () => this.#statements.workspacesWaiting.pluck().all() as string[])
  }

  async waiting(workspace: string): Promise<readonly OutboxRow[]> {
    if (!this.#hasLease) return []
    const rows = await whenFree(this.#clock, () => this.#statements.waiting.all(workspace, WAITING_PER_READ))
    return (rows as Row[]).map(toRow)
  }

  async release(rows: readonly OutboxRow[]): Promise<void> {
    await this.#write(() => {
      for (const { position } of rows) this.#statements.release.run(Number(position))
    })
  }

  backlog(): Promise<Backlog> {
    return whenFree(this.#clock, () => this.#backlogNow())
  }

  #backlogNow(): Backlog {
    if (!this.#hasLease) return { waiting: 0, oldestMs: 0, failed: 0 }
    const count = (state: string) => this.#statements.count.pluck().get(state, MOST_COUNTED) as number
    const ahead = this.#statements.ahead.pluck().get(this.#lastId, MOST_COUNTED) as number
    const oldest = this.#statements.oldest.pluck().get(this.#lastId) as number | null
    return {
      waiting: Math.min(ahead + count('waiting'), MOST_COUNTED),
      oldestMs: oldest === null ? 0 : Math.max(0, this.#clock.now() - oldest),
      failed: count('failed'),
    }
  }

  wait(): Promise<void> {
    const isBusy = this.#clock.monotonic() - this.#lastRowAt < BUSY_FOR_MS
    return new Promise((resolve) => {
      const timer = this.#clock.after(isBusy ? BUSY_POLL_MS : IDLE_POLL_MS, resolve)
      this.#endWait = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  wake(): void {
    this.#endWait?.()
  }

  async close(): Promise<void> {
    try {
      await this.#deletePublished()
      await this.#write(() => this.#statements.leave.run(this.#relay))
    } finally {
      this.#db.close()
    }
  }

  /** Stops where another relay has taken over: what it reads must not go. */
  async #deletePublished(): Promise<void> {
    while (this.#hasLease && this.#deletedTo < this.#lastId) {
      const { changes } = await this.#write(() =>
        this.#statements.deletePublished.run({
          relay: this.#relay,
          now: this.#clock.now(),
          lastId: this.#lastId,
          most: ROWS_PER_DELETE,
        }),
      )
      if (changes < ROWS_PER_DELETE) this.#deletedTo = this.#lastId
    }
  }

  #write<T>(work: () => T): Promise<T> {
    return whenFree(this.#clock, () => this.#db.transaction(work).immediate())
  }
}

const toRow = ({ position, workspace, event, emitted_at }: Row): OutboxRow => ({
  position: String(position),
  shard: 0,
  workspace,
  event,
  emittedAt: emitted_at,
})

const statementsOf = (db: Database.Database) => ({
  lease: db.prepare(`
    INSERT INTO posthorn_outbox_lease (only_row, relay, leased_until) VALUES (1, :relay, :until)
    ON CONFLICT DO UPDATE SET relay = excluded.relay, leased_until = excluded.leased_until
      WHERE relay = excluded.relay OR leased_until < :now OR leased_until > :now + ${3 * LEASE_MS}`),
  leave: db.prepare('DELETE FROM posthorn_outbox_lease WHERE relay = ?'),
  read: db.prepare(`
    SELECT id AS position, workspace, emitted_at,
      CASE WHEN length(CAST(event AS BLOB)) <= ${BYTES_OF_EVENT} THEN event END AS event
    FROM posthorn_outbox WHERE id > ? ORDER BY id LIMIT ?`),
  deletePublished: db.prepare(`
    DELETE FROM posthorn_outbox WHERE id IN (SELECT id FROM posthorn_outbox WHERE id <= :lastId ORDER BY id LIMIT :most)
      AND EXISTS (SELECT 1 FROM posthorn_outbox_lease WHERE relay = :relay AND leased_until >= :now)`),
  hold: db.prepare(`
    INSERT INTO posthorn_outbox_held (source_id, workspace, event, event_id, emitted_at, state, reason, held_at)
    SELECT :position, :workspace, e.event, json_extract(e.event, '$.id'), :emittedAt, :state, :reason, :now
    FROM (SELECT coalesce(:event, (SELECT event FROM posthorn_outbox WHERE id = :position)) AS event) AS e
    WHERE e.event IS NOT NULL
    ON CONFLICT (source_id) DO UPDATE SET state = excluded.state, reason = excluded.reason, held_at = excluded.held_at
      WHERE state = 'waiting'`),
  workspacesWaiting: db.prepare(`
    WITH RECURSIVE w (workspace) AS (
      SELECT min(workspace) FROM posthorn_outbox_held WHERE state = 'waiting'
      UNION ALL
      SELECT (SELECT min(workspace) FROM posthorn_outbox_held WHERE state = 'waiting' AND workspace > w.workspace)
      FROM w WHERE w.workspace IS NOT NULL)
    SELECT workspace FROM w WHERE workspace IS NOT NULL`),
  waiting: db.prepare(`
    SELECT source_id AS position, workspace, emitted_at,
      CASE WHEN length(CAST(event AS BLOB)) <= ${BYTES_OF_EVENT} THEN event END AS event
    FROM posthorn_outbox_held
    WHERE state = 'waiting' AND workspace = ? ORDER BY position LIMIT ?`),
  release: db.prepare("DELETE FROM posthorn_outbox_held WHERE source_id = ? AND state = 'waiting'"),
  count: db.prepare('SELECT count(*) FROM (SELECT 1 FROM posthorn_outbox_held WHERE state = ? LIMIT ?)'),
  ahead: db.prepare('SELECT count(*) FROM (SELECT 1 FROM posthorn_outbox WHERE id > ? LIMIT ?)'),
  oldest: db.prepare(`
    SELECT min(emitted_at) FROM (
      SELECT * FROM (SELECT emitted_at FROM posthorn_outbox WHERE id > ? ORDER BY id LIMIT 1)
      UNION ALL
      SELECT * FROM (SELECT emitted_at FROM posthorn_outbox_held WHERE state = 'waiting' ORDER BY position LIMIT 1))`),
})
