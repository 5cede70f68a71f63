import type { ApiKey, Workspace } from '../rows.ts'
import { hotLookup, list, lookup, type Queries, write, writeStatement } from './query.ts'
import { WORKSPACE } from './rowMappers.ts'
import {
  asObject,
  columns,
  FOR_KEY_SHARE,
  forShareOf,
  joinEach,
  objectOf,
  records,
  skipLockedOf,
  sql,
  tableOf,
  typed,
} from './sql.ts'
import { all, row, rows, run, type Work } from './work.ts'

const KEY_COLUMNS = `
  ${columns('id publicId workspaceId memberId name scopes createdAt expiresAt revokedAt lastUsedAt', 'k')},
  m.public_id AS "memberPublicId", m.role AS "memberRole"`
const FROM = 'FROM keys k LEFT JOIN members m ON m.id = k.member_id'
const SELECT = `SELECT ${KEY_COLUMNS} ${FROM}`
const IN_LIVING_WORKSPACE =
  'k.workspace_id IN (SELECT id FROM workspaces WHERE id = $1 AND deleted_at IS NULL)'

export const keySql = {
  /** Inserts nothing when the workspace or the member is gone, and neither goes before the key is there. */
  create: sql`
    INSERT INTO keys (public_id, workspace_id, member_id, name, scopes, hash, expires_at, created_at)
    SELECT $3, s.id, $2, $4, $5, $6, $7, $8 FROM workspaces s
    WHERE s.id = $1 AND s.deleted_at IS NULL AND (${typed('$2', 'bigint')} IS NULL
      OR EXISTS (SELECT 1 FROM members WHERE id = $2 AND workspace_id = s.id ${FOR_KEY_SHARE}))
    ${forShareOf('s')}`,
  byHash: sql`
    SELECT ${KEY_COLUMNS}, ${asObject(WORKSPACE, 's')} AS workspace ${FROM}
    ${joinEach('workspaces', 's', 's.id = k.workspace_id AND s.deleted_at IS NULL')}
    WHERE k.hash = $1`,
  get: sql`${SELECT} WHERE ${IN_LIVING_WORKSPACE} AND k.public_id = $2`,
  list: sql`${SELECT} WHERE ${IN_LIVING_WORKSPACE} AND k.id < $2 ORDER BY k.id DESC LIMIT $3`,
  revoke: sql`
    UPDATE keys SET revoked_at = $3 WHERE workspace_id = $1 AND public_id = $2 AND revoked_at IS NULL`,
  /** Passes over a key that another node touches at this moment: one use is as good as the other. */
  touch: sql`
    UPDATE keys SET last_used_at = used.at
    FROM (
      SELECT k.id, u.at
      FROM (SELECT id, max(at) AS at FROM ${tableOf('uses', '$1', { id: 'bigint', at: 'bigint' })} GROUP BY id) u
      JOIN keys k ON k.id = u.id WHERE k.last_used_at IS NULL OR k.last_used_at < u.at
      ${skipLockedOf('k')}) used
    WHERE keys.id = used.id`,
}

/** Its scopes are JSON. */
type KeyRow = Omit<ApiKey, 'scopes'> & { readonly scopes: string }

const toKey = (row: KeyRow): ApiKey => ({ ...row, scopes: JSON.parse(row.scopes) as string[] })

export const keyQueries: Queries<
  'createKey' | 'findKey' | 'getKey' | 'listKeys' | 'revokeKey' | 'touchKeys'
> = {
  createKey: write(function* ({ workspaceId, publicId, memberId, name, scopes, hash, expiresAt, now }) {
    const values = [publicId, name, JSON.stringify(scopes), hash, expiresAt, now]
    const [, key] = yield* all(
      run(keySql.create, [workspaceId, memberId, ...values]),
      find(workspaceId, publicId),
    )
    return key
  }),
  findKey: hotLookup(function* ({ hash }) {
    const found = yield* row<KeyRow & { readonly workspace: Workspace | string }>(keySql.byHash, [hash])
    if (found === undefined) return null
    const { workspace, ...key } = found
    return { key: toKey(key), workspace: objectOf(workspace) }
  }),
  getKey: lookup(({ workspaceId, publicId }) => find(workspaceId, publicId)),
  listKeys: list(function* ({ workspaceId, limit, before }) {
    const values = [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit]
    return (yield* rows<KeyRow>(keySql.list, values)).map(toKey)
  }),
  revokeKey: write(function* ({ workspaceId, publicId, now }) {
    return (yield* run(keySql.revoke, [workspaceId, publicId, now])) > 0
  }),
  touchKeys: writeStatement(function* ({ uses }) {
    yield* run(keySql.touch, [records(uses.map(({ keyId: id, at }) => ({ id, at })))])
  }),
}

function* find(workspaceId: number, publicId: string): Work<ApiKey | null> {
  const found = yield* row<KeyRow>(keySql.get, [workspaceId, publicId])
  return found === undefined ? null : toKey(found)
}
