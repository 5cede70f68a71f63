import type { Member, Role } from '../rows.ts'

export const MEMBER_COLUMN_NAMES = [
  'id',
  'public_id',
  'workspace_id',
  'email',
  'name',
  'role',
  'failing_warnings',
  'created_at',
] as const

export const MEMBER_COLUMNS = MEMBER_COLUMN_NAMES.join(', ')

export interface MemberRow {
  readonly id: number
  readonly public_id: string
  readonly workspace_id: number
  readonly email: string
  readonly name: string
  readonly role: Role
  /** SQLite has 0 and 1. */
  readonly failing_warnings: boolean | 0 | 1
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
    failingWarnings: row.failing_warnings === true || row.failing_warnings === 1,
    createdAt: row.created_at,
  }
}
