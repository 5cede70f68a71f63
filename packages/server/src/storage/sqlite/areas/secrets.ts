import type { Connection } from '../connection.ts'

const sql = {
  add: 'INSERT INTO secrets (webhook_id, sealed, created_at, from_version) VALUES (?, ?, ?, ?)',
  /** It stays, even without an overlap: the log shows what it signed. */
  retire: `
    UPDATE secrets SET expires_at = ?, until_version = ? WHERE webhook_id = ? AND expires_at IS NULL`,
  removeAll: 'DELETE FROM secrets WHERE webhook_id = ?',
}

export function secretRows(db: Connection) {
  const add = db.prepare<[number, Uint8Array, number, number]>(sql.add)
  const retire = db.prepare<[number, number, number]>(sql.retire)
  const removeAll = db.prepare<[number]>(sql.removeAll)
  return {
    /** @param version of the webhook, from which on the secret signs */
    add: (webhookId: number, sealed: Uint8Array, version: number, now: number) => {
      add.run(webhookId, sealed, now, version)
    },
    /** @param overlapMs how long the old one goes on signing */
    replace(webhookId: number, sealed: Uint8Array, overlapMs: number, version: number, now: number): void {
      retire.run(now + overlapMs, version, webhookId)
      add.run(webhookId, sealed, now, version)
    },
    removeAll: (webhookId: number) => {
      removeAll.run(webhookId)
    },
  }
}
