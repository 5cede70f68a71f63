import type { ApiKey, Role } from '../rows.ts'

/** Of `keys k LEFT JOIN members m`. */
export const KEY_COLUMNS = `
  k.id, k.public_id, k.workspace_id, k.member_id, m.public_id AS member_public_id, m.role AS member_role, k.name,
  k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at`

export interface KeyRow {
  readonly id: number
  readonly public_id: string
  readonly workspace_id: number
  readonly member_id: number | null
  readonly member_public_id: string | null
  readonly member_role: Role | null
  readonly name: string
  readonly scopes: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
}

export function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    publicId: row.public_id,
    workspaceId: row.workspace_id,
    memberId: row.member_id,
    memberPublicId: row.member_public_id,
    memberRole: row.member_role,
    name: row.name,
    scopes: JSON.parse(row.scopes) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}
