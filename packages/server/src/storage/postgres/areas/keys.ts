import { KEY_COLUMNS, type KeyRow, toKey } from '../../records/keys.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { ApiKey } from '../../rows.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import { hot, reads, single, type VerbTable, writes } from '../verb.ts'

const FROM = 'FROM keys k LEFT JOIN members m ON m.id = k.member_id'
const SELECT = `SELECT ${KEY_COLUMNS} ${FROM}`
const IN_LIVING_WORKSPACE =
  'k.workspace_id IN (SELECT id FROM workspaces WHERE id = $1 AND deleted_at IS NULL)'

export const keySql = {
  byHash: `
    SELECT ${KEY_COLUMNS}, to_json(s) AS workspace ${FROM}
    CROSS JOIN LATERAL (
      SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = k.workspace_id AND deleted_at IS NULL OFFSET 0) s
    WHERE k.hash = $1`,
  list: `${SELECT} WHERE ${IN_LIVING_WORKSPACE} AND k.id < $2 ORDER BY k.id DESC LIMIT $3`,
  /** A key that another node touches at this moment is passed over: one use is as good as the other. */
  touch: `
    UPDATE keys SET last_used_at = used.at
    FROM (
      SELECT k.id, u.at
      FROM (SELECT id, max(at) AS at FROM unnest($1::bigint[], $2::bigint[]) AS u (id, at) GROUP BY id) u
      JOIN keys k ON k.id = u.id WHERE k.last_used_at IS NULL OR k.last_used_at < u.at
      FOR NO KEY UPDATE OF k SKIP LOCKED) used
    WHERE keys.id = used.id`,
}

const sql = {
  /** Nothing is inserted when the workspace or the member is gone, and neither goes before the key is there. */
  create: `
    INSERT INTO keys (public_id, workspace_id, member_id, name, scopes, hash, expires_at, created_at)
    SELECT $3, s.id, $2, $4, $5, $6, $7, $8 FROM workspaces s
    WHERE s.id = $1 AND s.deleted_at IS NULL AND (
      $2::bigint IS NULL OR EXISTS (SELECT 1 FROM members WHERE id = $2 AND workspace_id = s.id FOR KEY SHARE))
    FOR SHARE OF s`,
  get: `${SELECT} WHERE ${IN_LIVING_WORKSPACE} AND k.public_id = $2`,
  revoke: `
    UPDATE keys SET revoked_at = $3 WHERE workspace_id = $1 AND public_id = $2 AND revoked_at IS NULL`,
}

type KeyVerbs = Pick<VerbTable, 'createKey' | 'findKey' | 'getKey' | 'listKeys' | 'revokeKey' | 'touchKeys'>

export function keyVerbs(_store: Store): KeyVerbs {
  return {
    createKey: writes(async (tx, params) => {
      const { workspaceId, publicId, memberId, name, scopes, hash, expiresAt, now } = params
      const values = [publicId, name, JSON.stringify(scopes), hash, expiresAt, now]
      const [, row] = await Promise.all([
        tx.run(sql.create, [workspaceId, memberId, ...values]),
        tx.row<KeyRow>(sql.get, [workspaceId, publicId]),
      ])
      return orNull(row)
    }),
    findKey: hot(
      reads(async (tx, { hash }) => {
        const row = await tx.row<KeyRow & { readonly workspace: WorkspaceRow }>(keySql.byHash, [hash])
        return row === undefined ? null : { key: toKey(row), workspace: toWorkspace(row.workspace) }
      }),
    ),
    getKey: reads(async (tx, { workspaceId, publicId }) =>
      orNull(await tx.row<KeyRow>(sql.get, [workspaceId, publicId])),
    ),
    listKeys: reads(async (tx, { workspaceId, limit, before }) => {
      const values = [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit]
      return (await tx.rows<KeyRow>(keySql.list, values)).map(toKey)
    }),
    revokeKey: writes(
      async (tx, { workspaceId, publicId, now }) =>
        (await tx.run(sql.revoke, [workspaceId, publicId, now])) > 0,
    ),
    touchKeys: single(async (tx, { uses }) => {
      await tx.run(keySql.touch, [numbers(uses.map(({ keyId }) => keyId)), numbers(uses.map(({ at }) => at))])
    }),
  }
}

function orNull(row: KeyRow | undefined): ApiKey | null {
  return row === undefined ? null : toKey(row)
}
