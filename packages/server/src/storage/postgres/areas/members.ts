import { MEMBER_COLUMNS, type MemberRow, toMember } from '../../records/members.ts'
import type { Member } from '../../rows.ts'
import type { Store } from '../store.ts'
import { reads, type VerbTable, writes } from '../verb.ts'
import { nobodyOf } from './memberships.ts'
import { endSessions } from './sessionEnder.ts'

const IN_LIVING_WORKSPACE =
  'm.workspace_id IN (SELECT id FROM workspaces WHERE id = $1 AND deleted_at IS NULL)'

const sql = {
  create: `
    INSERT INTO members (public_id, workspace_id, email, name, role, created_at)
    SELECT $1, id, $2, $3, $4, $5 FROM workspaces WHERE id = $6 AND deleted_at IS NULL FOR SHARE
    ON CONFLICT (workspace_id, lower(email)) DO NOTHING RETURNING ${MEMBER_COLUMNS}`,
  get: `SELECT ${MEMBER_COLUMNS} FROM members m WHERE ${IN_LIVING_WORKSPACE} AND m.public_id = $2`,
  getById: `SELECT ${MEMBER_COLUMNS} FROM members m WHERE ${IN_LIVING_WORKSPACE} AND m.id = $2`,
  list: `
    SELECT ${MEMBER_COLUMNS} FROM members m
    WHERE ${IN_LIVING_WORKSPACE} AND m.id < $2 ORDER BY m.id DESC LIMIT $3`,
  lock: `SELECT ${MEMBER_COLUMNS} FROM members m WHERE ${IN_LIVING_WORKSPACE} AND m.public_id = $2 FOR UPDATE`,
  update: `UPDATE members SET name = $1, role = $2, failing_warnings = $3 WHERE id = $4 RETURNING ${MEMBER_COLUMNS}`,
  remove: 'DELETE FROM members WHERE workspace_id = $1 AND public_id = $2 RETURNING email',
}

type MemberVerbs = Pick<
  VerbTable,
  'createMember' | 'getMember' | 'getMemberById' | 'listMembers' | 'updateMember' | 'deleteMember'
>

export function memberVerbs({ locks }: Store): MemberVerbs {
  return {
    createMember: writes(async (tx, { publicId, workspaceId, email, name, role, now }) =>
      orNull(await tx.row<MemberRow>(sql.create, [publicId, email, name, role, now, workspaceId])),
    ),
    getMember: reads(async (tx, { workspaceId, publicId }) =>
      orNull(await tx.row<MemberRow>(sql.get, [workspaceId, publicId])),
    ),
    getMemberById: reads(async (tx, { workspaceId, memberId }) =>
      orNull(await tx.row<MemberRow>(sql.getById, [workspaceId, memberId])),
    ),
    listMembers: reads(async (tx, { workspaceId, limit, before }) => {
      const values = [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit]
      return (await tx.rows<MemberRow>(sql.list, values)).map(toMember)
    }),
    updateMember: writes(async (tx, { workspaceId, publicId, changes }) => {
      const row = await tx.row<MemberRow>(sql.lock, [workspaceId, publicId])
      if (row === undefined) return null
      const member = toMember(row)
      const { name, role, failingWarnings } = { ...member, ...changes }
      if (name === member.name && role === member.role && failingWarnings === member.failingWarnings)
        return { member, changed: false }
      const updated = await tx.row<MemberRow>(sql.update, [name, role, failingWarnings, row.id])
      return { member: toMember(updated!), changed: true }
    }),
    deleteMember: writes(async (tx, { workspaceId, publicId, now }) => {
      const [, removed] = await Promise.all([
        locks.removePeople(tx),
        tx.row<{ email: string }>(sql.remove, [workspaceId, publicId]),
      ])
      if (removed === undefined) return false
      await endSessions(tx, { emails: await nobodyOf(tx, [removed.email]), memberIds: [] }, now)
      return true
    }),
  }
}

function orNull(row: MemberRow | undefined): Member | null {
  return row === undefined ? null : toMember(row)
}
