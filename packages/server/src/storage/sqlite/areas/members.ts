import { MEMBER_COLUMNS, type MemberRow, toMember } from '../../records/members.ts'
import type { Member, Role } from '../../rows.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { memberships } from './memberships.ts'
import { sessionEnder } from './sessionEnder.ts'

const IN_LIVING_WORKSPACE =
  'm.workspace_id IN (SELECT id FROM workspaces WHERE id = ? AND deleted_at IS NULL)'

const sql = {
  create: `
    INSERT INTO members (public_id, workspace_id, email, name, role, created_at)
    SELECT ?, id, ?, ?, ?, ? FROM workspaces WHERE id = ? AND deleted_at IS NULL
    ON CONFLICT (workspace_id, email) DO NOTHING RETURNING ${MEMBER_COLUMNS}`,
  get: `SELECT ${MEMBER_COLUMNS} FROM members m WHERE ${IN_LIVING_WORKSPACE} AND m.public_id = ?`,
  getById: `SELECT ${MEMBER_COLUMNS} FROM members m WHERE ${IN_LIVING_WORKSPACE} AND m.id = ?`,
  list: `
    SELECT ${MEMBER_COLUMNS} FROM members m
    WHERE ${IN_LIVING_WORKSPACE} AND m.id < ? ORDER BY m.id DESC LIMIT ?`,
  update: `UPDATE members SET name = ?, role = ?, failing_warnings = ? WHERE id = ? RETURNING ${MEMBER_COLUMNS}`,
  remove: 'DELETE FROM members WHERE workspace_id = ? AND public_id = ? RETURNING email',
}

type MemberVerbs = Pick<
  VerbTable,
  'createMember' | 'getMember' | 'getMemberById' | 'listMembers' | 'updateMember' | 'deleteMember'
>

export function memberVerbs({ db }: Store): MemberVerbs {
  const create = db.prepare<unknown[], MemberRow>(sql.create)
  const get = db.prepare<[number, string], MemberRow>(sql.get)
  const getById = db.prepare<[number, number], MemberRow>(sql.getById)
  const list = db.prepare<[number, number, number], MemberRow>(sql.list)
  const update = db.prepare<[string, Role, 0 | 1, number], MemberRow>(sql.update)
  const remove = db.prepare<[number, string], string>(sql.remove).pluck()
  const people = memberships(db)
  const endSessions = sessionEnder(db)
  return {
    createMember: ({ publicId, workspaceId, email, name, role, now }) =>
      orNull(create.get(publicId, email, name, role, now, workspaceId)),
    getMember: ({ workspaceId, publicId }) => orNull(get.get(workspaceId, publicId)),
    getMemberById: ({ workspaceId, memberId }) => orNull(getById.get(workspaceId, memberId)),
    listMembers: ({ workspaceId, limit, before }) =>
      list.all(workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit).map(toMember),
    updateMember({ workspaceId, publicId, changes }) {
      const row = get.get(workspaceId, publicId)
      if (row === undefined) return null
      const member = toMember(row)
      const { name, role, failingWarnings } = { ...member, ...changes }
      if (name === member.name && role === member.role && failingWarnings === member.failingWarnings)
        return { member, changed: false }
      const updated = update.get(name, role, failingWarnings ? 1 : 0, row.id)
      return { member: toMember(updated!), changed: true }
    },
    deleteMember({ workspaceId, publicId, now }) {
      const email = remove.get(workspaceId, publicId)
      if (email === undefined) return false
      endSessions({ emails: people.nobodyOf([email]), memberIds: [] }, now)
      return true
    },
  }
}

function orNull(row: MemberRow | undefined): Member | null {
  return row === undefined ? null : toMember(row)
}
