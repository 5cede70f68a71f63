import type { WebhookStatus } from '../../../core/switches.ts'
import type { SealedSecret, SendingTarget } from '../../rows.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { EFFECTIVE_STATUS } from './webhookRows.ts'

const sql = {
  add: 'INSERT INTO secrets (webhook_id, sealed, created_at) VALUES (?, ?, ?)',
  retire: 'UPDATE secrets SET expires_at = ? WHERE webhook_id = ? AND expires_at IS NULL',
  removeCurrent: 'DELETE FROM secrets WHERE webhook_id = ? AND expires_at IS NULL',
  removeAll: 'DELETE FROM secrets WHERE webhook_id = ?',
  of: 'SELECT sealed, expires_at FROM secrets WHERE webhook_id = ? ORDER BY id DESC',
  target: `
    SELECT w.id, w.public_id, w.version, s.dialect, w.url, ${EFFECTIVE_STATUS} AS status
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.id = ? AND w.deleted_at IS NULL`,
}

interface TargetRow {
  readonly id: number
  readonly public_id: string
  readonly version: number
  readonly dialect: string
  readonly url: string
  readonly status: WebhookStatus
}

interface SecretRow {
  readonly sealed: Uint8Array
  readonly expires_at: number | null
}

export function secretRows(db: Connection) {
  const add = db.prepare<[number, Uint8Array, number]>(sql.add)
  const retire = db.prepare<[number, number]>(sql.retire)
  const removeCurrent = db.prepare<[number]>(sql.removeCurrent)
  const removeAll = db.prepare<[number]>(sql.removeAll)
  return {
    add: (webhookId: number, sealed: Uint8Array, now: number) => {
      add.run(webhookId, sealed, now)
    },
    /** @param overlapMs how long the old one goes on signing; 0: it is gone at once. */
    replace(webhookId: number, sealed: Uint8Array, overlapMs: number, now: number): void {
      if (overlapMs === 0) removeCurrent.run(webhookId)
      else retire.run(now + overlapMs, webhookId)
      add.run(webhookId, sealed, now)
    },
    removeAll: (webhookId: number) => {
      removeAll.run(webhookId)
    },
  }
}

export function targetVerbs({ db }: Store): Pick<VerbTable, 'loadTargets'> {
  const target = db.prepare<[number], TargetRow>(sql.target)
  const secretsOf = db.prepare<[number], SecretRow>(sql.of)

  function load(webhookId: number): SendingTarget | null {
    const row = target.get(webhookId)
    if (row === undefined) return null
    const { id, public_id: publicId, version, dialect, url, status } = row
    const secrets = secretsOf.all(webhookId).map(toSealed)
    return { id, publicId, version, dialect, url, status, secrets }
  }

  return {
    loadTargets: ({ webhookIds }) => webhookIds.map(load).filter((found) => found !== null),
  }
}

function toSealed(row: SecretRow): SealedSecret {
  return { sealed: row.sealed, expiresAt: row.expires_at }
}
