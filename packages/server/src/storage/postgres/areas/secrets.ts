import type { Tx } from '../transaction.ts'

const sql = {
  add: 'INSERT INTO secrets (webhook_id, sealed, created_at, from_version) VALUES ($1, $2, $3, $4)',
  /** It stays, even without an overlap: the log shows what it signed. */
  retire: `
    UPDATE secrets SET expires_at = $2, until_version = $3 WHERE webhook_id = $1 AND expires_at IS NULL`,
  removeAll: 'DELETE FROM secrets WHERE webhook_id = $1',
}

/** @param version of the webhook, from which on the secret signs */
export async function addSecret(
  tx: Tx,
  webhookId: number,
  sealed: Uint8Array,
  version: number,
  now: number,
): Promise<void> {
  await tx.run(sql.add, [webhookId, sealed, now, version])
}

/** The current one goes on signing until `expiresAt`, and is that of earlier versions than this. */
export async function retireSecret(
  tx: Tx,
  webhookId: number,
  expiresAt: number,
  version: number,
): Promise<void> {
  await tx.run(sql.retire, [webhookId, expiresAt, version])
}

export async function removeSecrets(tx: Tx, webhookId: number): Promise<void> {
  await tx.run(sql.removeAll, [webhookId])
}
