import { KEY_COLUMNS, type KeyRow, toKey } from '../../records/keys.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { ApiKey } from '../../rows.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const SELECT = `SELECT ${KEY_COLUMNS} FROM keys k LEFT JOIN members m ON m.id = k.member_id`
const IN_LIVING_WORKSPACE =
  'k.workspace_id IN (SELECT id FROM workspaces WHERE id = ? AND deleted_at IS NULL)'

const sql = {
  /** Nothing is inserted when the workspace or the member is gone. */
  create: `
    INSERT INTO keys (public_id, workspace_id, member_id, name, scopes, hash, expires_at, created_at)
    SELECT @publicId, s.id, @memberId, @name, @scopes, @hash, @expiresAt, @now FROM workspaces s
    WHERE s.id = @workspaceId AND s.deleted_at IS NULL
      AND (@memberId IS NULL OR EXISTS (SELECT 1 FROM members WHERE id = @memberId AND workspace_id = s.id))`,
  byHash: `${SELECT} WHERE k.hash = ?`,
  workspace: `SELECT ${WORKSPACE_COLUMNS} FROM workspaces s WHERE s.id = ? AND s.deleted_at IS NULL`,
  get: `${SELECT} WHERE ${IN_LIVING_WORKSPACE} AND k.public_id = ?`,
  list: `${SELECT} WHERE ${IN_LIVING_WORKSPACE} AND k.id < ? ORDER BY k.id DESC LIMIT ?`,
  revoke: `
    UPDATE keys SET revoked_at = ? WHERE workspace_id = ? AND public_id = ? AND revoked_at IS NULL`,
  touch:
    'UPDATE keys SET last_used_at = @at WHERE id = @keyId AND (last_used_at IS NULL OR last_used_at < @at)',
}

type KeyVerbs = Pick<VerbTable, 'createKey' | 'findKey' | 'getKey' | 'listKeys' | 'revokeKey' | 'touchKeys'>

export function keyVerbs({ db }: Store): KeyVerbs {
  const create = db.prepare<Record<string, unknown>>(sql.create)
  const byHash = db.prepare<[Uint8Array], KeyRow>(sql.byHash)
  const workspaceOf = db.prepare<[number], WorkspaceRow>(sql.workspace)
  const get = db.prepare<[number, string], KeyRow>(sql.get)
  const list = db.prepare<[number, number, number], KeyRow>(sql.list)
  const revoke = db.prepare<[number, number, string]>(sql.revoke)
  const touch = db.prepare<{ keyId: number; at: number }>(sql.touch)

  function find(workspaceId: number, publicId: string): ApiKey | null {
    const row = get.get(workspaceId, publicId)
    return row === undefined ? null : toKey(row)
  }

  return {
    createKey(params) {
      create.run({ ...params, scopes: JSON.stringify(params.scopes) })
      return find(params.workspaceId, params.publicId)
    },
    findKey({ hash }) {
      const row = byHash.get(hash)
      const workspace = row === undefined ? undefined : workspaceOf.get(row.workspace_id)
      return workspace === undefined ? null : { key: toKey(row!), workspace: toWorkspace(workspace) }
    },
    getKey: ({ workspaceId, publicId }) => find(workspaceId, publicId),
    listKeys: ({ workspaceId, limit, before }) =>
      list.all(workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit).map(toKey),
    revokeKey: ({ workspaceId, publicId, now }) => revoke.run(now, workspaceId, publicId).changes > 0,
    touchKeys({ uses }) {
      for (const use of uses) touch.run(use)
    },
  }
}
