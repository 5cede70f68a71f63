import type { DeliveryStatus } from '../../core/delivery.ts'
import type { WebhookStatus } from '../../core/enabledState.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import type { DeliveryRecord, WebhookRetry } from '../rows.ts'
import { inDayOf, POSITIONS, positionValues, WAITING } from './layout.ts'
import { list, type Queries, write } from './query.ts'
import { EFFECTIVE_STATUS } from './rowMappers.ts'
import { columns, either, joinEach, skipLockedOf, sql } from './sql.ts'
import { row, rows, run, type Work } from './work.ts'

/** Pending deliveries of a webhook that are counted. */
const MAX_COUNTED = 1_000
/** Webhooks looked at in one step. */
const MAX_WEBHOOKS = 50

const DUE_NOW = 'next_attempt_at = $2, retry_number = attempts + 1'
const RETRIED = 'deliveries.id, deliveries.created_at AS "createdAt", deliveries.retry_number AS number'

/** The waiting row is locked before its delivery, as in a claim; a delivery that is being claimed is due already. */
const postgres = (which: string): string => `
      WITH picked AS MATERIALIZED (
        SELECT ctid AS place, delivery_id, created_at FROM waiting
        WHERE webhook_id = $1 AND due_at > $2 ${which} FOR UPDATE SKIP LOCKED),
      moved AS (UPDATE waiting SET due_at = $2 WHERE ctid = ANY (ARRAY(SELECT place FROM picked)))
      UPDATE deliveries SET ${DUE_NOW}
      FROM picked p
      WHERE deliveries.id = p.delivery_id AND deliveries.created_at = p.created_at AND deliveries.status = 'pending'
      RETURNING ${RETRIED}`

const sqlite = (which: string): string => `
      UPDATE deliveries SET ${DUE_NOW} WHERE id IN (
        SELECT id FROM deliveries INDEXED BY deliveries_waiting
        WHERE status = 'pending' AND lease IS NULL AND webhook_id = $1 AND next_attempt_at > $2 ${which})
      RETURNING ${RETRIED}`

export const retrySql = {
  /** One delivery; it stays as it is when it is due or leased. */
  one: either({
    sqlite: `
      UPDATE deliveries SET ${DUE_NOW}
      WHERE webhook_id = $1 AND next_attempt_at = $3 AND next_attempt_at > $2 AND id = $4
        AND status = 'pending' AND lease IS NULL
      RETURNING ${RETRIED}`,
    postgres: postgres('AND due_at = $3 AND delivery_id = $4'),
  }),
  /** Those of a webhook that are due next. */
  next: either({
    sqlite: sqlite('ORDER BY next_attempt_at, id LIMIT $3'),
    postgres: postgres('ORDER BY due_at, delivery_id LIMIT $3'),
  }),
  pending: sql`
    SELECT count(*) AS count FROM (SELECT 1 FROM ${WAITING} d WHERE webhook_id = $1 LIMIT ${String(MAX_COUNTED + 1)}) d`,
  /** A running retry is not changed. */
  begin: sql`
    INSERT INTO retries (webhook_id, asked_at, batch, size) VALUES ($1, $2, '[]', 1)
    ON CONFLICT (webhook_id) DO UPDATE SET asked_at = excluded.asked_at, batch = '[]', size = 1, delivered = 0,
      outcome = NULL, ended_at = NULL
    WHERE retries.ended_at IS NOT NULL`,
  get: sql`SELECT ${columns('askedAt delivered outcome endedAt')} FROM retries WHERE webhook_id = $1`,
  running: sql`
    SELECT ${columns('webhookId batch size delivered', 'r')}, ${EFFECTIVE_STATUS} AS status
    FROM retries r JOIN webhooks w ON w.id = r.webhook_id JOIN workspaces s ON s.id = w.workspace_id
    WHERE r.ended_at IS NULL AND r.webhook_id > $1 ORDER BY r.webhook_id LIMIT ${String(MAX_WEBHOOKS)} ${skipLockedOf('r')}`,
  /** How those of a batch stand that are still there. */
  states: sql`
    SELECT ${columns('id attempts status', 'd')}
    FROM ${POSITIONS} ${joinEach('deliveries', 'd', sql`d.id = x.id ${inDayOf('d')}`)}`,
  save: sql`
    UPDATE retries SET batch = $2, size = $3, delivered = $4, outcome = $5, ended_at = $6 WHERE webhook_id = $1`,
}

