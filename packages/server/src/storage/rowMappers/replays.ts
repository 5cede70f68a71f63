import type { Replay } from '../rows.ts'

/** Of replays `r` and the webhooks `w` that some of them are for. */
export const REPLAY_COLUMNS = `
  r.id, r.public_id, r.event_type, r.from_time, r.to_time, r.total, r.replayed, r.created_at, r.finished_at,
  w.public_id AS webhook_public_id`

export interface ReplayRow {
  readonly id: number
  readonly public_id: string
  readonly webhook_public_id: string | null
  readonly event_type: string | null
  readonly from_time: number | null
  readonly to_time: number | null
  readonly total: number
  readonly replayed: number
  readonly created_at: number
  readonly finished_at: number | null
}

export function toReplay(row: ReplayRow): Replay {
  return {
    id: row.id,
    publicId: row.public_id,
    webhookPublicId: row.webhook_public_id,
    eventType: row.event_type,
    from: row.from_time,
    to: row.to_time,
    total: row.total,
    replayed: row.replayed,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}
