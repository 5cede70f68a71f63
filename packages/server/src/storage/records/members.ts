import type { Member, Role } from '../rows.ts'

export const MEMBER_COLUMNS = 'id, public_id, workspace_id, email, name, role, created_at'

export interface MemberRow {
  readonly id: number
  readonly public_id: string
  readonly workspace_id: number
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly created_at: number
}

export function toMember(row: MemberRow): Member {
  return {
    id: row.id,
    publicId: row.public_id,
    workspaceId: row.workspace_id,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAt: row.created_at,
  }
}
