import { MEMBER_COLUMNS, type MemberRow, toMember } from '../../records/members.ts'
import { type SessionRow, toSession } from '../../records/sessions.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { sessionEnder } from './sessionEnder.ts'

const COLUMNS = 'id, public_id, member_id, created_at, expires_at'

const sql = {
  /** Nothing is inserted when the workspace or the member is gone. */
  create: `
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    SELECT @publicId, m.id, @hash, @now, @expiresAt
    FROM members m JOIN workspaces s ON s.id = m.workspace_id
    WHERE m.id = @memberId AND m.workspace_id = @workspaceId AND s.deleted_at IS NULL
    RETURNING ${COLUMNS}`,
  byHash: `SELECT ${COLUMNS} FROM sessions WHERE hash = ?`,
  member: `SELECT ${MEMBER_COLUMNS} FROM members WHERE id = ?`,
  workspace: `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = ? AND deleted_at IS NULL`,
  remove: 'DELETE FROM sessions WHERE id = ?',
  email: 'SELECT email FROM members WHERE id = ? AND workspace_id = ?',
}

interface Row extends SessionRow {
  readonly member_id: number
}

type SessionVerbs = Pick<VerbTable, 'createSession' | 'findSession' | 'deleteSession' | 'deleteSessions'>

export function sessionVerbs({ db }: Store): SessionVerbs {
  const create = db.prepare<VerbParams<'createSession'>, Row>(sql.create)
  const byHash = db.prepare<[Uint8Array], Row>(sql.byHash)
  const memberOf = db.prepare<[number], MemberRow>(sql.member)
  const workspaceOf = db.prepare<[number], WorkspaceRow>(sql.workspace)
  const remove = db.prepare<[number]>(sql.remove)
  const emailOf = db.prepare<[number, number], string>(sql.email).pluck()
  const endSessions = sessionEnder(db)
  return {
    createSession(params) {
      const row = create.get(params)
      return row === undefined ? null : toSession(row)
    },
    findSession({ hash }) {
      const row = byHash.get(hash)
      if (row === undefined) return null
      const member = memberOf.get(row.member_id)!
      const workspace = workspaceOf.get(member.workspace_id)
      if (workspace === undefined) return null
      return { session: toSession(row), member: toMember(member), workspace: toWorkspace(workspace) }
    },
    deleteSession: ({ sessionId }) => remove.run(sessionId).changes > 0,
    deleteSessions({ workspaceId, memberId, ofAddress, now }) {
      const email = emailOf.get(memberId, workspaceId)
      if (email === undefined) return 0
      return endSessions({ emails: ofAddress ? [email] : [], memberIds: [memberId] }, now)
    },
  }
}
