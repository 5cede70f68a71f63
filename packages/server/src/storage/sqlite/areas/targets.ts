import { MAX_SIGNING_SECRETS, TARGET_COLUMNS, type TargetRow, toTarget } from '../../records/targets.ts'
import type { SealedSecret, SendingTarget } from '../../rows.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const sql = {
  target: `
    SELECT ${TARGET_COLUMNS} FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.id = ? AND w.deleted_at IS NULL`,
  signing: `
    SELECT sealed, expires_at AS expiresAt FROM secrets
    WHERE webhook_id = ? AND (expires_at IS NULL OR expires_at > ?)
    ORDER BY id DESC LIMIT ${MAX_SIGNING_SECRETS}`,
}

export function targetVerbs({ db }: Store): Pick<VerbTable, 'loadTargets'> {
  const target = db.prepare<[number], TargetRow>(sql.target)
  const signing = db.prepare<[number, number], SealedSecret>(sql.signing)

  function load(webhookId: number, now: number): SendingTarget[] {
    const row = target.get(webhookId)
    return row === undefined ? [] : [toTarget(row, signing.all(webhookId, now))]
  }

  return {
    loadTargets: ({ webhookIds, now }) => webhookIds.flatMap((webhookId) => load(webhookId, now)),
  }
}
