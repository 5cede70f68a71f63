import type { StoredEvent } from '../rows.ts'

export const EVENT_COLUMNS = 'e.id, e.brought_id, e.type, e.body, e.created_at'

export interface EventRow {
  readonly id: number
  readonly brought_id: string | null
  readonly type: string
  readonly body: string
  readonly created_at: number
}

export function toEvent(row: EventRow): StoredEvent {
  return {
    id: row.id,
    broughtId: row.brought_id,
    type: row.type,
    body: row.body,
    createdAt: row.created_at,
  }
}
