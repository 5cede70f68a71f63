import { StoreOpenError } from '../storage.ts'
import type { Connection } from './connection.ts'

const sql = {
  known: `SELECT 1 FROM sqlite_schema WHERE name = 'moved'`,
  read: 'SELECT place, at FROM moved',
  mark: 'INSERT INTO moved (id, place, at) VALUES (1, ?, ?) ON CONFLICT DO NOTHING',
}

export interface Moved {
  /** The database it went to, for people; without a password. */
  readonly place: string
  /** Unix ms. */
  readonly at: number
}

/** @returns where the store went; `null` when it is still here, or older than moves are */
export function readMoved(db: Connection): Moved | null {
  if (db.prepare(sql.known).get() === undefined) return null
  return db.prepare<[], Moved>(sql.read).get() ?? null
}

/** From here on nobody serves the store; see {@link refuseMoved}. */
export function markMoved(db: Connection, { place, at }: Moved): void {
  db.prepare<[string, number]>(sql.mark).run(place, at)
}

/** @throws StoreOpenError when the store went elsewhere: served here as well, it would send everything twice */
export function refuseMoved(db: Connection, dataDir: string): void {
  const moved = readMoved(db)
  if (moved !== null) throw new StoreOpenError(movedMessage(dataDir, moved))
}

export function movedMessage(dataDir: string, { place, at }: Moved): string {
  const day = new Date(at).toISOString().slice(0, 10)
  return `the store in ${dataDir} was moved to ${place} on ${day}: set POSTHORN_DATABASE_URL to serve it there`
}
