import { existsSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../../core/clock.ts'
import {
  type FailedRow,
  type FailedSelection,
  MOST_LISTED_COUNTED,
  MOST_WORKSPACES_LISTED,
  type Outbox,
  type OutboxSession,
  OutboxUnusableError,
  type WaitingWorkspace,
} from '../source.ts'
import { SqliteSession } from './session.ts'
import { WORKSPACES_WAITING } from './statements.ts'
import { whenFree } from './whenFree.ts'

const SELECTED = `state = 'failed' AND (:workspace IS NULL OR workspace = :workspace)
  AND (:ids IS NULL OR event_id IN (SELECT value FROM json_each(:ids)))`

const WAITING = "FROM posthorn_outbox_held WHERE state = 'waiting' AND workspace = ?"
/** Waiting rows are dropped in steps, between which others may write. */
const ROWS_PER_DROP = 5_000

/** The outbox in a producer's SQLite database. */
export class SqliteOutbox implements Outbox {
  readonly #file: string
  readonly #clock: Clock

  constructor(params: { readonly file: string; readonly clock: Clock }) {
    this.#file = path.resolve(params.file)
    this.#clock = params.clock
  }

  get place(): string {
    return this.#file
  }

  async open(relay: string): Promise<OutboxSession> {
    const db = this.#open()
    try {
      return await whenFree(this.#clock, () => new SqliteSession(db, this.#clock, relay))
    } catch (error) {
      db.close()
      throw this.#explained(error)
    }
  }

  async failed(selection: FailedSelection, limit: number): Promise<readonly FailedRow[]> {
    return this.#once((db) => {
      const rows = db
        .prepare(
          `SELECT position, workspace, event, reason, emitted_at, held_at FROM posthorn_outbox_held
            WHERE ${SELECTED} ORDER BY position LIMIT :limit`,
        )
        .all({ ...named(selection), limit }) as {
        position: number
        workspace: string
        event: string
        reason: string
        emitted_at: number
        held_at: number
      }[]
      return rows.map(({ position, emitted_at, held_at, ...row }) => ({
        ...row,
        position: String(position),
        emittedAt: emitted_at,
        failedAt: held_at,
      }))
    })
  }

  retry(selection: FailedSelection): Promise<number> {
    return this.#change(
      `UPDATE posthorn_outbox_held SET state = 'waiting', reason = 'retried' WHERE ${SELECTED}`,
      selection,
    )
  }

  drop(selection: FailedSelection): Promise<number> {
    return this.#change(`DELETE FROM posthorn_outbox_held WHERE ${SELECTED}`, selection)
  }

  waiting(workspace: string | null): Promise<readonly WaitingWorkspace[]> {
    return this.#once((db) => {
      const names =
        workspace === null
          ? (db.prepare(WORKSPACES_WAITING).pluck().all(MOST_WORKSPACES_LISTED) as string[])
          : [workspace]
      const most = Math.floor(MOST_LISTED_COUNTED / Math.max(names.length, 1))
      const first = db.prepare(`SELECT emitted_at AS emittedAt, reason ${WAITING} ORDER BY position LIMIT 1`)
      const count = db.prepare(`SELECT count(*) FROM (SELECT 1 ${WAITING} LIMIT ?)`).pluck()
      return names.flatMap((name) => {
        const row = first.get(name) as { emittedAt: number; reason: string } | undefined
        if (row === undefined) return []
        const rows = count.get(name, most) as number
        return [{ workspace: name, rows, isMore: rows === most, ...row }]
      })
    })
  }

  async dropWaiting(workspace: string): Promise<number> {
    const last = await this.#once((db) =>
      db.prepare(`SELECT max(position) ${WAITING}`).pluck().get(workspace),
    )
    let count = 0
    for (;;) {
      const dropped = await this.#once(
        (db) =>
          db
            .prepare(
              `DELETE FROM posthorn_outbox_held WHERE position IN (
                SELECT position ${WAITING} AND position <= ? ORDER BY position LIMIT ${ROWS_PER_DROP})`,
            )
            .run(workspace, last).changes,
      )
      if (dropped === 0) return count
      count += dropped
    }
  }

  #change(sql: string, selection: FailedSelection): Promise<number> {
    return this.#once((db) => db.prepare(sql).run(named(selection)).changes)
  }

  async #once<T>(work: (db: Database.Database) => T): Promise<T> {
    const db = this.#open()
    try {
      return await whenFree(this.#clock, () => work(db))
    } catch (error) {
      throw this.#explained(error)
    } finally {
      db.close()
    }
  }

  #open(): Database.Database {
    if (!existsSync(this.#file))
      throw new OutboxUnusableError(`${this.#file} does not exist: check the path after sqlite:`)
    try {
      const db = new Database(this.#file, { fileMustExist: true, timeout: 0 })
      // What a power cut undoes of the relay's own work is done again, and with a WAL this cannot break the file.
      if (db.pragma('journal_mode', { simple: true }) === 'wal') db.pragma('synchronous = NORMAL')
      return db
    } catch (error) {
      throw this.#explained(error)
    }
  }

  #explained(error: unknown): unknown {
    const { message, code } = error as { readonly message: string; readonly code?: string }
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CANTOPEN' || code === 'SQLITE_CANTOPEN_ISDIR')
      return new OutboxUnusableError(`${this.#file} cannot be opened as a SQLite database: ${message}`)
    if (message.includes('no such table'))
      return new OutboxUnusableError(
        `${this.#file} has no outbox: run the output of \`posthorn outbox sql --for sqlite\` there`,
      )
    return error
  }
}

const named = ({ workspace, ids }: FailedSelection) => ({
  workspace,
  ids: ids === null ? null : JSON.stringify(ids),
})
