import type { DeliveryPosition } from '../storage.ts'
import { positionLists } from './layout.ts'
import { type Queries, write } from './query.ts'
import type { Boolish } from './rowMappers.ts'
import {
  columns,
  either,
  FOR_NO_KEY_UPDATE,
  type Fragment,
  indexedBy,
  isOneOf,
  numberList,
  sql,
} from './sql.ts'
import { PendingEndCounts } from './statsRollup.ts'
import { callDriver, rows, run, type Work } from './work.ts'

/** Deliveries that the call that disables a webhook cancels itself; the cancellation loop cancels the rest. */
const FIRST_CHUNK = 2_000
/** Deliveries in flight that one step on SQLite cancels. */
const MAX_LEASED = 2_000
/** Webhooks looked at in one step. */
const MAX_WEBHOOKS = 500

/** No publish to the webhook is under way, so every later delivery has a higher id. */
const LAST_DELIVERY: Fragment = {
  sqlite: 'SELECT next_delivery_id - 1 FROM store',
  postgres: 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM delivery_ids',
}

const CANCELED = `status = 'canceled', next_attempt_at = NULL`
const CANCELED_AT = '(SELECT canceled_at FROM webhooks w WHERE w.id = webhook_id)'

export const cancelSql = {
  mark: sql`
    UPDATE webhooks SET canceled_at = $2, canceled_through = (${LAST_DELIVERY}) WHERE id ${isOneOf('$1', 'bigint')}`,
  canceling: sql`
    SELECT id FROM webhooks ${indexedBy('webhooks_canceling')}
    WHERE canceled_through IS NOT NULL ORDER BY canceled_at, id LIMIT $1`,
  /** Webhooks are locked before deliveries, and by their ids, as results do. */
  marked: sql`
    SELECT ${columns('id canceledThrough canceledAt')} FROM webhooks
    WHERE id ${isOneOf('$1', 'bigint')} AND canceled_through IS NOT NULL ORDER BY id ${FOR_NO_KEY_UPDATE}`,
  leased: either({
    /** One pass over everything leased, for all webhooks together; what nodes hold fits in their memory. */
    sqlite: `
      SELECT d.id, d.created_at AS "createdAt"
      FROM deliveries d INDEXED BY deliveries_leased JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.lease IS NOT NULL AND d.status = 'pending' AND d.id <= w.canceled_through LIMIT ${MAX_LEASED}`,
    postgres: `
      SELECT h.id, h.created_at AS "createdAt"
      FROM held_deliveries h CROSS JOIN LATERAL (
        SELECT 1 FROM webhooks
        WHERE id = h.webhook_id AND id = ANY ($1::bigint[]) AND canceled_through >= h.id OFFSET 0) w
      ORDER BY h.id`,
  }),
  /** Those in flight keep their lease: their attempts may still succeed. Stats count them once that is known. */
  cancelLeased: either({
    sqlite: `
      UPDATE deliveries SET ${CANCELED}, finished_at = ${CANCELED_AT}
      WHERE id IN (SELECT value FROM json_each($1)) AND status = 'pending'`,
    postgres: `
      UPDATE deliveries d SET ${CANCELED}, ended_badly = 'canceled', finished_at = ${CANCELED_AT}
      FROM unnest($1::bigint[], $2::bigint[]) AS h (id, created_at)
      WHERE d.id = h.id AND d.created_at = h.created_at AND d.status = 'pending'`,
  }),
  /** One that a node released just before `cancelLeased` came to it is canceled already, and waits still. */
  cancelWaiting: either({
    sqlite: `
      UPDATE deliveries SET ${CANCELED}, finished_at = $3
      WHERE id IN (
        SELECT id FROM deliveries INDEXED BY deliveries_waiting
        WHERE status = 'pending' AND lease IS NULL AND webhook_id = $1 AND id <= $2 LIMIT $4)
      RETURNING trigger = 'test' AS test`,
    postgres: `
      WITH picked AS MATERIALIZED (
        SELECT ctid, delivery_id, created_at FROM waiting
        WHERE webhook_id = $1 AND delivery_id <= $2 ORDER BY due_at, delivery_id LIMIT $4 FOR UPDATE),
      gone AS (DELETE FROM waiting WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked)))
      UPDATE deliveries d SET ${CANCELED}, ended_badly = 'canceled', finished_at = $3
      FROM picked p WHERE d.id = p.delivery_id AND d.created_at = p.created_at AND d.status IN ('pending', 'canceled')
      RETURNING trigger = 'test' AS test`,
  }),
  done: sql`
    UPDATE webhooks SET canceled_through = NULL, canceled_at = NULL WHERE id ${isOneOf('$1', 'bigint')}`,
}

interface Canceling {
  readonly id: number
  readonly canceledThrough: number
  readonly canceledAt: number
}

/** A delivery that was canceled. */
interface Ended {
  readonly test: Boolish
}

export const cancelQueries: Queries<'cancelDeliveries'> = {
  cancelDeliveries: write(function* ({ limit }) {
    if (!(yield* callDriver('tryAlone', 'cancel'))) return 0
    const canceling = yield* rows<Pick<Canceling, 'id'>>(cancelSql.canceling, [MAX_WEBHOOKS])
    return yield* sweep(idsOf(canceling), limit)
  }),
}

const idsOf = (webhooks: readonly Pick<Canceling, 'id'>[]): number[] => webhooks.map(({ id }) => id)

/**
 * Cancels everything that is pending at this moment for webhooks that are off or deleted. It marks the webhook, which is one
 * row: from then on reads, claims and results go by the mark. The deliveries' rows follow in bounded steps. The caller
 * excludes calls that could make a delivery pending.
 */
export function* cancel(webhookIds: readonly number[], now: number): Work<void> {
  if (webhookIds.length === 0) return
  yield* run(cancelSql.mark, [numberList(webhookIds), now])
  yield* sweep(webhookIds.slice(0, MAX_WEBHOOKS), FIRST_CHUNK)
}

/**
 * Leased deliveries come first: one that is released later is no longer pending, and one that was released before is among
 * those that wait, which come second.
 * @returns rows handled, including webhooks that are done
 */
function* sweep(webhookIds: readonly number[], limit: number): Work<number> {
  if (webhookIds.length === 0) return 0
  const webhooks = yield* rows<Canceling>(cancelSql.marked, [numberList(webhookIds)])
  if (webhooks.length === 0) return 0
  const leased = yield* rows<DeliveryPosition>(cancelSql.leased, [numberList(idsOf(webhooks))])
  const canceled = leased.length === 0 ? 0 : yield* run(cancelSql.cancelLeased, positionLists(leased))
  // On PostgreSQL `leased` holds those canceled earlier as well, as long as nodes hold them.
  if (canceled >= MAX_LEASED) return canceled
  let left = limit - canceled
  const swept: number[] = []
  const ended = new PendingEndCounts()
  for (const { id, canceledThrough, canceledAt } of webhooks) {
    if (left <= 0) break
    const values = [id, canceledThrough, canceledAt, left]
    const canceledNow = yield* rows<Ended>(cancelSql.cancelWaiting, values)
    left -= canceledNow.length
    ended.canceled(id, canceledAt, canceledNow.filter(({ test }) => !test).length)
    if (left > 0) swept.push(id)
  }
  yield* ended.save()
  if (swept.length > 0) yield* run(cancelSql.done, [numberList(swept)])
  return limit - left + swept.length
}
