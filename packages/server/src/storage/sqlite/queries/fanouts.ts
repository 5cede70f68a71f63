import { formatMatchSet } from '../../fanout.ts'
import type { OnWebhook } from '../../matchCache.ts'
import type { DriverCalls } from '../../queries/driverCalls.ts'
import type { Connection } from '../connection.ts'
import { eventRows } from './eventRows.ts'

export const fanoutSql = {
  addSet: 'INSERT INTO match_sets (workspace_id, webhooks) VALUES (?, ?)',
  isKept: 'SELECT 1 FROM match_sets WHERE id = ?',
  add: 'INSERT INTO fanouts (event_id, workspace_id, set_id) VALUES (?, ?, ?)',
  waiting: 'SELECT waiting FROM fanout_queues WHERE workspace_id = ?',
  addWaiting: `
    INSERT INTO fanout_queues (workspace_id, waiting) VALUES (@workspaceId, @count)
    ON CONFLICT (workspace_id) DO UPDATE SET waiting = waiting + @count`,
}

/** Stores events whose deliveries are created later. */
export function fanoutRows(db: Connection) {
  const addSet = db.prepare<[number, string]>(fanoutSql.addSet)
  const isKept = db.prepare<[number]>(fanoutSql.isKept)
  const add = db.prepare<[number, number, number]>(fanoutSql.add)
  const waiting = db.prepare<[number], number>(fanoutSql.waiting).pluck()
  const addWaiting = db.prepare<{ workspaceId: number; count: number }>(fanoutSql.addWaiting)
  /** Ids of the sets that were stored. A set that was rolled back or dropped since is stored again. */
  const setIds = new WeakMap<readonly OnWebhook[], number>()

  function setIdOf(workspaceId: number, webhooks: readonly OnWebhook[]): number {
    const known = setIds.get(webhooks)
    if (known !== undefined && isKept.get(known) !== undefined) return known
    const id = Number(addSet.run(workspaceId, formatMatchSet(webhooks)).lastInsertRowid)
    setIds.set(webhooks, id)
    return id
  }

  return {
    waitingOf: (workspaceId: number): number => waiting.get(workspaceId) ?? 0,
    /** @param webhooks the event's, as `matchCache` gives them */
    add(event: { readonly id: number; readonly workspaceId: number }, webhooks: readonly OnWebhook[]): void {
      const { id, workspaceId } = event
      add.run(id, workspaceId, setIdOf(workspaceId, webhooks))
      addWaiting.run({ workspaceId, count: webhooks.length })
    },
  }
}

export const lateSql = { event: 'SELECT id, first_delivery_id, created_at FROM events WHERE id = ?' }

/** @returns a function that makes deliveries under the ids that their events reserved */
export function deliveryMaker(db: Connection): DriverCalls['makeDeliveries'] {
  const eventOf = db.prepare<[number], { id: number; first_delivery_id: number; created_at: number }>(
    lateSql.event,
  )
  const rows = eventRows(db)
  return (made) => {
    let row = eventOf.get(made[0]!.eventId)!
    for (const { eventId, position, webhookId, canceledAt } of made) {
      if (row.id !== eventId) row = eventOf.get(eventId)!
      const event = { id: eventId, createdAt: row.created_at }
      const deliveryId = row.first_delivery_id + position
      if (canceledAt === null) rows.delivery(deliveryId, event, webhookId, null)
      else rows.canceled(deliveryId, event, webhookId, canceledAt)
    }
  }
}
