import type { AuditEntry } from '../auditRows.ts'
import type { BrowserSession, Membership, Session, SignInLink } from '../rows.ts'
import { addAudit } from './audit.ts'
import {
  endSessions,
  type MembershipRow,
  membershipOf,
  membershipsOf,
  operatorOf,
  toMembership,
} from './people.ts'
import { lookup, type Queries, write } from './query.ts'
import { MEMBER, SESSION, WORKSPACE } from './records.ts'
import { asObject, columns, FOR_SHARE, isOneOf, keeping, numberList, sql } from './sql.ts'
import { all, row, run, type Work } from './work.ts'

const SESSION_COLUMNS = columns(SESSION)
const BROWSER_SESSION_COLUMNS = columns(`${SESSION} email`)

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
    WHERE m.id = $2 AND m.workspace_id = $1 AND s.deleted_at IS NULL ${keeping('s', 'm')}
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

const UNUSED = 'hash = $1 AND used_at IS NULL AND expires_at > $2'

export const browserSessionSql = {
  byHash: sql`SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE hash = $1`,
  /** A second use waits for the first, and finds nothing. */
  useLink: sql`
    UPDATE sign_in_links SET used_at = $2 WHERE ${UNUSED} AND email IS NOT NULL RETURNING email, kind`,
  usePortalLink: sql`
    UPDATE sign_in_links SET used_at = $2 WHERE ${UNUSED} AND member_id IS NOT NULL RETURNING member_id AS "memberId"`,
  usePortalLinkOf: sql`
    UPDATE sign_in_links SET used_at = $2
    WHERE ${UNUSED} AND member_id ${isOneOf('$3', 'bigint')} RETURNING member_id AS "memberId"`,
  /** It does not end meanwhile. */
  lasting: sql`
    SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = $1 AND expires_at >= $2 ${FOR_SHARE}`,
  create: sql`
    INSERT INTO browser_sessions (public_id, email, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING ${BROWSER_SESSION_COLUMNS}`,
  createOfMember: sql`
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING ${SESSION_COLUMNS}`,
  remove: sql`DELETE FROM browser_sessions WHERE id = $1 RETURNING ${BROWSER_SESSION_COLUMNS}`,
  byId: sql`SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = $1`,
  removeOperators: sql`DELETE FROM browser_sessions WHERE email IS NULL`,
}

/** What the audit log calls links by who handed them over. */
const LINK_NAMES = {
  email: 'sign_in_link',
  operator: 'operators_link',
  portal: 'portal_link',
} as const satisfies Record<SignInLink['kind'], string>

/** Of a link for an address that is being used. */
interface UsedLink {
  readonly email: string
  readonly kind: 'email' | 'operator'
}

interface MemberId {
  readonly memberId: number
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
    const membership = used === undefined ? null : yield* membershipOf(used.memberId)
    if (membership === null) return null
    const { publicId, hash, expiresAt } = session
    const values = [publicId, membership.member.id, hash, now, expiresAt]
    const made = (yield* row<Session>(browserSessionSql.createOfMember, values))!
    const about = { workspaces: [membership], session: made }
    yield* note('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
    return made
  }),
  usePortalLinkIn: write(function* ({ linkHash, sessionId, until, now, requestId }) {
    const session = yield* row<BrowserSession>(browserSessionSql.lasting, [sessionId, until])
    if (session === undefined) return false
    const memberships = yield* membershipsOf(session.email)
    const ids = numberList(memberships.map(({ member }) => member.id))
    const used = yield* row<MemberId>(browserSessionSql.usePortalLinkOf, [linkHash, now, ids])
    if (used === undefined) return false
    const workspaces = memberships.filter(({ member }) => member.id === used.memberId)
    const about = { workspaces, session }
    yield* note('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
    return true
  }),
  createBrowserSession: write((session) => create({ ...session, email: null })),
  findBrowserSession: lookup(function* ({ hash }) {
    const found = yield* row<BrowserSession>(browserSessionSql.byHash, [hash])
    if (found === undefined) return null
    const [memberships, operator] = yield* all(membershipsOf(found.email), operatorOf(found.email))
    return { session: found, operator, memberships }
  }),
  endBrowserSession: write(function* ({ sessionId, now, requestId }) {
    const ended = yield* row<BrowserSession>(browserSessionSql.remove, [sessionId])
    if (ended === undefined) return false
    const about = { workspaces: yield* membershipsOf(ended.email), session: ended }
    yield* note('member.signed_out', about, {}, { now, requestId })
    return true
  }),
  endBrowserSessions: write(function* ({ sessionId, now, requestId }) {
    const found = yield* row<BrowserSession>(browserSessionSql.byId, [sessionId])
    if (found === undefined) return 0
    const { email } = found
    if (email === null) return yield* run(browserSessionSql.removeOperators)
    const about = { workspaces: yield* membershipsOf(email), session: found }
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
  return (yield* row<BrowserSession>(browserSessionSql.create, values))!
}

/** Adds what a person did to the audit log of each of their workspaces. */
const note = (
  action: 'member.signed_in' | 'member.signed_out',
  about: {
    readonly workspaces: readonly Membership[]
    readonly session: Pick<BrowserSession, 'publicId'>
  },
  details: AuditEntry['details'],
  { now, requestId }: { readonly now: number; readonly requestId: string },
): Work<unknown> =>
  all(
    ...about.workspaces.map(({ member: { publicId: id }, workspace }) => {
      const actor = { type: 'member', id, sessionId: about.session.publicId } as const
      const target = { type: 'member', id } as const
      return addAudit(
        { action, actor, target, workspacePublicId: workspace.publicId, details, requestId },
        now,
      )
    }),
  )
