import { KEPT_ENDED_TOKENS, MAX_ADMIN_TOKENS } from '../interface/adminTokens.ts'
import type { AdminToken } from '../rows.ts'
import { hotLookup, list, lookup, type Queries, write, writeStatement } from './query.ts'
import { columns, records, skipLockedOf, sql, tableOf } from './sql.ts'
import { row, rows, run } from './work.ts'

const COLUMNS = columns('id publicId name createdAt expiresAt revokedAt lastUsedAt')
const SELECT = `SELECT ${COLUMNS} FROM admin_tokens`
const WORKS = (now: string) => `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`

export const adminTokenSql = {
  create: sql`
    INSERT INTO admin_tokens (public_id, name, hash, expires_at, created_at)
    SELECT $1, $2, $3, $4, $5
    WHERE (SELECT count(*) FROM admin_tokens WHERE ${WORKS('$5')}) < ${String(MAX_ADMIN_TOKENS)}
    RETURNING ${COLUMNS}`,
  forgetEnded: sql`
    DELETE FROM admin_tokens WHERE NOT (${WORKS('$1')}) AND id < (
      SELECT min(id) FROM (
        SELECT id FROM admin_tokens WHERE NOT (${WORKS('$1')}) ORDER BY id DESC LIMIT ${String(KEPT_ENDED_TOKENS)}
      ) kept)`,
  byHash: sql`${SELECT} WHERE hash = $1`,
  get: sql`${SELECT} WHERE public_id = $1`,
  list: sql`${SELECT} WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  revoke: sql`UPDATE admin_tokens SET revoked_at = $2 WHERE public_id = $1 AND revoked_at IS NULL`,
  /** Skips a token that another node is updating: its time is as good as this one. */
  touch: sql`
    UPDATE admin_tokens SET last_used_at = used.at
    FROM (
      SELECT t.id, u.at
      FROM (SELECT id, max(at) AS at FROM ${tableOf('uses', '$1', { id: 'bigint', at: 'bigint' })} GROUP BY id) u
      JOIN admin_tokens t ON t.id = u.id WHERE t.last_used_at IS NULL OR t.last_used_at < u.at
      ${skipLockedOf('t')}) used
    WHERE admin_tokens.id = used.id`,
}

export const adminTokenQueries: Queries<
  | 'createAdminToken'
  | 'findAdminToken'
  | 'getAdminToken'
  | 'listAdminTokens'
  | 'revokeAdminToken'
  | 'touchAdminTokens'
> = {
  createAdminToken: write(function* ({ publicId, name, hash, expiresAt, now }) {
    const values = [publicId, name, hash, expiresAt, now]
    const made = (yield* row<AdminToken>(adminTokenSql.create, values)) ?? null
    if (made !== null) yield* run(adminTokenSql.forgetEnded, [now])
    return made
  }),
  findAdminToken: hotLookup(function* ({ hash }) {
    return (yield* row<AdminToken>(adminTokenSql.byHash, [hash])) ?? null
  }),
  getAdminToken: lookup(function* ({ publicId }) {
    return (yield* row<AdminToken>(adminTokenSql.get, [publicId])) ?? null
  }),
  listAdminTokens: list(({ limit, before }) =>
    rows<AdminToken>(adminTokenSql.list, [before ?? Number.MAX_SAFE_INTEGER, limit]),
  ),
  revokeAdminToken: write(function* ({ publicId, now }) {
    return (yield* run(adminTokenSql.revoke, [publicId, now])) > 0
  }),
  touchAdminTokens: writeStatement(function* ({ uses }) {
    yield* run(adminTokenSql.touch, [records(uses.map(({ tokenId: id, at }) => ({ id, at })))])
  }),
}
