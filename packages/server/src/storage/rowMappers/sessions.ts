import type { Session } from '../rows.ts'

export interface SessionRow {
  readonly id: number
  readonly public_id: string
  readonly created_at: number
  readonly expires_at: number
}

export function toSession(row: SessionRow): Session {
  return { id: row.id, publicId: row.public_id, createdAt: row.created_at, expiresAt: row.expires_at }
}
