import { MEMBER_COLUMNS, type MemberRow, toMember } from '../../records/members.ts'
import { type SessionRow, toSession } from '../../records/sessions.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { Store } from '../store.ts'
import { reads, type VerbTable, writes } from '../verb.ts'
import { endSessions } from './sessionEnder.ts'

export const sessionSql = {
  byHash: `
    SELECT x.id, x.public_id, x.created_at, x.expires_at, to_json(m) AS member, to_json(s) AS workspace
    FROM sessions x
    JOIN (SELECT ${MEMBER_COLUMNS} FROM members) m ON m.id = x.member_id
    JOIN (SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE deleted_at IS NULL) s ON s.id = m.workspace_id
    WHERE x.hash = $1`,
}

const sql = {
  /** Nothing is inserted when the workspace or the member is gone, and neither goes before the session is there. */
  create: `
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    SELECT $3, m.id, $4, $5, $6 FROM members m JOIN workspaces s ON s.id = m.workspace_id
    WHERE m.id = $2 AND m.workspace_id = $1 AND s.deleted_at IS NULL FOR SHARE OF s FOR KEY SHARE OF m
    RETURNING id, public_id, created_at, expires_at`,
  remove: 'DELETE FROM sessions WHERE id = $1',
  email: 'SELECT email FROM members WHERE id = $2 AND workspace_id = $1',
}

interface FoundRow extends SessionRow {
  readonly member: MemberRow
  readonly workspace: WorkspaceRow
}

type SessionVerbs = Pick<VerbTable, 'createSession' | 'findSession' | 'deleteSession' | 'deleteSessions'>

export function sessionVerbs(_store: Store): SessionVerbs {
  return {
    createSession: writes(async (tx, { workspaceId, memberId, publicId, hash, expiresAt, now }) => {
      const values = [workspaceId, memberId, publicId, hash, now, expiresAt]
      const row = await tx.row<SessionRow>(sql.create, values)
      return row === undefined ? null : toSession(row)
    }),
    findSession: reads(async (tx, { hash }) => {
      const row = await tx.row<FoundRow>(sessionSql.byHash, [hash])
      if (row === undefined) return null
      return {
        session: toSession(row),
        member: toMember(row.member),
        workspace: toWorkspace(row.workspace),
      }
    }),
    deleteSession: writes(async (tx, { sessionId }) => (await tx.run(sql.remove, [sessionId])) > 0),
    deleteSessions: writes(async (tx, { workspaceId, memberId, ofAddress, now }) => {
      const member = await tx.row<{ email: string }>(sql.email, [workspaceId, memberId])
      if (member === undefined) return 0
      return endSessions(tx, { emails: ofAddress ? [member.email] : [], memberIds: [memberId] }, now)
    }),
  }
}
