import { HealthInCall, type HealthRow } from '../../healthInCall.ts'
import { booleans, numbers } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

const SELECT = `
  SELECT id, workspace_id, status, deleted_at, failing_since, warned, canceled_through, canceled_at FROM webhooks
  WHERE id = ANY ($1::bigint[])`

export const healthSql = {
  load: SELECT,
  lock: `${SELECT} ORDER BY id FOR NO KEY UPDATE`,
  save: `
    UPDATE webhooks w SET failing_since = x.failing_since, warned = x.warned
    FROM unnest($1::bigint[], $2::bigint[], $3::boolean[]) AS x (id, failing_since, warned) WHERE w.id = x.id`,
  switchOff: `
    UPDATE webhooks SET status = 'off', off_reason = $2, failing_since = $3, warned = $4, version = version + 1,
      updated_at = $5
    WHERE id = $1`,
}

type Row = HealthRow & { readonly id: number }

/** @returns the health of each of these webhooks, also of those that are gone */
export async function loadHealth(tx: Tx, webhookIds: readonly number[]): Promise<Map<number, HealthInCall>> {
  return byWebhook(webhookIds, await tx.rows<Row>(healthSql.load, [numbers(webhookIds)]))
}

/** The same, for whoever is about to change it. */
export async function lockHealth(tx: Tx, webhookIds: readonly number[]): Promise<Map<number, HealthInCall>> {
  if (webhookIds.length === 0) return new Map()
  return byWebhook(webhookIds, await tx.rows<Row>(healthSql.lock, [numbers(webhookIds)]))
}

export async function saveHealth(tx: Tx, webhooks: Iterable<HealthInCall>, now: number): Promise<void> {
  const changed = [...webhooks].filter((webhook) => webhook.changed)
  const on = changed.filter(({ off }) => off === null)
  if (on.length > 0)
    await tx.run(healthSql.save, [
      numbers(on.map(({ webhookId }) => webhookId)),
      numbers(on.map(({ health }) => health.failingSince)),
      booleans(on.map(({ health }) => health.warned)),
    ])
  for (const { webhookId, health, off } of changed) {
    if (off === null) continue
    await tx.run(healthSql.switchOff, [webhookId, off, health.failingSince, health.warned, now])
  }
}

function byWebhook(webhookIds: readonly number[], rows: readonly Row[]): Map<number, HealthInCall> {
  const found = new Map(rows.map((row) => [row.id, row]))
  return new Map(webhookIds.map((id) => [id, new HealthInCall(id, found.get(id))]))
}
