import { checkTable, DEFAULT_TABLE, PURGE_ROWS, purgeTurns, type SqlStoreOptions } from './process/sql.ts'
import type { ProcessedStore } from './process/store.ts'

export type { SqlStoreOptions } from './process/sql.ts'
export type { ClaimedEvent, ClaimResult, ProcessedStore } from './process/store.ts'

/** A database of `better-sqlite3` or of node:sqlite. */
export interface SqliteDatabase {
  prepare(sql: string): {
    get(...values: (string | number)[]): unknown
    run(...values: (string | number)[]): unknown
  }
}

export interface SqliteStoreOptions extends SqlStoreOptions {
  /** The current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** The statements that make the table of {@link sqliteStore}. Needs SQLite 3.35 or later. */
export function sqliteTable(table: string = DEFAULT_TABLE): string {
  const [name, schema] = checkTable(table).split('.').reverse()
  const index = `${schema === undefined ? '' : `${schema}.`}${name}_expires_at`
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key TEXT PRIMARY KEY,
  -- The event that was handled last.
  version INTEGER,
  event TEXT,
  -- Who handles an event now, and until when. Times are milliseconds since 1970.
  token TEXT,
  claimed_until INTEGER,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ${index} ON ${name} (expires_at);
`
}

/** For all processes of one machine that share the file. Make the table with {@link sqliteTable} first. */
export function sqliteStore(
  database: SqliteDatabase,
  { table = DEFAULT_TABLE, now = Date.now }: SqliteStoreOptions = {},
): ProcessedStore {
  const { claim, done, complete, release, purge } = prepared(database, checkTable(table))
  const isPurgeTurn = purgeTurns()
  // better-sqlite3 returns undefined where there is no row, node:sqlite too.
  const has = (row: unknown) => row !== undefined && row !== null
  return {
    async claim({ key, version, event }, token, leaseMs) {
      const time = now()
      const until = time + leaseMs
      const isFree = has(claim.get(key, token, until, until, time, time, time, version, version, event, time))
      if (isFree) return 'claimed'
      return has(done.get(key, time, version, version, event)) ? 'done' : 'busy'
    },
    async complete({ key, version, event }, token, keepMs) {
      complete.run(version, event, now() + keepMs, key, token)
      if (isPurgeTurn()) purge.run(now(), PURGE_ROWS)
    },
    async release(key, token) {
      release.run(key, token)
    },
  }
}

// Numbered parameters are bound by name in better-sqlite3, so each value is given where it stands.
function prepared(database: SqliteDatabase, table: string) {
  const isDone = '(old.expires_at > ? AND (old.version > ? OR (old.version = ? AND old.event = ?)))'
  return {
    claim:
      database.prepare(`INSERT INTO ${table} AS old (key, token, claimed_until, expires_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE
      SET token = excluded.token, claimed_until = excluded.claimed_until,
          expires_at = max(old.expires_at, excluded.expires_at),
          version = CASE WHEN old.expires_at > ? THEN old.version END,
          event = CASE WHEN old.expires_at > ? THEN old.event END
      WHERE ${isDone} IS NOT TRUE
        AND (old.token IS NULL OR old.token = excluded.token OR old.claimed_until <= ?)
      RETURNING key`),
    done: database.prepare(`SELECT key FROM ${table} AS old WHERE key = ? AND ${isDone}`),
    complete: database.prepare(`UPDATE ${table}
      SET version = ?, event = ?, expires_at = ?, token = NULL, claimed_until = NULL WHERE key = ? AND token = ?`),
    release: database.prepare(
      `UPDATE ${table} SET token = NULL, claimed_until = NULL WHERE key = ? AND token = ?`,
    ),
    purge: database.prepare(`DELETE FROM ${table} WHERE key IN (
      SELECT key FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`),
  }
}
