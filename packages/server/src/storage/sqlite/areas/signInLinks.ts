import { LINK_COLUMNS, type LinkRow, linkEntry, toSignInLink } from '../../records/signIns.ts'
import { slidingWindow } from '../../slidingWindow.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { auditor } from './audit.ts'
import { memberships } from './memberships.ts'
import { signInNotifier } from './notifications.ts'

export const linkSql = {
  /** One from the future was stamped before the clock was set back: it must not block anyone until then. */
  counted: `
    SELECT created_at FROM sign_in_links
    WHERE email = @email AND kind = 'email'
      AND created_at > @now - @windowMs AND created_at <= @now + @windowMs
    ORDER BY created_at`,
}

const sql = {
  create: `
    INSERT INTO sign_in_links (kind, email, hash, created_at, expires_at)
    VALUES (@kind, @email, @hash, @now, @expiresAt) RETURNING ${LINK_COLUMNS}`,
  /** Nothing is inserted when the workspace or the member is gone. */
  createPortal: `
    INSERT INTO sign_in_links (kind, member_id, hash, created_at, expires_at)
    SELECT 'portal', m.id, @hash, @now, @expiresAt
    FROM members m JOIN workspaces s ON s.id = m.workspace_id
    WHERE m.id = @memberId AND m.workspace_id = @workspaceId AND s.deleted_at IS NULL
    RETURNING ${LINK_COLUMNS}`,
  byHash: `SELECT ${LINK_COLUMNS} FROM sign_in_links WHERE hash = ?`,
}

type LinkVerbs = Pick<VerbTable, 'findAddressee' | 'createSignInLink' | 'createPortalLink' | 'findSignInLink'>

export function signInLinkVerbs({ db }: Store): LinkVerbs {
  const people = memberships(db)
  const counted = db
    .prepare<{ email: string; now: number; windowMs: number }, number>(linkSql.counted)
    .pluck()
  const audits = auditor(db)
  const notify = signInNotifier(db)
  const create = db.prepare<Record<string, unknown>, LinkRow>(sql.create)
  const createPortal = db.prepare<Record<string, unknown>, LinkRow>(sql.createPortal)
  const byHash = db.prepare<[Uint8Array], LinkRow>(sql.byHash)
  return {
    findAddressee({ email }) {
      const found = people.operator(email) ?? people.ofEmail(email)[0]?.member
      if (found === undefined) return null
      const { publicId, email: asSpelt, name } = found
      return { publicId, email: asSpelt, name }
    },
    createSignInLink({ madeBy, email, hash, limit, notice, expiresAt, now }) {
      if (limit !== null) {
        const times = counted.all({ email, now, windowMs: limit.windowMs })
        const decision = slidingWindow(times, limit, now)
        if (!decision.allowed) return { outcome: 'rate_limited', limit: decision.state }
      }
      const kind = madeBy === null ? 'email' : 'operator'
      const link = toSignInLink(create.get({ kind, email, hash, expiresAt, now })!)
      if (notice !== null) notify({ ...notice, expiresAt, now })
      if (madeBy !== null) for (const one of people.ofEmail(email)) audits.add(linkEntry(one, madeBy), now)
      return { outcome: 'created', link }
    },
    createPortalLink(params) {
      const row = createPortal.get(params)
      return row === undefined ? null : toSignInLink(row)
    },
    findSignInLink({ hash }) {
      const row = byHash.get(hash)
      if (row === undefined) return null
      const membership = row.member_id === null ? null : people.ofMember(row.member_id)
      const { member = null, workspace = null } = membership ?? {}
      return { link: toSignInLink(row), member, workspace }
    },
  }
}
