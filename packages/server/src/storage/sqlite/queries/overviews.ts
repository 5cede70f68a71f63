import type { DeliveryStatus } from '../../../core/delivery.ts'
import {
  LATEST_COLUMNS,
  type LatestAttemptRow,
  type LatestRow,
  MAX_HELD,
  MAX_LOOKED,
  toLatestDelivery,
} from '../../rowMappers/overviews.ts'
import type { Connection } from '../connection.ts'
import { listing } from '../kinds.ts'
import type { Run, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

export const overviewSql = {
  webhook: `
    SELECT id, canceled_through FROM webhooks WHERE id = ? AND workspace_id = ? AND deleted_at IS NULL`,
  latest: `
    SELECT ${LATEST_COLUMNS} FROM deliveries d INDEXED BY deliveries_of_webhook
    WHERE d.webhook_id = ? ORDER BY d.created_at DESC, d.id DESC LIMIT 1`,
  latestAttempt: `
    SELECT started_at, status_code, error_code FROM attempts WHERE delivery_id = ? ORDER BY number DESC LIMIT 1`,
  waiting: `
    SELECT count(*) AS count FROM (
      SELECT id FROM deliveries INDEXED BY deliveries_waiting
      WHERE status = 'pending' AND lease IS NULL AND webhook_id = ? LIMIT ?)
    WHERE id > ?`,
  held: `
    SELECT id, webhook_id, status FROM deliveries INDEXED BY deliveries_leased
    WHERE lease IS NOT NULL LIMIT ${MAX_HELD}`,
  newest: `
    SELECT id, type FROM events INDEXED BY events_feed
    WHERE workspace_id = ? AND seq IS NOT NULL ORDER BY seq DESC LIMIT ${MAX_LOOKED}`,
  createdAt: 'SELECT created_at FROM events WHERE id = ?',
}

interface HeldRow {
  readonly id: number
  readonly webhook_id: number
  readonly status: DeliveryStatus
}

type Canceled = { readonly id: number; readonly canceled_through: number | null }

export function overviewVerbs({ db }: Store): Pick<VerbTable, 'webhookStates' | 'countEvents'> {
  return {
    webhookStates: listing(stateReader(db)),
    countEvents: listing(eventCounter(db)),
  }
}

function stateReader(db: Connection): Run<'webhookStates'> {
  const webhook = db.prepare<[number, number], Canceled>(overviewSql.webhook)
  const latest = db.prepare<[number], LatestRow>(overviewSql.latest)
  const latestAttempt = db.prepare<[number], LatestAttemptRow>(overviewSql.latestAttempt)
  const waiting = db.prepare<[number, number, number], number>(overviewSql.waiting).pluck()
  const held = db.prepare<[], HeldRow>(overviewSql.held)

  function latestOf({ id, canceled_through: through }: Canceled) {
    const row = latest.get(id)
    return row === undefined ? null : toLatestDelivery(row, latestAttempt.get(row.id) ?? null, through)
  }

  /** @returns how many pending deliveries of each of these nodes hold */
  function countHeld(found: readonly Canceled[]): ReadonlyMap<number, number> {
    const through = new Map(found.map((one) => [one.id, one.canceled_through ?? 0]))
    const counts = new Map<number, number>()
    for (const { id, webhook_id: webhookId, status } of held.iterate()) {
      if (status === 'pending' && id > (through.get(webhookId) ?? id))
        counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
    }
    return counts
  }

  return ({ workspaceId, webhookIds, maxPending }) => {
    const found = webhookIds.flatMap((id) => webhook.get(id, workspaceId) ?? [])
    const counts = countHeld(found)
    return found.map((one) => {
      const pending = waiting.get(one.id, maxPending, one.canceled_through ?? 0)! + (counts.get(one.id) ?? 0)
      return { webhookId: one.id, latest: latestOf(one), pending: Math.min(pending, maxPending) }
    })
  }
}

function eventCounter(db: Connection): Run<'countEvents'> {
  const newest = db.prepare<[number], { readonly id: number; readonly type: string }>(overviewSql.newest)
  const createdAt = db.prepare<[number], number>(overviewSql.createdAt).pluck()

  return ({ workspaceId, eventTypes, since, max }) => {
    const looked = newest.all(workspaceId)
    // By halves: the time stands behind the body in its row, which may fill many pages.
    let [later, all] = [0, looked.length]
    while (later < all) {
      const middle = (later + all) >> 1
      if (createdAt.get(looked[middle]!.id)! >= since) later = middle + 1
      else all = middle
    }
    const types = new Set(eventTypes)
    const found = looked.slice(0, later).filter(({ type }) => types.size === 0 || types.has(type)).length
    return { count: Math.min(found, max), more: found > max || later === MAX_LOOKED }
  }
}
