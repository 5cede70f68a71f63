import type { DeliveryStatus } from '../../../core/delivery.ts'
import { counterOf, DELIVERY_COUNTER, FIRST_COUNTER, RESPONSE_COUNTER } from '../../../core/stats/counters.ts'
import { bucketSql, FINE, WIDE } from '../../../core/stats/histogram.ts'
import type { After } from '../../afterAttempt.ts'
import { FAILING_OR_WARNED } from '../../queries/health.ts'
import { PendingAttemptCounts } from '../../queries/statsRollup.ts'
import type { AttemptToRecord, DeliveryLease } from '../../storage.ts'
import type { Tx } from '../transaction.ts'
import { integers, numbers, packBytes, texts } from '../values.ts'

/** A result, and the resulting state of its delivery. */
export interface Settled {
  readonly result: AttemptToRecord
  readonly after: After
}

/** A condition on a whole statement; if it is not met, nothing changes. */
export interface Condition {
  /** A node whose own lease is valid. */
  readonly nodeId: number
  /** None of these leases belongs to another node. */
  readonly leases: readonly number[]
  /** Webhooks that have not been failing: a success does not change them. */
  readonly webhookIds: readonly number[]
}

/** The result of a statement that ends leases. */
export interface Ended {
  /** The deliveries that it changed. */
  readonly ids: readonly number[]
  /** The leases under which nothing is left. */
  readonly emptied: readonly number[]
}

/**
 * Follows a part of a statement, named `changed`, that has ended leases of deliveries. The deliveries are found by a list: with
 * a join, the planner might read the whole table, since it usually has few rows.
 */
export const closing = `
    counts AS MATERIALIZED (SELECT lease, count(*) AS count FROM changed GROUP BY lease),
    closed AS (
      UPDATE leases l SET open = l.open - (SELECT count FROM counts WHERE lease = l.id)
      WHERE l.id = ANY (ARRAY(SELECT lease FROM counts))
      RETURNING l.id, l.open)
    SELECT (SELECT array_agg(id) FROM changed) AS ids,
      (SELECT array_agg(id) FROM closed WHERE open = 0) AS emptied`

/**
 * Counts the rows that {@link successes} changed. The caller already counted all of them; rows are counted here only if some
 * were lost.
 */
const counting = `
    counted AS (
      INSERT INTO pending_counts (at, scope, data)
      SELECT $1, 'webhook', CASE WHEN number = cardinality($3::bigint[]) THEN $16 ELSE (
        SELECT string_agg(E'\\n' || webhook_id || ':,${counterOf('delivered')},${FIRST_COUNTER},'
          || ${RESPONSE_COUNTER} + ${bucketSql(FINE, 'duration_ms')} || ','
          || ${DELIVERY_COUNTER} + ${bucketSql(WIDE, '(started_at + duration_ms - created_at)')}, '')
        FROM changed) END
      FROM (SELECT count(*) AS number FROM changed) c WHERE number > 0),`

/**
 * The first attempt of most deliveries is their last, so it is stored in the delivery's own row.
 * @param condition if it is not met, no row changes @param counted the part that reports how many rows changed
 */
const successes = (condition: string, counted: string): string => `
    WITH met AS MATERIALIZED (SELECT ${condition} AS met),
    changed AS (
      UPDATE deliveries d SET status = 'delivered', ended_badly = NULL, attempts = 1, next_attempt_at = NULL, lease = NULL,
        finished_at = $1, first_webhook_version = r.webhook_version, first_started_at = r.started_at,
        first_duration_ms = r.duration_ms, first_status_code = r.status_code,
        first_content_type = r.content_type, first_body = substring($2::bytea FROM r.body_at FOR r.body_length)
      FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[], $9::int[],
        $10::text[], $11::int[], $12::int[]) AS r (id, created_at, lease, webhook_version, started_at, duration_ms,
        status_code, content_type, body_at, body_length)
      WHERE d.id = r.id AND d.created_at = r.created_at AND d.lease = r.lease AND d.attempts = 0
        AND (SELECT met FROM met)
      RETURNING d.id, r.lease, d.webhook_id, d.created_at, r.started_at, r.duration_ms),
    ${counted}
    ${closing},
      (SELECT met FROM met) AS met`

// Each changes a row only under the node's lease, and if no newer attempt was recorded. The time of each row leads to its day.
// Bounds over all times would do so sooner, but the planner might then start with all rows between them: without statistics it
// assumes that a day has few rows.
export const attemptSql = {
  /** Those that are leased to the node. */
  succeedAtOnce: successes('true', ''),
  /** The same, but none at all if a {@link Condition} is not met. */
  succeedIf: successes(
    `
      EXISTS (SELECT 1 FROM nodes WHERE id = $13 AND lease_until > now_ms())
      AND NOT EXISTS (SELECT 1 FROM leases WHERE id = ANY ($14::bigint[]) AND node_id <> $13)
      AND NOT EXISTS (SELECT 1 FROM webhooks WHERE id = ANY ($15::bigint[]) AND (${FAILING_OR_WARNED}))`,
    counting,
  ),
  /** The deliveries that are still leased to the node, locked until the transaction ends. */
  lock: `
    SELECT d.id, d.status, d.finished_at
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[]) AS r (id, created_at, lease, number)
    JOIN deliveries d ON d.id = r.id AND d.created_at = r.created_at AND d.lease = r.lease
      AND d.attempts = r.number - 1
    ORDER BY d.id FOR NO KEY UPDATE OF d`,
  record: `
    WITH changed AS (
      UPDATE deliveries d SET attempts = r.number, lease = NULL, status = r.status,
        ended_badly = CASE r.status WHEN 'pending' THEN 'retrying' WHEN 'delivered' THEN NULL ELSE r.status END,
        next_attempt_at = r.next_attempt_at, finished_at = r.finished_at
      FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::int[], $6::text[], $7::bigint[], $8::bigint[],
        $9::text[], $10::bigint[], $11::bigint[], $12::int[], $13::int[], $14::text[], $15::text[], $16::text[],
        $17::text[], $18::int[], $19::int[]) AS r (id, created_at, lease, number, status, next_attempt_at, finished_at,
        trigger, webhook_version, started_at, duration_ms, status_code, error_code, error_message, cause,
        content_type, body_at, body_length)
      WHERE d.id = r.id AND d.created_at = r.created_at AND d.lease = r.lease AND d.attempts = r.number - 1
      RETURNING d.webhook_id, r.*),
    logged AS (
      INSERT INTO attempts (delivery_id, created_at, number, trigger, webhook_version, started_at, duration_ms,
        status_code, error_code, error_message, cause, content_type, response_body)
      SELECT id, created_at, number, trigger, webhook_version, started_at, duration_ms, status_code,
        error_code, error_message, cause, content_type, substring($1::bytea FROM body_at FOR body_length)
      FROM changed),
    waits AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, next_attempt_at, id, created_at FROM changed WHERE status = 'pending'),
    ${closing}`,
}

