import { type SessionRow, toSession } from '../../records/sessions.ts'
import {
  BROWSER_SESSION_COLUMNS,
  type BrowserSessionRow,
  LINK_NAMES,
  signInEntry,
  toBrowserSession,
  type UsedLink,
} from '../../records/signIns.ts'
import type { AuditEntry, BrowserSession, Membership } from '../../rows.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, type VerbTable, writes } from '../verb.ts'
import { addAudit } from './audit.ts'
import { membershipOf, membershipsOf, operatorOf } from './memberships.ts'
import { endSessions } from './sessionEnder.ts'

export const browserSessionSql = {
  byHash: `SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE hash = $1`,
}

const sql = {
  /** Whoever comes second waits for the first, and finds nothing to use. */
  useLink: `
    UPDATE sign_in_links SET used_at = $2
    WHERE hash = $1 AND used_at IS NULL AND expires_at > $2 AND email IS NOT NULL RETURNING email, kind`,
  usePortalLink: `
    UPDATE sign_in_links SET used_at = $2
    WHERE hash = $1 AND used_at IS NULL AND expires_at > $2 AND member_id IS NOT NULL RETURNING member_id`,
  usePortalLinkOf: `
    UPDATE sign_in_links SET used_at = $2
    WHERE hash = $1 AND used_at IS NULL AND expires_at > $2 AND member_id = ANY ($3::bigint[]) RETURNING member_id`,
  /** It does not end meanwhile. */
  lasting: `SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = $1 AND expires_at >= $2 FOR SHARE`,
  create: `
    INSERT INTO browser_sessions (public_id, email, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING ${BROWSER_SESSION_COLUMNS}`,
  createOfMember: `
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING id, public_id, created_at, expires_at`,
  remove: `DELETE FROM browser_sessions WHERE id = $1 RETURNING ${BROWSER_SESSION_COLUMNS}`,
  byId: `SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = $1`,
  removeOperators: 'DELETE FROM browser_sessions WHERE email IS NULL',
}

type BrowserSessionVerbs = Pick<
  VerbTable,
  | 'signIn'
  | 'signInToPortal'
  | 'usePortalLinkIn'
  | 'createBrowserSession'
  | 'findBrowserSession'
  | 'endBrowserSession'
  | 'endBrowserSessions'
>

export function browserSessionVerbs(_store: Store): BrowserSessionVerbs {
  return {
    signIn: writes(async (tx, { linkHash, session, now, requestId }) => {
      const used = await tx.row<UsedLink>(sql.useLink, [linkHash, now])
      if (used === undefined) return null
      const { email, kind } = used
      const [workspaces, operator] = await Promise.all([membershipsOf(tx, email), operatorOf(tx, email)])
      if (workspaces.length === 0 && operator === null) return null
      const { publicId, hash, expiresAt } = session
      const row = await tx.row<BrowserSessionRow>(sql.create, [publicId, email, hash, now, expiresAt])
      const made = toBrowserSession(row!)
      await note(
        tx,
        'member.signed_in',
        { workspaces, session: made },
        { by: LINK_NAMES[kind] },
        { now, requestId },
      )
      return made
    }),
    signInToPortal: writes(async (tx, { linkHash, session, now, requestId }) => {
      const used = await tx.row<{ member_id: number }>(sql.usePortalLink, [linkHash, now])
      const membership = used === undefined ? null : await membershipOf(tx, used.member_id)
      if (membership === null) return null
      const { publicId, hash, expiresAt } = session
      const values = [publicId, membership.member.id, hash, now, expiresAt]
      const made = toSession((await tx.row<SessionRow>(sql.createOfMember, values))!)
      const about = { workspaces: [membership], session: made }
      await note(tx, 'member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
      return made
    }),
    usePortalLinkIn: writes(async (tx, { linkHash, sessionId, until, now, requestId }) => {
      const row = await tx.row<BrowserSessionRow>(sql.lasting, [sessionId, until])
      if (row === undefined) return false
      const memberships = await membershipsOf(tx, row.email)
      const ids = numbers(memberships.map(({ member }) => member.id))
      const used = await tx.row<{ member_id: number }>(sql.usePortalLinkOf, [linkHash, now, ids])
      if (used === undefined) return false
      const workspaces = memberships.filter(({ member }) => member.id === used.member_id)
      const about = { workspaces, session: toBrowserSession(row) }
      await note(tx, 'member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
      return true
    }),
    createBrowserSession: writes(async (tx, { publicId, hash, expiresAt, now }) =>
      toBrowserSession(
        (await tx.row<BrowserSessionRow>(sql.create, [publicId, null, hash, now, expiresAt]))!,
      ),
    ),
    findBrowserSession: reads(async (tx, { hash }) => {
      const row = await tx.row<BrowserSessionRow>(browserSessionSql.byHash, [hash])
      if (row === undefined) return null
      const [memberships, operator] = await Promise.all([
        membershipsOf(tx, row.email),
        operatorOf(tx, row.email),
      ])
      return { session: toBrowserSession(row), operator, memberships }
    }),
    endBrowserSession: writes(async (tx, { sessionId, now, requestId }) => {
      const row = await tx.row<BrowserSessionRow>(sql.remove, [sessionId])
      if (row === undefined) return false
      const about = { workspaces: await membershipsOf(tx, row.email), session: toBrowserSession(row) }
      await note(tx, 'member.signed_out', about, {}, { now, requestId })
      return true
    }),
    endBrowserSessions: writes(async (tx, { sessionId, now, requestId }) => {
      const row = await tx.row<BrowserSessionRow>(sql.byId, [sessionId])
      if (row === undefined) return 0
      const { email } = row
      if (email === null) return tx.run(sql.removeOperators)
      const about = { workspaces: await membershipsOf(tx, email), session: toBrowserSession(row) }
      await note(tx, 'member.signed_out', about, { everywhere: true }, { now, requestId })
      return endSessions(
        tx,
        { emails: [email], memberIds: about.workspaces.map(({ member }) => member.id) },
        now,
      )
    }),
  }
}

/** Writes down in every workspace of a person what they did. */
async function note(
  tx: Tx,
  action: 'member.signed_in' | 'member.signed_out',
  about: {
    readonly workspaces: readonly Membership[]
    readonly session: Pick<BrowserSession, 'publicId'>
  },
  details: AuditEntry['details'],
  { now, requestId }: { readonly now: number; readonly requestId: string },
): Promise<void> {
  await Promise.all(
    about.workspaces.map((one) =>
      addAudit(tx, signInEntry(action, one, about.session, { requestId, details }), now),
    ),
  )
}
