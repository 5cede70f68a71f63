import type { WebhookStatus } from '../../../core/switches.ts'
import type { SealedSecret, SendingTarget } from '../../rows.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { EFFECTIVE_STATUS } from './webhookRows.ts'

/** More than any signature header holds; a webhook may have been rotated thousands of times within one overlap. */
export const MAX_SIGNING_SECRETS = 32

const sql = {
  add: 'INSERT INTO secrets (webhook_id, sealed, created_at, from_version) VALUES (?, ?, ?, ?)',
  /** It stays, even without an overlap: the log shows what it signed. */
  retire: `
    UPDATE secrets SET expires_at = ?, until_version = ? WHERE webhook_id = ? AND expires_at IS NULL`,
  removeAll: 'DELETE FROM secrets WHERE webhook_id = ?',
  signing: `
    SELECT sealed, expires_at FROM secrets
    WHERE webhook_id = ? AND (expires_at IS NULL OR expires_at > ?)
    ORDER BY id DESC LIMIT ${MAX_SIGNING_SECRETS}`,
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

export function targetVerbs({ db }: Store): Pick<VerbTable, 'loadTargets'> {
  const target = db.prepare<[number], TargetRow>(sql.target)
  const signing = db.prepare<[number, number], SecretRow>(sql.signing)

  function load(webhookId: number, now: number): SendingTarget | null {
    const row = target.get(webhookId)
    if (row === undefined) return null
    const { id, public_id: publicId, version, dialect, url, status } = row
    const secrets = signing.all(webhookId, now).map(toSealed)
    return { id, publicId, version, dialect, url, status, secrets }
  }

  return {
    loadTargets: ({ webhookIds, now }) =>
      webhookIds.map((webhookId) => load(webhookId, now)).filter((found) => found !== null),
  }
}

function toSealed(row: SecretRow): SealedSecret {
  return { sealed: row.sealed, expiresAt: row.expires_at }
}