const NOTHING: Ended = { ids: [], emptied: [] }

export async function succeedAtOnce(
  tx: Tx,
  results: readonly AttemptToRecord[],
  now: number,
): Promise<Ended> {
  if (results.length === 0) return NOTHING
  return ending(tx, attemptSql.succeedAtOnce, successValues(results, now))
}

/** Counts them as well. @returns `null`: the condition is not met, and nothing was changed */
export async function succeedIf(
  tx: Tx,
  { nodeId, leases, webhookIds }: Condition,
  results: readonly AttemptToRecord[],
  now: number,
): Promise<Ended | null> {
  const counts = new PendingAttemptCounts()
  for (const result of results) counts.add(result)
  const row = await tx.row<EndedRow & { readonly met: boolean }>(attemptSql.succeedIf, [
    ...successValues(results, now),
    nodeId,
    numbers(leases),
    numbers(webhookIds),
    counts.data(),
  ])
  return row!.met ? toEnded(row!) : null
}

function successValues(results: readonly AttemptToRecord[], now: number): readonly unknown[] {
  const attempts = results.map(({ attempt }) => attempt)
  const bodies = packBytes(attempts.map((attempt) => attempt.responseBody))
  return [
    now,
    bodies.bytes,
    ...fences(results),
    numbers(attempts.map((attempt) => attempt.webhookVersion)),
    numbers(attempts.map((attempt) => attempt.startedAt)),
    integers(attempts.map((attempt) => Math.round(attempt.durationMs))),
    integers(attempts.map((attempt) => attempt.statusCode)),
    texts(attempts.map((attempt) => attempt.contentType)),
    bodies.offsets,
    bodies.lengths,
  ]
}

export interface Locked {
  readonly id: number
  readonly status: DeliveryStatus
  readonly finished_at: number | null
}

export async function lockLeased(tx: Tx, results: readonly AttemptToRecord[]): Promise<readonly Locked[]> {
  if (results.length === 0) return []
  return tx.rows<Locked>(attemptSql.lock, [
    ...fences(results),
    integers(results.map(({ attempt }) => attempt.number)),
  ])
}

export async function recordEach(tx: Tx, settled: readonly Settled[]): Promise<Ended> {
  if (settled.length === 0) return NOTHING
  const results = settled.map(({ result }) => result)
  const attempts = results.map(({ attempt }) => attempt)
  const bodies = packBytes(attempts.map((attempt) => attempt.responseBody))
  return ending(tx, attemptSql.record, [
    bodies.bytes,
    ...fences(results),
    integers(attempts.map((attempt) => attempt.number)),
    texts(settled.map(({ after }) => after.status)),
    numbers(settled.map(({ after }) => after.nextAttemptAt)),
    numbers(settled.map(({ after }) => after.finishedAt)),
    texts(attempts.map((attempt) => attempt.trigger)),
    numbers(attempts.map((attempt) => attempt.webhookVersion)),
    numbers(attempts.map((attempt) => attempt.startedAt)),
    integers(attempts.map((attempt) => Math.round(attempt.durationMs))),
    integers(attempts.map((attempt) => attempt.statusCode)),
    texts(attempts.map((attempt) => attempt.errorCode)),
    texts(attempts.map((attempt) => attempt.errorMessage)),
    texts(attempts.map((attempt) => attempt.cause)),
    texts(attempts.map((attempt) => attempt.contentType)),
    bodies.offsets,
    bodies.lengths,
  ])
}

interface EndedRow {
  readonly ids: readonly number[] | null
  readonly emptied: readonly number[] | null
}

/** Runs a statement that ends with {@link closing}. */
export async function ending(tx: Tx, sql: string, values: readonly unknown[]): Promise<Ended> {
  return toEnded((await tx.row<EndedRow>(sql, values))!)
}

const toEnded = ({ ids, emptied }: EndedRow): Ended => ({ ids: ids ?? [], emptied: emptied ?? [] })

/** Identifies deliveries and their leases: three arrays. */
export function fences(leases: readonly DeliveryLease[]): [Buffer, Buffer, Buffer] {
  return [
    numbers(leases.map(({ deliveryId }) => deliveryId)),
    numbers(leases.map(({ createdAt }) => createdAt)),
    numbers(leases.map(({ lease }) => lease)),
  ]
}
