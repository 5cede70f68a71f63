import { createHash } from 'node:crypto'
import { type Connection, openConnection, openReadOnly } from '../sqlite/connection.ts'
import { databaseFile, refuseNoDatabase } from '../sqlite/dataDirectory.ts'
import { lockDirectory } from '../sqlite/directoryLock.ts'
import { openFailure } from '../sqlite/failures.ts'
import { missingMigrations } from '../sqlite/migrate.ts'
import {
  type KeyFacts,
  type Moved,
  markMoved,
  readKeyFacts,
  readMoved,
  refuseOtherThanStore,
} from '../sqlite/storeFacts.ts'
import { StoreOpenError } from '../storage.ts'
import { IDENTITY_TABLES, MOVED_TABLES, type MovedTable, type TableWithColumns } from './tables.ts'
import { TableWalk } from './walk.ts'

const sql = {
  counters: 'SELECT id_key, next_event_id, next_delivery_id, next_event_seq FROM store',
  sequences: 'SELECT name, seq FROM sqlite_sequence ORDER BY name',
  sizes: 'SELECT name, pgsize AS bytes FROM dbstat WHERE aggregate = TRUE',
}

interface CountersRow {
  readonly id_key: Buffer
  readonly next_event_id: number
  readonly next_delivery_id: number
  readonly next_event_seq: number
}

/** The counters with which a store continues. */
export interface Counters {
  readonly nextEventId: number
  readonly nextDeliveryId: number
  /** The last position in a feed that was assigned. */
  readonly lastSeq: number
  /** The largest id that each table ever had. */
  readonly largestIds: Readonly<Record<string, number>>
}

/** The embedded store as the source of a move. It is not written to during the move. */
export class MoveSource {
  readonly #db: Connection

  constructor(db: Connection) {
    this.#db = db
  }

  /** Whether the schema is that of this program. @throws StoreOpenError when it can never be */
  isUpToDate(): boolean {
    return missingMigrations(this.#db).length === 0
  }

  /** The key of public ids: it identifies the store. */
  get idKey(): Buffer {
    return this.#counters.id_key
  }

  /** Changes whenever the store is served: each node that serves it gets an id of its own. */
  get state(): Buffer {
    const { id_key, ...counters } = this.#counters
    const state = [id_key.toString('hex'), counters, this.#sequences()]
    return createHash('sha256').update(JSON.stringify(state)).digest()
  }

  get counters(): Counters {
    const { next_event_id, next_delivery_id, next_event_seq } = this.#counters
    const given = new Map(this.#sequences().map(({ name, seq }) => [name, seq]))
    const largestIds = IDENTITY_TABLES.map((name) => [name, given.get(name) ?? this.#largestId(name)])
    return {
      nextEventId: next_event_id,
      nextDeliveryId: next_delivery_id,
      lastSeq: next_event_seq - 1,
      largestIds: Object.fromEntries(largestIds) as Record<string, number>,
    }
  }

  keyFacts(): KeyFacts {
    return readKeyFacts(this.#db)
  }

  /** @returns where the store was moved to; `null` when it was not moved */
  get moved(): Moved | null {
    return readMoved(this.#db)
  }

  mark(moved: Moved): void {
    markMoved(this.#db, moved)
  }

  walk(table: TableWithColumns): TableWalk {
    return new TableWalk(this.#db, table)
  }

  /** @returns the columns of the table in PostgreSQL that the embedded store can fill */
  columnsOf({ name, from = name, sources = {} }: MovedTable): ReadonlySet<string> {
    const own = this.#db.prepare(`SELECT * FROM ${from}`).columns()
    return new Set([...own.map((column) => column.name), ...Object.keys(sources)])
  }

  /** @returns row counts by table */
  count(): ReadonlyMap<string, number> {
    return new Map(MOVED_TABLES.map((table) => [table.name, this.#rowsOf(table)]))
  }

  /** @returns bytes on disk by table */
  sizes(): ReadonlyMap<string, number> {
    const rows = this.#db.prepare<[], { name: string; bytes: number }>(sql.sizes).all()
    return new Map(rows.map(({ name, bytes }) => [name, bytes]))
  }

  #rowsOf(table: MovedTable): number {
    return this.#db
      .prepare<[], number>(`SELECT count(*) FROM ${table.from ?? table.name}`)
      .pluck()
      .get()!
  }

  #largestId(table: string): number {
    return this.#db.prepare<[], number>(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck().get()!
  }

  #sequences(): { readonly name: string; readonly seq: number }[] {
    return this.#db.prepare<[], { name: string; seq: number }>(sql.sequences).all()
  }

  get #counters(): CountersRow {
    return this.#db.prepare<[], CountersRow>(sql.counters).get()!
  }
}

export interface OpenedSource {
  readonly source: MoveSource
  close(): void
}

/**
 * Opens the embedded store and locks it until it is closed.
 * @param now Unix ms
 * @throws StoreOpenError with one line for the operator
 */
export function openMoveSource(dataDir: string, now: number): OpenedSource {
  return opening(dataDir, () => {
    const lock = lockDirectory(dataDir)
    try {
      const db = openConnection({ role: 'writer', dataDir, now, maxPages: null, create: false })
      const close = () => {
        db.close()
        lock.release()
      }
      return { source: new MoveSource(db), close }
    } catch (error) {
      lock.release()
      throw error
    }
  })
}

/** Opens the embedded store for reading, also while a service uses it. @throws StoreOpenError */
export function viewMoveSource(dataDir: string): OpenedSource {
  return opening(dataDir, () => {
    const db = openReadOnly(databaseFile(dataDir))
    try {
      refuseOtherThanStore(db, false)
      return { source: new MoveSource(db), close: () => db.close() }
    } catch (error) {
      db.close()
      throw error
    }
  })
}

function opening(dataDir: string, open: () => OpenedSource): OpenedSource {
  refuseNoDatabase(dataDir)
  try {
    return open()
  } catch (error) {
    throw new StoreOpenError(openFailure(dataDir, error))
  }
}
