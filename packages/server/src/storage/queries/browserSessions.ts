import { type SessionRow, toSession } from '../rowMappers/sessions.ts'
import {
  BROWSER_SESSION_COLUMNS,
  type BrowserSessionRow,
  LINK_NAMES,
  signInEntry,
  toBrowserSession,
  type UsedLink,
} from '../rowMappers/signIns.ts'
import type { AuditEntry, BrowserSession, Membership } from '../rows.ts'
import { addAudit } from './audit.ts'
import { membershipOf, membershipsOf, operatorOf } from './memberships.ts'
import { look, type Queries, write } from './query.ts'
import { endSessions } from './sessionEnder.ts'
import { FOR_SHARE, isOneOf, numberList, sql } from './sql.ts'
import { all, row, run, type Work } from './work.ts'

const UNUSED = 'hash = $1 AND used_at IS NULL AND expires_at > $2'

export const browserSessionSql = {
  byHash: sql`SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE hash = $1`,
  /** A second use waits for the first, and finds nothing. */
  useLink: sql`
    UPDATE sign_in_links SET used_at = $2 WHERE ${UNUSED} AND email IS NOT NULL RETURNING email, kind`,
  usePortalLink: sql`
    UPDATE sign_in_links SET used_at = $2 WHERE ${UNUSED} AND member_id IS NOT NULL RETURNING member_id`,
  usePortalLinkOf: sql`
    UPDATE sign_in_links SET used_at = $2
    WHERE ${UNUSED} AND member_id ${isOneOf('$3', 'bigint')} RETURNING member_id`,
  /** It does not end meanwhile. */
  lasting: sql`
    SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = $1 AND expires_at >= $2 ${FOR_SHARE}`,
  create: sql`
    INSERT INTO browser_sessions (public_id, email, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING ${BROWSER_SESSION_COLUMNS}`,
  createOfMember: sql`
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING id, public_id, created_at, expires_at`,
  remove: sql`DELETE FROM browser_sessions WHERE id = $1 RETURNING ${BROWSER_SESSION_COLUMNS}`,
  byId: sql`SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = $1`,
  removeOperators: sql`DELETE FROM browser_sessions WHERE email IS NULL`,
}

interface MemberId {
  readonly member_id: number
}

export const browserSessionQueries: Queries<
  | 'signIn'
  | 'signInToPortal'
  | 'usePortalLinkIn'
  | 'createBrowserSession'
  | 'findBrowserSession'
  | 'endBrowserSession'
  | 'endBrowserSessions'
> = {
  signIn: write(function* ({ linkHash, session, now, requestId }) {
    const used = yield* row<UsedLink>(browserSessionSql.useLink, [linkHash, now])
    if (used === undefined) return null
    const { email, kind } = used
    const [workspaces, operator] = yield* all(membershipsOf(email), operatorOf(email))
    if (workspaces.length === 0 && operator === null) return null
    const made = yield* create({ ...session, email, now })
    yield* note(
      'member.signed_in',
      { workspaces, session: made },
      { by: LINK_NAMES[kind] },
      { now, requestId },
    )
    return made
  }),
  signInToPortal: write(function* ({ linkHash, session, now, requestId }) {
    const used = yield* row<MemberId>(browserSessionSql.usePortalLink, [linkHash, now])
    const membership = used === undefined ? null : yield* membershipOf(used.member_id)
    if (membership === null) return null
    const { publicId, hash, expiresAt } = session
    const values = [publicId, membership.member.id, hash, now, expiresAt]
    const made = toSession((yield* row<SessionRow>(browserSessionSql.createOfMember, values))!)
    const about = { workspaces: [membership], session: made }
    yield* note('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
    return made
  }),
  usePortalLinkIn: write(function* ({ linkHash, sessionId, until, now, requestId }) {
    const session = yield* row<BrowserSessionRow>(browserSessionSql.lasting, [sessionId, until])
    if (session === undefined) return false
    const memberships = yield* membershipsOf(session.email)
    const ids = numberList(memberships.map(({ member }) => member.id))
    const used = yield* row<MemberId>(browserSessionSql.usePortalLinkOf, [linkHash, now, ids])
    if (used === undefined) return false
    const workspaces = memberships.filter(({ member }) => member.id === used.member_id)
    const about = { workspaces, session: toBrowserSession(session) }
    yield* note('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
    return true
  }),
  createBrowserSession: write((session) => create({ ...session, email: null })),
  findBrowserSession: look(function* ({ hash }) {
    const found = yield* row<BrowserSessionRow>(browserSessionSql.byHash, [hash])
    if (found === undefined) return null
    const [memberships, operator] = yield* all(membershipsOf(found.email), operatorOf(found.email))
    return { session: toBrowserSession(found), operator, memberships }
  }),
  endBrowserSession: write(function* ({ sessionId, now, requestId }) {
    const ended = yield* row<BrowserSessionRow>(browserSessionSql.remove, [sessionId])
    if (ended === undefined) return false
    const about = { workspaces: yield* membershipsOf(ended.email), session: toBrowserSession(ended) }
    yield* note('member.signed_out', about, {}, { now, requestId })
    return true
  }),
  endBrowserSessions: write(function* ({ sessionId, now, requestId }) {
    const found = yield* row<BrowserSessionRow>(browserSessionSql.byId, [sessionId])
    if (found === undefined) return 0
    const { email } = found
    if (email === null) return yield* run(browserSessionSql.removeOperators)
    const about = { workspaces: yield* membershipsOf(email), session: toBrowserSession(found) }
    yield* note('member.signed_out', about, { everywhere: true }, { now, requestId })
    return yield* endSessions(
      { emails: [email], memberIds: about.workspaces.map(({ member }) => member.id) },
      now,
    )
  }),
}

function* create(session: {
  readonly publicId: string
  readonly email: string | null
  readonly hash: Uint8Array
  readonly now: number
  readonly expiresAt: number
}): Work<BrowserSession> {
  const { publicId, email, hash, now, expiresAt } = session
  const values = [publicId, email, hash, now, expiresAt]
  return toBrowserSession((yield* row<BrowserSessionRow>(browserSessionSql.create, values))!)
}

/** Adds what a person did to the audit log of each of their workspaces. */
function* note(
  action: 'member.signed_in' | 'member.signed_out',
  about: {
    readonly workspaces: readonly Membership[]
    readonly session: Pick<BrowserSession, 'publicId'>
  },
  details: AuditEntry['details'],
  { now, requestId }: { readonly now: number; readonly requestId: string },
): Work<unknown> {
  return yield* all(
    ...about.workspaces.map((one) =>
      addAudit(signInEntry(action, one, about.session, { requestId, details }), now),
    ),
  )
}
