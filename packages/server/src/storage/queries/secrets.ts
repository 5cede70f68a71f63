import type { SecretSpan } from '../storage.ts'
import { list, type Queries } from './query.ts'
import { columns, sql } from './sql.ts'
import { rows, run, type Work } from './work.ts'

export const secretSql = {
  add: sql`INSERT INTO secrets (webhook_id, sealed, created_at, from_version) VALUES ($1, $2, $3, $4)`,
  /** It stays, even without an overlap: the log shows what it signed. */
  retire: sql`
    UPDATE secrets SET expires_at = $2, until_version = $3 WHERE webhook_id = $1 AND expires_at IS NULL`,
  removeAll: sql`DELETE FROM secrets WHERE webhook_id = $1`,
  list: sql`
    SELECT ${columns('createdAt fromVersion expiresAt')} FROM secrets
    WHERE webhook_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY id DESC LIMIT $3`,
}

/** @param version of the webhook, from which on the secret signs */
export const addSecret = (
  webhookId: number,
  sealed: Uint8Array,
  version: number,
  now: number,
): Work<number> => run(secretSql.add, [webhookId, sealed, now, version])

/** The current one goes on signing until `expiresAt`, and is that of earlier versions than this. */
export const retireSecret = (webhookId: number, expiresAt: number, version: number): Work<number> =>
  run(secretSql.retire, [webhookId, expiresAt, version])

export const removeSecrets = (webhookId: number): Work<number> => run(secretSql.removeAll, [webhookId])

export const secretQueries: Queries<'listSecrets'> = {
  listSecrets: list(({ webhookId, limit, now }) => rows<SecretSpan>(secretSql.list, [webhookId, now, limit])),
}
