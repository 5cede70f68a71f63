import { type PendingCounts, PendingEventCounts } from '../../queries/statsRollup.ts'
import type { EventToStore } from '../../storage.ts'
import type { Tx } from '../transaction.ts'
import { booleans, numbers, packBytes, packTexts, texts } from '../values.ts'
import type { Wanted } from './newEvents.ts'

export const publishSql = {
  /**
   * Stores events and their deliveries, unless the sets of webhooks that they were matched with have changed. `made` is read by
   * four statements and evaluated once. Deliveries that the node may take are inserted with their lease, the others wait. Ids
   * of publishers are processed in order, so that two publishes of the same ids do not deadlock.
   */
  store: `
    WITH expected AS (
      SELECT coalesce(bool_and(s.webhooks_version IS NOT DISTINCT FROM x.version), true) AS fresh
      FROM unnest($1::bigint[], $2::bigint[]) AS x (id, version) LEFT JOIN workspaces s ON s.id = x.id),
    node AS (SELECT EXISTS (SELECT 1 FROM nodes WHERE id = $3 AND lease_until > now_ms()) AS lives),
    stored AS (
      INSERT INTO events (id, workspace_id, type, brought_id, fingerprint, body, created_at, traceparent, xact)
      SELECT id, workspace_id, type, brought_id, substring($9::bytea FROM mark_at FOR mark_length),
        convert_from(substring($12::bytea FROM body_at FOR body_length), 'UTF8'), created_at,
        traceparent, pg_current_xact_id()::text::bigint + (SELECT xact_offset FROM store)
      FROM unnest($5::bigint[], $6::bigint[], $7::text[], $8::text[], $10::int[], $11::int[], $13::int[], $14::int[],
        $15::bigint[], $26::text[])
        AS e (id, workspace_id, type, brought_id, mark_at, mark_length, body_at, body_length, created_at, traceparent)
      WHERE (SELECT fresh FROM expected)),
    brought AS (
      INSERT INTO brought_ids (workspace_id, brought_id, event_id, fingerprint, created_at)
      SELECT workspace_id, brought_id, id, substring($9::bytea FROM mark_at FOR mark_length), created_at
      FROM unnest($5::bigint[], $6::bigint[], $8::text[], $10::int[], $11::int[], $15::bigint[])
        AS e (id, workspace_id, brought_id, mark_at, mark_length, created_at)
      WHERE brought_id IS NOT NULL AND (SELECT fresh FROM expected)
      ORDER BY workspace_id, brought_id),
    listed AS (
      INSERT INTO recent_events (workspace_id, type, created_at, event_id)
      SELECT * FROM unnest($20::bigint[], $21::text[], $22::bigint[], $23::bigint[])
      WHERE (SELECT fresh FROM expected)
      ON CONFLICT DO NOTHING),
    counted AS (
      INSERT INTO pending_counts (at, scope, data)
      SELECT at, 'workspace', data FROM unnest($24::bigint[], $25::text[]) AS c (at, data)
      WHERE (SELECT fresh FROM expected)),
    made AS MATERIALIZED (
      SELECT nextval('delivery_ids') AS id, d.event_id, d.webhook_id, d.created_at, d.n,
        d.wanted AND (SELECT lives FROM node) AS leased
      FROM unnest($16::bigint[], $17::bigint[], $18::bigint[], $19::boolean[]) WITH ORDINALITY
        AS d (event_id, webhook_id, created_at, wanted, n)
      WHERE (SELECT fresh FROM expected)),
    delivery AS (
      INSERT INTO deliveries (id, created_at, event_id, webhook_id, next_attempt_at, lease, attempts, run_start,
        status, trigger)
      SELECT id, created_at, event_id, webhook_id, created_at, CASE WHEN leased THEN $4::bigint END, 0, 0, 'pending',
        'schedule'
      FROM made),
    waits AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, created_at, id, created_at FROM made WHERE NOT leased),
    lease AS (
      INSERT INTO leases (id, node_id, first_id, last_id, from_time, to_time, open)
      SELECT $4, $3, min(id), max(id), min(created_at), max(created_at), count(*) FROM made WHERE leased
      HAVING count(*) > 0)
    SELECT (SELECT fresh FROM expected) AS fresh, (SELECT lives FROM node) AS lives,
      (SELECT array_agg(id ORDER BY n) FROM made) AS ids`,
}

/** The parameters of {@link publishSql.store}. */
export interface ToStore {
  readonly nodeId: number
  readonly lease: number
  readonly workspaces: ReadonlySet<number>
  /** The known versions of the sets of webhooks of the workspaces. */
  readonly versions: readonly (number | null)[]
  readonly events: readonly EventToStore[]
  readonly wanted: readonly Wanted[]
  /** The events to add to the lists of the newest of their types. */
  readonly listed: readonly EventToStore[]
}

/** The result. */
export interface Stored {
  readonly fresh: boolean
  readonly lives: boolean
  readonly ids: readonly number[] | null
}

/** Sent before this returns, so that later statements follow it. */
export async function storeRows(tx: Tx, rows: ToStore): Promise<Stored> {
  return (await tx.row<Stored>(publishSql.store, valuesOf(rows)))!
}

/** Runs the statement of a publish without events: it fails, or waits for locks of tables, as a publish would. */
export async function storeNothing(tx: Tx): Promise<void> {
  const nothing = { nodeId: 0, lease: 0, workspaces: new Set<number>() }
  const none = { versions: [], events: [], wanted: [], listed: [] }
  await storeRows(tx, { ...nothing, ...none })
}

function valuesOf(rows: ToStore): readonly unknown[] {
  const { nodeId, lease, workspaces, versions, events, wanted, listed } = rows
  const bodies = packTexts(events.map((event) => event.body))
  const marks = packBytes(events.map((event) => event.fingerprint))
  const counts = pendingCountsOf(events)
  return [
    numbers(workspaces),
    numbers(versions),
    nodeId,
    lease,
    numbers(events.map((event) => event.id)),
    numbers(events.map((event) => event.workspaceId)),
    texts(events.map((event) => event.type)),
    texts(events.map((event) => event.broughtId)),
    marks.bytes,
    marks.offsets,
    marks.lengths,
    bodies.bytes,
    bodies.offsets,
    bodies.lengths,
    numbers(events.map((event) => event.createdAt)),
    numbers(wanted.map(({ of }) => of.event.id)),
    numbers(wanted.map(({ webhookId }) => webhookId)),
    numbers(wanted.map(({ of }) => of.event.createdAt)),
    booleans(wanted.map(({ leased }) => leased)),
    numbers(listed.map((event) => event.workspaceId)),
    texts(listed.map((event) => event.type)),
    numbers(listed.map((event) => event.createdAt)),
    numbers(listed.map((event) => event.id)),
    numbers(counts.map(({ at }) => at)),
    texts(counts.map(({ data }) => data)),
    texts(events.map((event) => event.traceparent)),
  ]
}

function pendingCountsOf(events: readonly EventToStore[]): readonly PendingCounts[] {
  const counts = new PendingEventCounts()
  for (const event of events) counts.add(event)
  return counts.byMinute()
}
