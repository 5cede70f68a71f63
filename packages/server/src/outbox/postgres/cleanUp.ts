import type pg from 'pg'
import { SLOT_SECONDS, SLOTS } from './layout.ts'
import type { Statements } from './statements.ts'

/** Of PostgreSQL: somebody else has a lock. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Empties partitions in which every row was published. It waits for nobody: a partition that a transaction still uses is
 * emptied another time.
 */
export async function emptyPartitions(client: pg.Client, sql: Statements): Promise<void> {
  const { rows } = await client.query<{ now_s: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 AS now_s',
  )
  const current = Math.floor(rows[0]!.now_s / SLOT_SECONDS) % SLOTS
  for (let slot = 0; slot < SLOTS; slot++) {
    const isInUse = slot === current || slot === (current + 1) % SLOTS
    if (!isInUse && (await isPublished(client, sql, slot))) await emptyPartition(client, sql, slot)
  }
}

async function isPublished(client: pg.Client, sql: Statements, slot: number): Promise<boolean> {
  const { rows } = await client.query<{ published: boolean | null }>(sql.lastWriter(slot))
  return rows[0]!.published === true
}

async function emptyPartition(client: pg.Client, sql: Statements, slot: number): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(sql.lockPartition(slot))
    // A transaction may have written to it since.
    if (await isPublished(client, sql, slot)) await client.query(sql.empty(slot))
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error
  }
}
