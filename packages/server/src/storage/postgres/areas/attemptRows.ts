import type { DeliveryStatus } from '../../../core/delivery.ts'
import type { AttemptToRecord } from '../../storage.ts'
import { numbers, packBytes, texts } from '../arrays.ts'
import type { Held } from '../heldDeliveries.ts'
import type { Tx } from '../transaction.ts'

/** How a delivery stands after an attempt. */
export interface After {
  readonly status: DeliveryStatus
  readonly nextAttemptAt: number | null
  readonly finishedAt: number | null
}

/** A result, and the lease under which it counts. */
export interface Fenced {
  readonly result: AttemptToRecord
  readonly held: Held
}

/**
 * Follows a statement that has changed deliveries and names their leases. These are found by a list of them: joined, the
 * planner may read all that there are, since mostly there are few.
 */
const CLOSE = `
    counts AS MATERIALIZED (SELECT lease, count(*) AS count FROM changed GROUP BY lease),
    closed AS (
      UPDATE leases l SET open = l.open - (SELECT count FROM counts WHERE lease = l.id)
      WHERE l.id = ANY (ARRAY(SELECT lease FROM counts)))
    SELECT array_agg(id) AS ids FROM changed`

// Each changes a row only under the lease that the node has, and if no newer attempt was recorded. The time of each row
// leads to its day. Bounds on all of them would do so sooner, but let the planner begin with what lies between them: in
// a day without statistics it takes that for a few rows.
export const attemptSql = {
  /** The first try of most deliveries is their last, so it stands in the delivery's own row. */
  succeedAtOnce: `
    WITH changed AS (
      UPDATE deliveries d SET status = 'delivered', ended_badly = NULL, attempts = 1, next_attempt_at = NULL, lease = NULL,
        finished_at = $1, first_webhook_version = r.webhook_version, first_started_at = r.started_at,
        first_duration_ms = r.duration_ms, first_status_code = r.status_code,
        first_content_type = r.content_type, first_body = substring($2::bytea FROM r.body_at FOR r.body_length)
      FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[], $9::int[],
        $10::text[], $11::int[], $12::int[]) AS r (id, created_at, lease, webhook_version, started_at, duration_ms,
        status_code, content_type, body_at, body_length)
      WHERE d.id = r.id AND d.created_at = r.created_at AND d.lease = r.lease AND d.attempts = 0
      RETURNING d.id, r.lease),
    ${CLOSE}`,
  /** Those that the node holds still; they stay as they are until the transaction ends. */
  lock: `
    SELECT d.id, d.status, d.finished_at
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[]) AS r (id, created_at, lease, number)
    JOIN deliveries d ON d.id = r.id AND d.created_at = r.created_at AND d.lease = r.lease
      AND d.attempts = r.number - 1
    ORDER BY d.id FOR NO KEY UPDATE OF d`,
  record: `
    WITH changed AS (
      UPDATE deliveries d SET attempts = r.number, lease = NULL, status = r.status,
        ended_badly = CASE WHEN r.status IN ('failed', 'dead', 'canceled') THEN r.status END,
        next_attempt_at = r.next_attempt_at, finished_at = r.finished_at
      FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::int[], $6::text[], $7::bigint[], $8::bigint[],
        $9::text[], $10::bigint[], $11::bigint[], $12::int[], $13::int[], $14::text[], $15::text[], $16::text[],
        $17::int[], $18::int[]) AS r (id, created_at, lease, number, status, next_attempt_at, finished_at,
        trigger, webhook_version, started_at, duration_ms, status_code, error_code, error_message, content_type,
        body_at, body_length)
      WHERE d.id = r.id AND d.created_at = r.created_at AND d.lease = r.lease AND d.attempts = r.number - 1
      RETURNING d.webhook_id, r.*),
    logged AS (
      INSERT INTO attempts (delivery_id, created_at, number, trigger, webhook_version, started_at, duration_ms,
        status_code, error_code, error_message, content_type, response_body)
      SELECT id, created_at, number, trigger, webhook_version, started_at, duration_ms, status_code,
        error_code, error_message, content_type, substring($1::bytea FROM body_at FOR body_length)
      FROM changed),
    waits AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, next_attempt_at, id, created_at FROM changed WHERE status = 'pending'),
    ${CLOSE}`,
}

interface Changed {
  readonly ids: readonly number[] | null
}

/** @returns the deliveries that this changed */
export async function succeedAtOnce(
  tx: Tx,
  fenced: readonly Fenced[],
  now: number,
): Promise<readonly number[]> {
  if (fenced.length === 0) return []
  const attempts = fenced.map(({ result }) => result.attempt)
  const bodies = packBytes(attempts.map((attempt) => attempt.responseBody))
  const changed = await tx.row<Changed>(attemptSql.succeedAtOnce, [
    now,
    bodies.bytes,
    ...fences(fenced),
    numbers(attempts.map((attempt) => attempt.webhookVersion)),
    numbers(attempts.map((attempt) => attempt.startedAt)),
    numbers(attempts.map((attempt) => Math.round(attempt.durationMs))),
    numbers(attempts.map((attempt) => attempt.statusCode)),
    texts(attempts.map((attempt) => attempt.contentType)),
    bodies.offsets,
    bodies.lengths,
  ])
  return changed!.ids ?? []
}

export interface Locked {
  readonly id: number
  readonly status: DeliveryStatus
  readonly finished_at: number | null
}

export async function lockHeld(tx: Tx, fenced: readonly Fenced[]): Promise<readonly Locked[]> {
  if (fenced.length === 0) return []
  const attempts = numbers(fenced.map(({ result }) => result.attempt.number))
  return tx.rows<Locked>(attemptSql.lock, [...fences(fenced), attempts])
}

/** @param fenced each with how its delivery stands then. @returns the deliveries that this changed */
export async function recordEach(
  tx: Tx,
  fenced: readonly (Fenced & { readonly after: After })[],
): Promise<readonly number[]> {
  if (fenced.length === 0) return []
  const attempts = fenced.map(({ result }) => result.attempt)
  const bodies = packBytes(attempts.map((attempt) => attempt.responseBody))
  const changed = await tx.row<Changed>(attemptSql.record, [
    bodies.bytes,
    ...fences(fenced),
    numbers(attempts.map((attempt) => attempt.number)),
    texts(fenced.map(({ after }) => after.status)),
    numbers(fenced.map(({ after }) => after.nextAttemptAt)),
    numbers(fenced.map(({ after }) => after.finishedAt)),
    texts(attempts.map((attempt) => attempt.trigger)),
    numbers(attempts.map((attempt) => attempt.webhookVersion)),
    numbers(attempts.map((attempt) => attempt.startedAt)),
    numbers(attempts.map((attempt) => Math.round(attempt.durationMs))),
    numbers(attempts.map((attempt) => attempt.statusCode)),
    texts(attempts.map((attempt) => attempt.errorCode)),
    texts(attempts.map((attempt) => attempt.errorMessage)),
    texts(attempts.map((attempt) => attempt.contentType)),
    bodies.offsets,
    bodies.lengths,
  ])
  return changed!.ids ?? []
}

function fences(fenced: readonly Fenced[]): [string, string, string] {
  return [
    numbers(fenced.map(({ result }) => result.deliveryId)),
    numbers(fenced.map(({ held }) => held.createdAt)),
    numbers(fenced.map(({ held }) => held.lease)),
  ]
}
