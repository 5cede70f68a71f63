import { MAX_SIGNING_SECRETS, TARGET_COLUMNS, type TargetRow, toTarget } from '../../records/targets.ts'
import type { SealedSecret, SendingTarget } from '../../rows.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import { hot, reads, type VerbTable } from '../verb.ts'

export const targetSql = {
  /** A row for each secret. */
  load: `
    SELECT ${TARGET_COLUMNS}, x.sealed, x.expires_at
    FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (id, place)
    JOIN webhooks w ON w.id = asked.id AND w.deleted_at IS NULL
    JOIN workspaces s ON s.id = w.workspace_id
    LEFT JOIN LATERAL (
      SELECT id, sealed, expires_at FROM secrets
      WHERE webhook_id = w.id AND (expires_at IS NULL OR expires_at > $2)
      ORDER BY id DESC LIMIT ${MAX_SIGNING_SECRETS}) x ON true
    ORDER BY asked.place, x.id DESC`,
}

interface Row extends TargetRow {
  /** `null` where there is no secret. */
  readonly sealed: Uint8Array | null
  readonly expires_at: number | null
}

export function targetVerbs(_store: Store): Pick<VerbTable, 'loadTargets'> {
  return {
    loadTargets: hot(
      reads(async (tx, { webhookIds, now }) => {
        const distinct = new Set(webhookIds)
        return toTargets(await tx.rows<Row>(targetSql.load, [numbers(distinct), now]))
      }),
    ),
  }
}

/** @param rows those of one target one after another */
function toTargets(rows: readonly Row[]): SendingTarget[] {
  const found = new Map<number, { readonly row: Row; readonly secrets: SealedSecret[] }>()
  for (const row of rows) {
    const target = found.get(row.id) ?? { row, secrets: [] }
    if (row.sealed !== null) target.secrets.push({ sealed: row.sealed, expiresAt: row.expires_at })
    found.set(row.id, target)
  }
  return [...found.values()].map(({ row, secrets }) => toTarget(row, secrets))
}
