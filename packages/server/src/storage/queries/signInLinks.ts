import type { SignInLink } from '../rows.ts'
import { slidingWindow } from '../slidingWindow.ts'
import { addAudit } from './audit.ts'
import { addSignInNotification } from './notifications.ts'
import { membershipOf, rightsOf } from './people.ts'
import { lookup, type Queries, write } from './query.ts'
import { columns, keeping, sameEmail, sql, typed } from './sql.ts'
import { all, callDriver, row, rows } from './work.ts'

const LINK_COLUMNS = columns('id kind email memberId createdAt expiresAt usedAt')
const NOW = typed('$2', 'bigint')
const WINDOW = typed('$3', 'bigint')

export const linkSql = {
  /** One from the future was stamped before the clock was set back: it must block no one until then. */
  counted: sql`
    SELECT created_at FROM sign_in_links
    WHERE ${sameEmail('email', '$1')} AND email IS NOT NULL AND kind = 'email'
      AND created_at > ${NOW} - ${WINDOW} AND created_at <= ${NOW} + ${WINDOW}
    ORDER BY created_at`,
  create: sql`
    INSERT INTO sign_in_links (kind, email, hash, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) RETURNING ${LINK_COLUMNS}`,
  /** Inserts nothing when the workspace or the member is gone, and neither goes before the link is there. */
  createPortal: sql`
    INSERT INTO sign_in_links (kind, member_id, hash, created_at, expires_at)
    SELECT 'portal', m.id, $3, $4, $5 FROM members m JOIN workspaces s ON s.id = m.workspace_id
    WHERE m.id = $2 AND m.workspace_id = $1 AND NOT m.from_provider AND s.deleted_at IS NULL ${keeping('s', 'm')}
    RETURNING ${LINK_COLUMNS}`,
  byHash: sql`SELECT ${LINK_COLUMNS} FROM sign_in_links WHERE hash = $1`,
}

export const signInLinkQueries: Queries<
  'findAddressee' | 'createSignInLink' | 'createPortalLink' | 'findSignInLink'
> = {
  findAddressee: lookup(function* ({ email }) {
    const { operator, memberships } = yield* rightsOf(email, false)
    const found = operator ?? memberships[0]?.member
    if (found === undefined) return null
    const { publicId, email: asSpelt, name } = found
    return { publicId, email: asSpelt, name }
  }),
  createSignInLink: write(function* ({ madeBy, email, hash, limit, notice, expiresAt, now }) {
    if (limit !== null) {
      const [, made] = yield* all(
        callDriver('countSignInLinks', email),
        rows<{ readonly created_at: number }>(linkSql.counted, [email, now, limit.windowMs]),
      )
      const times = made.map(({ created_at }) => created_at)
      const decision = slidingWindow(times, limit, now)
      if (!decision.allowed) return { outcome: 'rate_limited', limit: decision.state }
    }
    const kind = madeBy === null ? 'email' : 'operator'
    const link = (yield* row<SignInLink>(linkSql.create, [kind, email, hash, now, expiresAt]))!
    if (notice !== null) yield* addSignInNotification({ ...notice, expiresAt, now })
    if (madeBy !== null) {
      const action = 'member.sign_in_link_created'
      const { memberships } = yield* rightsOf(email, false)
      const entries = memberships.map(({ member, workspace }) => {
        const target = { type: 'member', id: member.publicId } as const
        return { ...madeBy, action, workspacePublicId: workspace.publicId, target, details: {} } as const
      })
      yield* all(...entries.map((entry) => addAudit(entry, now)))
    }
    return { outcome: 'created', link }
  }),
  createPortalLink: write(function* ({ workspaceId, memberId, hash, expiresAt, now }) {
    const values = [workspaceId, memberId, hash, now, expiresAt]
    return (yield* row<SignInLink>(linkSql.createPortal, values)) ?? null
  }),
  findSignInLink: lookup(function* ({ hash }) {
    const link = yield* row<SignInLink>(linkSql.byHash, [hash])
    if (link === undefined) return null
    const membership = link.memberId === null ? null : yield* membershipOf(link.memberId)
    const { member = null, workspace = null } = membership ?? {}
    return { link, member, workspace }
  }),
}
