import type { Session } from '../rows.ts'
import { endSessions, type MembershipRow, toMembership } from './people.ts'
import { lookup, type Queries, write } from './query.ts'
import { MEMBER, SESSION, WORKSPACE } from './rowMappers.ts'
import { asObject, columns, keeping, sql } from './sql.ts'
import { row, run } from './work.ts'

const SESSION_COLUMNS = columns(SESSION)

export const sessionSql = {
  byHash: sql`
    SELECT ${columns(SESSION, 'x')}, ${asObject(MEMBER, 'm')} AS member, ${asObject(WORKSPACE, 's')} AS workspace
    FROM sessions x JOIN members m ON m.id = x.member_id
    JOIN workspaces s ON s.id = m.workspace_id AND s.deleted_at IS NULL
    WHERE x.hash = $1`,
  /** Inserts nothing when the workspace or the member is gone, and neither goes before the session is there. */
  create: sql`
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    SELECT $3, m.id, $4, $5, $6 FROM members m JOIN workspaces s ON s.id = m.workspace_id
    WHERE m.id = $2 AND m.workspace_id = $1 AND NOT m.from_provider AND s.deleted_at IS NULL ${keeping('s', 'm')}
    RETURNING ${SESSION_COLUMNS}`,
  remove: sql`DELETE FROM sessions WHERE id = $1`,
  email: sql`SELECT email FROM members WHERE id = $2 AND workspace_id = $1`,
}

export const sessionQueries: Queries<'createSession' | 'findSession' | 'deleteSession' | 'deleteSessions'> = {
  createSession: write(function* ({ workspaceId, memberId, publicId, hash, expiresAt, now }) {
    const values = [workspaceId, memberId, publicId, hash, now, expiresAt]
    return (yield* row<Session>(sessionSql.create, values)) ?? null
  }),
  findSession: lookup(function* ({ hash }) {
    const found = yield* row<Session & MembershipRow>(sessionSql.byHash, [hash])
    if (found === undefined) return null
    const { member, workspace, ...session } = found
    return { session, ...toMembership({ member, workspace }) }
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
