import { LINK_COLUMNS, type LinkRow, linkEntry, toSignInLink } from '../../records/signIns.ts'
import { slidingWindow } from '../../slidingWindow.ts'
import type { Store } from '../store.ts'
import { reads, type VerbTable, writes } from '../verb.ts'
import { addAudit } from './audit.ts'
import { membershipOf, membershipsOf, operatorOf } from './memberships.ts'
import { notifySignIn } from './notifications.ts'

export const linkSql = {
  /** One from the future was stamped before the clock was set back: it must not block anyone until then. */
  counted: `
    SELECT created_at FROM sign_in_links
    WHERE lower(email) = lower($1) AND email IS NOT NULL AND kind = 'email'
      AND created_at > $2::bigint - $3::bigint AND created_at <= $2::bigint + $3::bigint
    ORDER BY created_at`,
  byHash: `SELECT ${LINK_COLUMNS} FROM sign_in_links WHERE hash = $1`,
}

const sql = {
  create: `
    INSERT INTO sign_in_links (kind, email, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING ${LINK_COLUMNS}`,
  /** Nothing is inserted when the workspace or the member is gone, and neither goes before the link is there. */
  createPortal: `
    INSERT INTO sign_in_links (kind, member_id, hash, created_at, expires_at)
    SELECT 'portal', m.id, $3, $4, $5 FROM members m JOIN workspaces s ON s.id = m.workspace_id
    WHERE m.id = $2 AND m.workspace_id = $1 AND s.deleted_at IS NULL FOR SHARE OF s FOR KEY SHARE OF m
    RETURNING ${LINK_COLUMNS}`,
}

type LinkVerbs = Pick<VerbTable, 'findAddressee' | 'createSignInLink' | 'createPortalLink' | 'findSignInLink'>

export function signInLinkVerbs({ locks }: Store): LinkVerbs {
  return {
    findAddressee: reads(async (tx, { email }) => {
      const found = (await operatorOf(tx, email)) ?? (await membershipsOf(tx, email))[0]?.member
      if (found === undefined) return null
      const { publicId, email: asSpelt, name } = found
      return { publicId, email: asSpelt, name }
    }),
    createSignInLink: writes(async (tx, { madeBy, email, hash, limit, notice, expiresAt, now }) => {
      if (limit !== null) {
        const [, made] = await Promise.all([
          locks.countSignInLinks(tx, email),
          tx.rows<{ created_at: number }>(linkSql.counted, [email, now, limit.windowMs]),
        ])
        const times = made.map(({ created_at }) => created_at)
        const decision = slidingWindow(times, limit, now)
        if (!decision.allowed) return { outcome: 'rate_limited', limit: decision.state }
      }
      const kind = madeBy === null ? 'email' : 'operator'
      const row = await tx.row<LinkRow>(sql.create, [kind, email, hash, now, expiresAt])
      if (notice !== null) await notifySignIn(tx, { ...notice, expiresAt, now })
      if (madeBy !== null) {
        const workspaces = await membershipsOf(tx, email)
        await Promise.all(workspaces.map((one) => addAudit(tx, linkEntry(one, madeBy), now)))
      }
      return { outcome: 'created', link: toSignInLink(row!) }
    }),
    createPortalLink: writes(async (tx, { workspaceId, memberId, hash, expiresAt, now }) => {
      const row = await tx.row<LinkRow>(sql.createPortal, [workspaceId, memberId, hash, now, expiresAt])
      return row === undefined ? null : toSignInLink(row)
    }),
    findSignInLink: reads(async (tx, { hash }) => {
      const row = await tx.row<LinkRow>(linkSql.byHash, [hash])
      if (row === undefined) return null
      const membership = row.member_id === null ? null : await membershipOf(tx, row.member_id)
      const { member = null, workspace = null } = membership ?? {}
      return { link: toSignInLink(row), member, workspace }
    }),
  }
}
