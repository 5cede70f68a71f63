import type { Database } from './database.ts'

const START = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
/** Number of days of the rows. */
export const DAYS = 4
export const timeOf = (day: number): number => START + day * DAY_MS

const EVENTS = 250_000
/** 100 webhooks, ten in each of ten workspaces, of which four get each event. */
const DELIVERIES = 4 * EVENTS

/** Days without rows. No table has statistics unless a test creates them. */
export async function makeDays({ partitions, client }: Database): Promise<void> {
  await partitions.ensure(Array.from({ length: DAYS }, (_, day) => timeOf(day)))
  const { rows } = await client.query<{ text: string }>(`
    SELECT format('ALTER TABLE %s SET (autovacuum_enabled = false)', oid::regclass) AS text
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`)
  for (const { text } of rows) await client.query(text)
}

/** A million deliveries: one in 100 is dead, one in 100 failed, one in 100 waits. There is a node, the first. */
export async function fill({ client }: Database): Promise<void> {
  await client.query(`
    INSERT INTO nodes (id, lease_until) VALUES (1, ${Number.MAX_SAFE_INTEGER});
    INSERT INTO workspaces (id, public_id, dialect, slug, name, created_at)
    SELECT i, 'ws' || i, 'toy', 'ws' || i, '', 0 FROM generate_series(1, 10) i;
    INSERT INTO webhooks (id, public_id, workspace_id, url, event_types, description, status, created_by_type,
      created_by_public_id, created_at, updated_at, version)
    SELECT i, 'wh' || i, 1 + i % 10, '', '[]', '', 'on', 'key', '', 0, 0, 1 FROM generate_series(1, 100) i;
    INSERT INTO events (id, workspace_id, type, brought_id, body, created_at, xact)
    SELECT i, 1 + i % 10, 'type' || i % 5, CASE i % 5 WHEN 0 THEN 'evt' || i END, '{}',
      ${START} + i * ${DAYS * DAY_MS}::bigint / ${EVENTS + 1}, 1 + i / 100
    FROM generate_series(1, ${EVENTS}) i;
    INSERT INTO brought_ids (workspace_id, brought_id, event_id, created_at)
    SELECT workspace_id, brought_id, id, created_at FROM events WHERE brought_id IS NOT NULL;
    INSERT INTO deliveries (id, created_at, event_id, webhook_id, next_attempt_at, finished_at, attempts, run_start,
      status, trigger, ended_badly)
    SELECT i, ${START} + (1 + (i - 1) / 4) * ${DAYS * DAY_MS}::bigint / ${EVENTS + 1}, 1 + (i - 1) / 4, 1 + i % 100,
      CASE WHEN i / 4 % 100 = 0 THEN 1 END, CASE WHEN i / 4 % 100 = 0 THEN NULL ELSE 1 END, 1, 0,
      CASE i / 4 % 100 WHEN 0 THEN 'pending' WHEN 1 THEN 'dead' WHEN 2 THEN 'failed' ELSE 'delivered' END, 'schedule',
      CASE i / 4 % 100 WHEN 1 THEN 'dead' WHEN 2 THEN 'failed' END
    FROM generate_series(1, ${DELIVERIES}) i;
    INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
    SELECT webhook_id, next_attempt_at, id, created_at FROM deliveries WHERE status = 'pending';
    INSERT INTO attempts (delivery_id, created_at, number, trigger, started_at, duration_ms)
    SELECT id, created_at, 1, 'schedule', 1, 1 FROM deliveries WHERE ended_badly IS NOT NULL`)
}
