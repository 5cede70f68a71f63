import type { Member, Role } from '../../rows.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const COLUMNS = 'id, public_id, workspace_id, email, name, role, created_at'
const IN_LIVING_WORKSPACE =
  'm.workspace_id IN (SELECT id FROM workspaces WHERE id = ? AND deleted_at IS NULL)'

const sql = {
  create: `
    INSERT INTO members (public_id, workspace_id, email, name, role, created_at)
    SELECT ?, id, ?, ?, ?, ? FROM workspaces WHERE id = ? AND deleted_at IS NULL
    ON CONFLICT (workspace_id, email) DO NOTHING RETURNING ${COLUMNS}`,
  get: `SELECT ${COLUMNS} FROM members m WHERE ${IN_LIVING_WORKSPACE} AND m.public_id = ?`,
  getById: `SELECT ${COLUMNS} FROM members m WHERE ${IN_LIVING_WORKSPACE} AND m.id = ?`,
  list: `
    SELECT ${COLUMNS} FROM members m
    WHERE ${IN_LIVING_WORKSPACE} AND m.id < ? ORDER BY m.id DESC LIMIT ?`,
  remove: 'DELETE FROM members WHERE workspace_id = ? AND public_id = ?',
}

interface Row {
  readonly id: number
  readonly public_id: string
  readonly workspace_id: number
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly created_at: number
}

function toMember(row: Row | undefined): Member | null {
  if (row === undefined) return null
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

type MemberVerbs = Pick<
  VerbTable,
  'createMember' | 'getMember' | 'getMemberById' | 'listMembers' | 'deleteMember'
>

export function memberVerbs({ db }: Store): MemberVerbs {
  const create = db.prepare<unknown[], Row>(sql.create)
  const get = db.prepare<[number, string], Row>(sql.get)
  const getById = db.prepare<[number, number], Row>(sql.getById)
  const list = db.prepare<[number, number, number], Row>(sql.list)
  const remove = db.prepare<[number, string]>(sql.remove)
  return {
    createMember: ({ publicId, workspaceId, email, name, role, now }) =>
      toMember(create.get(publicId, email, name, role, now, workspaceId)),
    getMember: ({ workspaceId, publicId }) => toMember(get.get(workspaceId, publicId)),
    getMemberById: ({ workspaceId, memberId }) => toMember(getById.get(workspaceId, memberId)),
    listMembers: ({ workspaceId, limit, before }) =>
      list.all(workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit).map((row) => toMember(row)!),
    deleteMember: ({ workspaceId, publicId }) => remove.run(workspaceId, publicId).changes > 0,
  }
}
