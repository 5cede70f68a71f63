import { checkTable, DEFAULT_TABLE, PURGE_ROWS, purgeTurns, type SqlStoreOptions } from './process/sql.ts'
import type { ProcessedStore } from './process/store.ts'

export type { SqlStoreOptions } from './process/sql.ts'
export type { ClaimedEvent, ClaimResult, ProcessedStore } from './process/store.ts'

/** A pool or a client of `pg`, or what has its `query`. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** The statements that make the table of {@link postgresStore}. */
export function postgresTable(table: string = DEFAULT_TABLE): string {
  const index = `${checkTable(table).replace('.', '_')}_expires_at`
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  -- The event that was handled last.
  version bigint,
  event text,
  -- Who handles an event now, and until when.
  token text,
  claimed_until timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${index.split('.').at(-1)} ON ${table} (expires_at);
`
}

/**
 * For any number of processes. Make the table with {@link postgresTable} first. Times are those of the database, so that clocks
 * of receivers do not matter.
 */
export function postgresStore(
  client: PostgresClient,
  { table = DEFAULT_TABLE }: SqlStoreOptions = {},
): ProcessedStore {
  const { claim, done, complete, release, purge } = statements(checkTable(table))
  const isPurgeTurn = purgeTurns()
  const has = async (text: string, values: unknown[]) => (await client.query(text, values)).rows.length > 0
  return {
    async claim({ key, version, event }, token, leaseMs) {
      if (await has(claim, [key, version, event, token, leaseMs])) return 'claimed'
      return (await has(done, [key, version, event])) ? 'done' : 'busy'
    },
    async complete({ key, version, event }, token, keepMs) {
      await client.query(complete, [key, version, event, token, keepMs])
      if (isPurgeTurn()) await client.query(purge, [PURGE_ROWS])
    },
    async release(key, token) {
      await client.query(release, [key, token])
    },
  }
}

function statements(table: string) {
  const ms = (parameter: string) =>
    `clock_timestamp() + ${parameter}::double precision * interval '1 millisecond'`
  const isDone = `(old.expires_at > clock_timestamp()
    AND (old.version > $2::bigint OR (old.version = $2::bigint AND old.event = $3::text)))`
  return {
    claim: `INSERT INTO ${table} AS old (key, token, claimed_until, expires_at)
      VALUES ($1, $4, ${ms('$5')}, ${ms('$5')})
      ON CONFLICT (key) DO UPDATE
      SET token = excluded.token, claimed_until = excluded.claimed_until,
          expires_at = GREATEST(old.expires_at, excluded.expires_at),
          version = CASE WHEN old.expires_at > clock_timestamp() THEN old.version END,
          event = CASE WHEN old.expires_at > clock_timestamp() THEN old.event END
      WHERE ${isDone} IS NOT TRUE
        AND (old.token IS NULL OR old.token = excluded.token OR old.claimed_until <= clock_timestamp())
      RETURNING key`,
    done: `SELECT key FROM ${table} AS old WHERE key = $1 AND ${isDone}`,
    complete: `UPDATE ${table} SET version = $2, event = $3, token = NULL, claimed_until = NULL, expires_at = ${ms('$5')}
      WHERE key = $1 AND token = $4`,
    release: `UPDATE ${table} SET token = NULL, claimed_until = NULL WHERE key = $1 AND token = $2`,
    purge: `DELETE FROM ${table} WHERE key IN (
      SELECT key FROM ${table} WHERE expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
  }
}
