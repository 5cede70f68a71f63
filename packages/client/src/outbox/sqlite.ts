import type { EventToEmit } from './event.ts'

export type { AnyEventToPublish, EventToEmit } from './event.ts'

/** A database of the package `better-sqlite3`, or of `node:sqlite`. */
export interface SqliteDatabase {
  prepare(sql: string): {
    run(...values: unknown[]): { readonly lastInsertRowid: number | bigint }
    get(...values: unknown[]): unknown
  }
}

/** Emits events within the transaction that the database is in. */
export interface SqliteOutbox<Event> {
  /** @returns the id of the event, also when it brings none */
  emit(workspace: string, event: Event): string
}

/** Emits events into a SQLite database that `posthorn outbox sql --for sqlite` set up. */
export function createOutbox<Event = EventToEmit>(database: SqliteDatabase): SqliteOutbox<Event> {
  const insert = database.prepare('INSERT INTO posthorn_outbox (workspace, event) VALUES (?, ?)')
  // A trigger gives the event its id, which RETURNING does not show.
  const idOf = database.prepare("SELECT json_extract(event, '$.id') AS id FROM posthorn_outbox WHERE id = ?")
  return {
    emit(workspace, event) {
      const { lastInsertRowid } = insert.run(workspace, JSON.stringify(event))
      return (idOf.get(lastInsertRowid) as { readonly id: string }).id
    },
  }
}
