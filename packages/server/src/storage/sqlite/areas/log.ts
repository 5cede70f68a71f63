import type { StoredEvent } from '../../rows.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { deliveryRecords } from './deliveryRecords.ts'

const sql = {
  latest: `
    SELECT e.id, e.brought_id, e.type, e.body, e.created_at
    FROM recent_events r JOIN events e ON e.id = r.event_id
    WHERE r.workspace_id = ? AND r.type = ? ORDER BY r.event_id DESC`,
}

interface EventRow {
  readonly id: number
  readonly brought_id: string | null
  readonly type: string
  readonly body: string
  readonly created_at: number
}

export function logVerbs({ db }: Store): Pick<VerbTable, 'listDeliveries' | 'getDelivery' | 'latestEvents'> {
  const records = deliveryRecords(db)
  const latest = db.prepare<[number, string], EventRow>(sql.latest)
  return {
    listDeliveries: ({ webhookId, limit, before }) =>
      records.list(webhookId, before ?? Number.MAX_SAFE_INTEGER, limit),
    getDelivery: ({ workspaceId, deliveryId }) => records.get(workspaceId, deliveryId),
    latestEvents: ({ workspaceId, type }) => latest.all(workspaceId, type).map(toEvent),
  }
}

function toEvent(row: EventRow): StoredEvent {
  return {
    id: row.id,
    broughtId: row.brought_id,
    type: row.type,
    body: row.body,
    createdAt: row.created_at,
  }
}
