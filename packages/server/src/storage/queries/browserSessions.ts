import type { AuditEntry } from '../auditRows.ts'
import type { BrowserSession, Membership, Session, SignInLink } from '../rows.ts'
import { addAudit } from './audit.ts'
import { endSessions, membershipOf, membershipsOf, rightsOf } from './people.ts'
import { lookup, type Queries, write } from './query.ts'
import { type Boolish, SESSION } from './rowMappers.ts'
import { columns, FOR_SHARE, isOneOf, numberList, sql } from './sql.ts'
import { all, row, run, type Work } from './work.ts'

const SESSION_COLUMNS = columns(SESSION)
const BROWSER_SESSION_COLUMNS = columns(`${SESSION} email byProvider`)

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
  /** Locked, so that it does not end before the transaction does. */
  lasting: sql`
    SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = $1 AND expires_at >= $2 ${FOR_SHARE}`,
  create: sql`
    INSERT INTO browser_sessions (public_id, email, by_provider, hash, created_at, expires_at)
    VALUES ($1, $2, $3 = 1, $4, $5, $6) RETURNING ${BROWSER_SESSION_COLUMNS}`,
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
    const { memberships: workspaces, operator } = yield* rightsOf(email, false)
    if (workspaces.length === 0 && operator === null) return null
    const made = yield* openBrowserSession({ ...session, email, byProvider: false, now })
    yield* noteSignIn(
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
    yield* noteSignIn('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
    return made
  }),
  usePortalLinkIn: write(function* ({ linkHash, sessionId, until, now, requestId }) {
    const session = orNull(yield* row<BrowserSessionRow>(browserSessionSql.lasting, [sessionId, until]))
    if (session === null) return false
    const { memberships } = yield* rightsOf(session.email, session.byProvider)
    const ids = numberList(memberships.map(({ member }) => member.id))
    const used = yield* row<MemberId>(browserSessionSql.usePortalLinkOf, [linkHash, now, ids])
    if (used === undefined) return false
    const workspaces = memberships.filter(({ member }) => member.id === used.memberId)
    const about = { workspaces, session }
    yield* noteSignIn('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
    return true
  }),
  createBrowserSession: write((session) =>
    openBrowserSession({ ...session, email: null, byProvider: false }),
  ),
  findBrowserSession: lookup(function* ({ hash }) {
    const session = orNull(yield* row<BrowserSessionRow>(browserSessionSql.byHash, [hash]))
    return session === null ? null : { session, ...(yield* rightsOf(session.email, session.byProvider)) }
  }),
  endBrowserSession: write(function* ({ sessionId, now, requestId }) {
    const ended = orNull(yield* row<BrowserSessionRow>(browserSessionSql.remove, [sessionId]))
    if (ended === null) return false
    const { memberships: workspaces } = yield* rightsOf(ended.email, ended.byProvider)
    const about = { workspaces, session: ended }
    yield* noteSignIn('member.signed_out', about, {}, { now, requestId })
    return true
  }),
  endBrowserSessions: write(function* ({ sessionId, now, requestId }) {
    const found = orNull(yield* row<BrowserSessionRow>(browserSessionSql.byId, [sessionId]))
    if (found === null) return 0
    const { email } = found
    if (email === null) return yield* run(browserSessionSql.removeOperators)
    const about = { workspaces: yield* membershipsOf(email), session: found }
    yield* noteSignIn('member.signed_out', about, { everywhere: true }, { now, requestId })
    return yield* endSessions(
      { emails: [email], memberIds: about.workspaces.map(({ member }) => member.id) },
      now,
    )
  }),
}

/** SQLite has 0 and 1 for a boolean. */
type BrowserSessionRow = Omit<BrowserSession, 'byProvider'> & { readonly byProvider: Boolish }

const orNull = (row: BrowserSessionRow | undefined): BrowserSession | null =>
  row === undefined ? null : { ...row, byProvider: Boolean(row.byProvider) }

export function* openBrowserSession(session: {
  readonly publicId: string
  readonly email: string | null
  readonly byProvider: boolean
  readonly hash: Uint8Array
  readonly now: number
  readonly expiresAt: number
}): Work<BrowserSession> {
  const { publicId, email, byProvider, hash, now, expiresAt } = session
  const values = [publicId, email, byProvider ? 1 : 0, hash, now, expiresAt]
  return orNull(yield* row<BrowserSessionRow>(browserSessionSql.create, values))!
}

/** Adds what a person did to the audit log of each of their workspaces. */
export const noteSignIn = (
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