export const retryQueries: Queries<'getWebhookRetry' | 'stepRetries'> = {
  getWebhookRetry: list(({ webhookId }) => readRetry(webhookId)),
  stepRetries: write(stepRetries),
}

/** A delivery that was asked for before it was due, and the number of the attempt that was asked for. */
interface Retried {
  readonly id: number
  readonly createdAt: number
  readonly number: number
}

/** Makes a pending delivery due now, unless it is due or under way already. */
export const retryOne = (
  { id, webhookId, nextAttemptAt }: Pick<DeliveryRecord, 'id' | 'webhookId' | 'nextAttemptAt'>,
  now: number,
): Work<unknown> => run(retrySql.one, [webhookId, now, nextAttemptAt, id])

/** Starts a retry of the pending deliveries of a webhook; {@link stepRetries} carries it out. */
export function* beginRetry(
  webhookId: number,
  now: number,
): Work<{ readonly retry: WebhookRetry; readonly started: boolean }> {
  const started = (yield* run(retrySql.begin, [webhookId, now])) > 0
  return { retry: (yield* readRetry(webhookId))!, started }
}

/** @returns the last retry of all that is pending for a webhook; `null`: there was none */
function* readRetry(webhookId: number): Work<WebhookRetry | null> {
  const retry = yield* row<Omit<WebhookRetry, 'pending'>>(retrySql.get, [webhookId])
  if (retry === undefined) return null
  const { count } = (yield* row<{ readonly count: number }>(retrySql.pending, [webhookId]))!
  return { ...retry, pending: Math.min(count, MAX_COUNTED), more: count > MAX_COUNTED }
}

interface Running {
  readonly webhookId: number
  /** As JSON. */
  readonly batch: string
  readonly size: number
  readonly delivered: number
  readonly status: WebhookStatus
}

interface StateRow {
  readonly id: number
  readonly attempts: number
  readonly status: DeliveryStatus
}

/**
 * Continues the retries of some webhooks: one delivery first, and after each batch that arrived completely twice as many. A
 * failure ends it, and the other deliveries keep their schedule.
 */
function* stepRetries({
  now,
  places,
  afterWebhookId,
}: CallParams<'stepRetries'>): Work<CallResult<'stepRetries'>> {
  const running = yield* rows<Running>(retrySql.running, [afterWebhookId])
  let asked = 0
  for (const retry of running) asked += yield* step(retry, places, now)
  const last = running.at(-1)
  return { asked, nextAfterWebhookId: running.length < MAX_WEBHOOKS ? 0 : last!.webhookId }
}

/** @returns how many deliveries it made due */
function* step(retry: Running, places: number, now: number): Work<number> {
  if (retry.status !== 'on') return yield* end(retry, 'stopped', now)
  const batch = JSON.parse(retry.batch) as readonly Retried[]
  const states = batch.length === 0 ? [] : yield* rows<StateRow>(retrySql.states, positionValues(batch))
  const numbers = new Map(batch.map(({ id, number }) => [id, number]))
  const attempted = states.filter(({ id, attempts }) => attempts >= numbers.get(id)!)
  const delivered = attempted.filter(({ status }) => status === 'delivered').length
  const counted = { ...retry, delivered: retry.delivered + delivered }
  if (delivered < attempted.length) return yield* end(counted, 'failed', now)
  if (states.some(({ id, status, attempts }) => status === 'pending' && attempts < numbers.get(id)!)) return 0
  const size = Math.min(batch.length === 0 ? 1 : retry.size * 2, places)
  const next = yield* rows<Retried>(retrySql.next, [retry.webhookId, now, size])
  if (next.length === 0) return yield* end(counted, 'done', now)
  yield* save({ ...counted, batch: JSON.stringify(next), size }, null, null)
  return next.length
}

function* end(retry: Running, outcome: WebhookRetry['outcome'], now: number): Work<0> {
  yield* save({ ...retry, batch: '[]' }, outcome, now)
  return 0
}

const save = (
  { webhookId, batch, size, delivered }: Running,
  outcome: WebhookRetry['outcome'],
  endedAt: number | null,
): Work<number> => run(retrySql.save, [webhookId, batch, size, delivered, outcome, endedAt])
