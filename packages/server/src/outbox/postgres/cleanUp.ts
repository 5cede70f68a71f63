import type pg from 'pg'
import { SLOT_SECONDS, SLOTS } from './layout.ts'
import type { Statements } from './statements.ts'

/** Empties partitions in which every row was published. It never waits for a lock: a partition in use is emptied later. */
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
  const { rows } = await client.query<{ published: boolean | null }>(sql.isPublished(slot))
  return rows[0]!.published === true
}

/** In one message: no other statement of the relay may run inside its transaction on this connection. */
async function emptyPartition(client: pg.Client, sql: Statements, slot: number): Promise<void> {
  await client.query(sql.emptyPartition(slot))
}

/** Keeps tables small that relays update every second. */
export async function rewriteLeases(client: pg.Client, sql: Statements): Promise<void> {
  for (const table of ['outbox_shard', 'outbox_relay'] as const) await client.query(sql.rewrite(table))
}
