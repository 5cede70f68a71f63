import type { Workspace } from '../rows.ts'

export const WORKSPACE_COLUMN_NAMES = [
  'id',
  'public_id',
  'dialect',
  'slug',
  'name',
  'suspended_at',
  'created_at',
] as const

export const WORKSPACE_COLUMNS = WORKSPACE_COLUMN_NAMES.join(', ')

export interface WorkspaceRow {
  readonly id: number
  readonly public_id: string
  readonly dialect: string
  readonly slug: string
  readonly name: string
  readonly suspended_at: number | null
  readonly created_at: number
}

export function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    publicId: row.public_id,
    dialect: row.dialect,
    slug: row.slug,
    name: row.name,
    suspendedAt: row.suspended_at,
    createdAt: row.created_at,
  }
}
