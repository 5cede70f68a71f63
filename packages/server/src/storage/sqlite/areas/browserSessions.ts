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
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { auditor } from './audit.ts'
import { memberships } from './memberships.ts'
import { sessionEnder } from './sessionEnder.ts'

const sql = {
  /** Whoever comes second finds nothing to use. */
  useLink: `
    UPDATE sign_in_links SET used_at = @now
    WHERE hash = @linkHash AND used_at IS NULL AND expires_at > @now AND email IS NOT NULL RETURNING email, kind`,
  usePortalLink: `
    UPDATE sign_in_links SET used_at = @now
    WHERE hash = @linkHash AND used_at IS NULL AND expires_at > @now AND member_id IS NOT NULL RETURNING member_id`,
  usePortalLinkOf: `
    UPDATE sign_in_links SET used_at = @now
    WHERE hash = @linkHash AND used_at IS NULL AND expires_at > @now
      AND member_id IN (SELECT value FROM json_each(@memberIds)) RETURNING member_id`,
  create: `
    INSERT INTO browser_sessions (public_id, email, hash, created_at, expires_at)
    VALUES (@publicId, @email, @hash, @now, @expiresAt) RETURNING ${BROWSER_SESSION_COLUMNS}`,
  createOfMember: `
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at)
    VALUES (@publicId, @memberId, @hash, @now, @expiresAt) RETURNING id, public_id, created_at, expires_at`,
  byHash: `SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE hash = ?`,
  byId: `SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id = ?`,
  remove: 'DELETE FROM browser_sessions WHERE id = ?',
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

export function browserSessionVerbs({ db }: Store): BrowserSessionVerbs {
  const people = memberships(db)
  const audits = auditor(db)
  const endSessions = sessionEnder(db)
  const useLink = db.prepare<Record<string, unknown>, UsedLink>(sql.useLink)
  const usePortalLink = db.prepare<Record<string, unknown>, number>(sql.usePortalLink).pluck()
  const usePortalLinkOf = db.prepare<Record<string, unknown>, number>(sql.usePortalLinkOf).pluck()
  const create = db.prepare<Record<string, unknown>, BrowserSessionRow>(sql.create)
  const createOfMember = db.prepare<Record<string, unknown>, SessionRow>(sql.createOfMember)
  const byHash = db.prepare<[Uint8Array], BrowserSessionRow>(sql.byHash)
  const byId = db.prepare<[number], BrowserSessionRow>(sql.byId)
  const remove = db.prepare<[number]>(sql.remove)
  const removeOperators = db.prepare<[]>(sql.removeOperators)

  const membershipsOf = ({ email }: Pick<BrowserSessionRow, 'email'>): readonly Membership[] =>
    email === null ? [] : people.ofEmail(email)

  /** Writes down in every workspace of a person what they did. */
  function note(
    action: 'member.signed_in' | 'member.signed_out',
    about: {
      readonly workspaces: readonly Membership[]
      readonly session: Pick<BrowserSession, 'publicId'>
    },
    details: AuditEntry['details'],
    { now, requestId }: { readonly now: number; readonly requestId: string },
  ): void {
    for (const one of about.workspaces)
      audits.add(signInEntry(action, one, about.session, { requestId, details }), now)
  }

  return {
    signIn({ linkHash, session, now, requestId }) {
      const used = useLink.get({ linkHash, now })
      if (used === undefined) return null
      const { email, kind } = used
      const workspaces = people.ofEmail(email)
      if (workspaces.length === 0 && people.operator(email) === null) return null
      const made = toBrowserSession(create.get({ ...session, email, now })!)
      note('member.signed_in', { workspaces, session: made }, { by: LINK_NAMES[kind] }, { now, requestId })
      return made
    },
    signInToPortal({ linkHash, session, now, requestId }) {
      const memberId = usePortalLink.get({ linkHash, now })
      const membership = memberId === undefined ? null : people.ofMember(memberId)
      if (membership === null) return null
      const made = toSession(createOfMember.get({ ...session, memberId: membership.member.id, now })!)
      const about = { workspaces: [membership], session: made }
      note('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
      return made
    },
    usePortalLinkIn({ linkHash, sessionId, until, now, requestId }) {
      const row = byId.get(sessionId)
      if (row === undefined || row.expires_at < until) return false
      const memberships = membershipsOf(row)
      const memberIds = JSON.stringify(memberships.map(({ member }) => member.id))
      const used = usePortalLinkOf.get({ linkHash, now, memberIds })
      if (used === undefined) return false
      const workspaces = memberships.filter(({ member }) => member.id === used)
      const about = { workspaces, session: toBrowserSession(row) }
      note('member.signed_in', about, { by: LINK_NAMES.portal }, { now, requestId })
      return true
    },
    createBrowserSession: (params) => toBrowserSession(create.get({ ...params, email: null })!),
    findBrowserSession({ hash }) {
      const row = byHash.get(hash)
      if (row === undefined) return null
      const operator = row.email === null ? null : people.operator(row.email)
      return { session: toBrowserSession(row), operator, memberships: membershipsOf(row) }
    },
    endBrowserSession({ sessionId, now, requestId }) {
      const row = byId.get(sessionId)
      if (row === undefined) return false
      remove.run(sessionId)
      const about = { workspaces: membershipsOf(row), session: toBrowserSession(row) }
      note('member.signed_out', about, {}, { now, requestId })
      return true
    },
    endBrowserSessions({ sessionId, now, requestId }) {
      const row = byId.get(sessionId)
      if (row === undefined) return 0
      if (row.email === null) return removeOperators.run().changes
      const about = { workspaces: membershipsOf(row), session: toBrowserSession(row) }
      note('member.signed_out', about, { everywhere: true }, { now, requestId })
      const memberIds = about.workspaces.map(({ member }) => member.id)
      return endSessions({ emails: [row.email], memberIds }, now)
    },
  }
}
