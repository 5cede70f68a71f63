import { DAY_MS } from '../../../core/duration.ts'
import {
  LATEST_COLUMNS,
  type LatestAttemptRow,
  type LatestRow,
  MAX_HELD,
  MAX_LOOKED,
  toLatestDelivery,
} from '../../rowMappers/overviews.ts'
import type { WebhookState } from '../../storage.ts'
import { numbers, texts } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, snapshot, type VerbParams, type VerbTable } from '../verb.ts'
import { placesOf } from './deliveryRecords.ts'

export const overviewSql = {
  webhooks: `
    SELECT id, canceled_through FROM webhooks
    WHERE id = ANY ($1::bigint[]) AND workspace_id = $2 AND deleted_at IS NULL`,
  latest: `
    SELECT w.webhook_id, ${LATEST_COLUMNS}
    FROM unnest($1::bigint[]) AS w (webhook_id)
      CROSS JOIN LATERAL (
        SELECT * FROM deliveries
        WHERE webhook_id = w.webhook_id ORDER BY created_at DESC, id DESC LIMIT 1) d`,
  /** The times bound the table, so that only their days are looked at. */
  latestAttempts: `
    SELECT a.delivery_id, a.started_at, a.status_code, a.error_code
    FROM unnest($1::bigint[], $2::bigint[]) AS x (id, created_at)
      CROSS JOIN LATERAL (
        SELECT delivery_id, started_at, status_code, error_code FROM attempts
        WHERE delivery_id = x.id AND created_at = x.created_at AND created_at BETWEEN $3 AND $4
        ORDER BY number DESC LIMIT 1) a`,
  waiting: `
    SELECT x.webhook_id, w.count
    FROM unnest($1::bigint[], $2::bigint[]) AS x (webhook_id, canceled_through)
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE delivery_id > x.canceled_through) AS count
        FROM (SELECT delivery_id FROM waiting WHERE webhook_id = x.webhook_id LIMIT $3) looked) w`,
  held: `
    SELECT h.webhook_id, count(*) AS count
    FROM (SELECT id, created_at, webhook_id FROM held_deliveries LIMIT ${MAX_HELD}) h
      JOIN unnest($1::bigint[], $2::bigint[]) AS x (webhook_id, canceled_through)
        ON x.webhook_id = h.webhook_id AND h.id > x.canceled_through
      CROSS JOIN LATERAL (
        SELECT 1 FROM deliveries
        WHERE id = h.id AND created_at = h.created_at AND status = 'pending' OFFSET 0) d
    GROUP BY h.webhook_id`,
  /** @param $3 the midnight before $4, so that no day before it is looked at and rows of that day count as looked at */
  events: `
    SELECT count(*) FILTER (WHERE created_at >= $4 AND (cardinality($2::text[]) = 0 OR type = ANY ($2::text[]))) AS found,
      count(*) FILTER (WHERE created_at >= $4) AS later
    FROM (
      SELECT e.type, e.created_at FROM events e
      WHERE e.workspace_id = $1 AND e.xact IS NOT NULL AND e.created_at >= $3
      ORDER BY e.xact DESC, e.id DESC LIMIT ${MAX_LOOKED}) looked`,
}

interface Canceled {
  readonly id: number
  readonly canceled_through: number | null
}

interface Count {
  readonly webhook_id: number
  readonly count: number
}

type LatestOfWebhook = LatestRow & { readonly webhook_id: number }
type LatestAttemptOf = LatestAttemptRow & { readonly delivery_id: number }

export function overviewVerbs(_store: Store): Pick<VerbTable, 'webhookStates' | 'countEvents'> {
  return {
    webhookStates: snapshot(readStates),
    countEvents: reads(async (tx, { workspaceId, eventTypes, since, max }) => {
      const midnight = Math.floor(since / DAY_MS) * DAY_MS
      const values = [workspaceId, texts(eventTypes), midnight, since]
      const { found, later } = (await tx.row<{ found: number; later: number }>(overviewSql.events, values))!
      return { count: Math.min(found, max), more: found > max || later === MAX_LOOKED }
    }),
  }
}

async function readStates(
  tx: Tx,
  { workspaceId, webhookIds, maxPending }: VerbParams<'webhookStates'>,
): Promise<WebhookState[]> {
  const found = await tx.rows<Canceled>(overviewSql.webhooks, [numbers(webhookIds), workspaceId])
  const ids = numbers(found.map(({ id }) => id))
  const marks = [ids, numbers(found.map((one) => one.canceled_through ?? 0))]
  const [latest, waiting, held] = await Promise.all([
    tx.rows<LatestOfWebhook>(overviewSql.latest, [ids]),
    tx.rows<Count>(overviewSql.waiting, [...marks, maxPending]),
    tx.rows<Count>(overviewSql.held, marks),
  ])
  const attempts = await latestAttemptsOf(tx, latest)
  const latestOf = new Map(latest.map((row) => [row.webhook_id, row]))
  const pending = new Map<number, number>()
  for (const { webhook_id: id, count } of [...waiting, ...held])
    pending.set(id, (pending.get(id) ?? 0) + count)
  const through = new Map(found.map((one) => [one.id, one.canceled_through]))
  return webhookIds.flatMap((webhookId) => {
    const canceledThrough = through.get(webhookId)
    if (canceledThrough === undefined) return []
    const row = latestOf.get(webhookId)
    const newest =
      row === undefined ? null : toLatestDelivery(row, attempts.get(row.id) ?? null, canceledThrough)
    return [{ webhookId, latest: newest, pending: Math.min(pending.get(webhookId) ?? 0, maxPending) }]
  })
}

async function latestAttemptsOf(
  tx: Tx,
  deliveries: readonly LatestRow[],
): Promise<ReadonlyMap<number, LatestAttemptRow>> {
  if (deliveries.length === 0) return new Map()
  const places = deliveries.map(({ id, created_at: createdAt }) => ({ id, createdAt }))
  const rows = await tx.rows<LatestAttemptOf>(overviewSql.latestAttempts, placesOf(places))
  return new Map(rows.map((row) => [row.delivery_id, row]))
}
