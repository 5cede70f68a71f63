import { MEMBER_COLUMN_NAMES, type MemberRow, toMember } from '../rowMappers/members.ts'
import { type SessionRow, toSession } from '../rowMappers/sessions.ts'
import { toWorkspace, WORKSPACE_COLUMN_NAMES, type WorkspaceRow } from '../rowMappers/workspaces.ts'
import { look, type Queries, write } from './query.ts'
import { endSessions } from './sessionEnder.ts'
import { asObject, keeping, objectOf, sql } from './sql.ts'
import { row, run } from './work.ts'

export const sessionSql = {
  byHash: sql`
    SELECT x.id, x.public_id, x.created_at, x.expires_at, ${asObject('m', MEMBER_COLUMN_NAMES)} AS member,
      ${asObject('s', WORKSPACE_COLUMN_NAMES)} AS workspace
    FROM sessions x JOIN members m ON m.id = x.member_id
    JOIN workspaces s ON s.id = m.workspace_id AND s.deleted_at IS NULL
    WHERE x.hash = $1`,
  /** Inserts nothing when the workspace or the member is gone, and neither goes before the session is there. */
  create: sql`
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    SELECT $3, m.id, $4, $5, $6 FROM members m JOIN workspaces s ON s.id = m.workspace_id
    WHERE m.id = $2 AND m.workspace_id = $1 AND s.deleted_at IS NULL ${keeping('s', 'm')}
    RETURNING id, public_id, created_at, expires_at`,
  remove: sql`DELETE FROM sessions WHERE id = $1`,
  email: sql`SELECT email FROM members WHERE id = $2 AND workspace_id = $1`,
}

interface FoundRow extends SessionRow {
  readonly member: MemberRow | string
  readonly workspace: WorkspaceRow | string
}

export const sessionQueries: Queries<'createSession' | 'findSession' | 'deleteSession' | 'deleteSessions'> = {
  createSession: write(function* ({ workspaceId, memberId, publicId, hash, expiresAt, now }) {
    const values = [workspaceId, memberId, publicId, hash, now, expiresAt]
    const created = yield* row<SessionRow>(sessionSql.create, values)
    return created === undefined ? null : toSession(created)
  }),
  findSession: look(function* ({ hash }) {
    const found = yield* row<FoundRow>(sessionSql.byHash, [hash])
    if (found === undefined) return null
    return {
      session: toSession(found),
      member: toMember(objectOf(found.member)),
      workspace: toWorkspace(objectOf(found.workspace)),
    }
  }),
  deleteSession: write(function* ({ sessionId }) {
    return (yield* run(sessionSql.remove, [sessionId])) > 0
  }),
  deleteSessions: write(function* ({ workspaceId, memberId, ofAddress, now }) {
    const member = yield* row<{ readonly email: string }>(sessionSql.email, [workspaceId, memberId])
    if (member === undefined) return 0
    return yield* endSessions({ emails: ofAddress ? [member.email] : [], memberIds: [memberId] }, now)
  }),
}
