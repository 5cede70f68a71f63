import type Database from 'better-sqlite3'
import type { Clock } from '../../core/clock.ts'
import { BUSY_FOR_MS, BUSY_POLL_MS, BYTES_PER_READ, MOST_BLOCKED, WAITING_PER_READ } from '../limits.ts'
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
import { Places, shardOf } from './places.ts'
import { statementsOf } from './statements.ts'
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
  readonly #pause: Pause
  #hasLease = false
  #read = new Places()
  /** How far everything was published or held. */
  #passed = new Places()
  readonly #places = new WeakMap<Batch, number>()
  #deletedTo = 0
  #lastRowAt = Number.NEGATIVE_INFINITY
  readonly #statements

  /** @param db not used elsewhere */
  constructor(db: Database.Database, clock: Clock, relay: string) {
    this.#db = db
    this.#relay = relay
    this.#clock = clock
    this.#pause = new Pause(clock)
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
    this.#read = new Places()
    this.#passed = new Places()
    this.#deletedTo = 0
    return true
  }

  read(except: ReadonlySet<number>): Promise<Batch> {
    return whenFree(this.#clock, () => this.#readNow(except))
  }

  #readNow(except: ReadonlySet<number>): Batch {
    // What is left out may be read soon.
    if (except.size > 0) this.#lastRowAt = this.#clock.monotonic()
    const next = this.#hasLease ? this.#read.next(except) : null
    if (next === null) return { shards: [], rows: [], more: false }
    const { shards, after, to } = next
    const { rows, last, isCut } = this.#rowsOf(next)
    if (rows.length > 0) this.#lastRowAt = this.#clock.monotonic()
    const place = isCut ? last : (to ?? Math.max(after, last))
    this.#read.move(shards, place)
    const batch = { shards, rows, more: isCut || this.#read.areApart(except) }
    this.#places.set(batch, place)
    return batch
  }

  /** Looks at some rows, and takes those of the shards. */
  #rowsOf({ shards, after, to }: NonNullable<ReturnType<Places['next']>>) {
    const wanted = new Set(shards)
    const rows: OutboxRow[] = []
    let seen = 0
    let last = 0
    let bytes = 0
    const stretch = this.#statements.read.iterate(after, to ?? Number.MAX_SAFE_INTEGER, ROWS_PER_READ)
    for (const found of stretch as IterableIterator<Row>) {
      const row = toRow(found)
      if (wanted.has(row.shard)) {
        bytes += Buffer.byteLength(row.event ?? '')
        if (rows.length > 0 && bytes > BYTES_PER_READ) return { rows, last, isCut: true }
        rows.push(row)
      }
      seen += 1
      last = Number(row.position)
    }
    return { rows, last, isCut: seen === ROWS_PER_READ }
  }

  passed(batch: Batch): void {
    const place = this.#places.get(batch)
    if (place !== undefined) this.#passed.move(batch.shards, place)
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
    return whenFree(
      this.#clock,
      () => this.#statements.workspacesWaiting.pluck().all(MOST_BLOCKED) as string[],
    )
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

  async change(rows: readonly HeldRow[]): Promise<void> {
    if (rows.length === 0 || !this.#hasLease) return
    const now = this.#clock.now()
    await this.#write(() => {
      for (const { row, state, reason } of rows)
        this.#statements.change.run({ position: Number(row.position), state, reason, now })
    })
  }

  stored(): Promise<Stored> {
    return whenFree(this.#clock, () => {
      const [emitted, held] = [this.#statements.emitted.get(), this.#statements.held.get()] as Size[]
      return {
        emittedBytes: bytesOf(emitted!),
        heldBytes: bytesOf(held!),
        oldestMs: emitted!.oldest === null ? 0 : Math.max(0, this.#clock.now() - emitted!.oldest),
      }
    })
  }

  backlog(): Promise<Backlog> {
    return whenFree(this.#clock, () => this.#backlogNow())
  }

  #backlogNow(): Backlog {
    if (!this.#hasLease) return { pending: 0, oldestPendingMs: 0, waiting: 0, failed: 0 }
    const count = (state: string) => this.#statements.count.pluck().get(state, MOST_COUNTED) as number
    const ahead = this.#statements.ahead.pluck().get(this.#passed.first, MOST_COUNTED) as number
    const oldest = this.#statements.oldest.pluck().get(this.#passed.first) as number | null
    const waiting = count('waiting')
    return {
      pending: Math.min(ahead + waiting, MOST_COUNTED),
      waiting,
      oldestPendingMs: oldest === null ? 0 : Math.max(0, this.#clock.now() - oldest),
      failed: count('failed'),
    }
  }

  wait(): Promise<void> {
    const isBusy = this.#clock.monotonic() - this.#lastRowAt < BUSY_FOR_MS
    return this.#pause.for(isBusy ? BUSY_POLL_MS : IDLE_POLL_MS)
  }

  wake(): void {
    this.#pause.end()
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
    const lastId = this.#passed.first
    while (this.#hasLease && this.#deletedTo < lastId) {
      const { changes } = await this.#write(() =>
        this.#statements.deletePublished.run({
          relay: this.#relay,
          now: this.#clock.now(),
          lastId,
          most: ROWS_PER_DELETE,
        }),
      )
      if (changes < ROWS_PER_DELETE) this.#deletedTo = lastId
    }
  }

  #write<T>(work: () => T): Promise<T> {
    return whenFree(this.#clock, () => this.#db.transaction(work).immediate())
  }
}

interface Size {
  /** Of the first and the last row; `null`: there are none. */
  readonly first: number | null
  readonly last: number | null
  readonly oldest: number | null
  /** The average of the last rows. */
  readonly bytes: number | null
}

const bytesOf = ({ first, last, bytes }: Size): number =>
  first === null || last === null ? 0 : Math.round((last - first + 1) * (bytes ?? 0))

const toRow = ({ position, workspace, event, emitted_at }: Row): OutboxRow => ({
  position: String(position),
  shard: shardOf(workspace),
  workspace,
  event,
  emittedAt: emitted_at,
})
