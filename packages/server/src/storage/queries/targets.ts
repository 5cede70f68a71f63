import { MAX_SIGNING_SECRETS, TARGET_COLUMNS, type TargetRow, toTarget } from '../rowMappers/targets.ts'
import type { SealedSecret } from '../rows.ts'
import { hotLook, type Queries } from './query.ts'
import { joinEach, records, sql, tableOf } from './sql.ts'
import { rows } from './work.ts'

const ASKED = tableOf('x', '$1', { id: 'bigint' })

export const targetSql = {
  /** A row for each secret, newest first. */
  load: sql`
    SELECT ${TARGET_COLUMNS}, k.sealed, k.expires_at
    FROM ${ASKED} ${joinEach('webhooks', 'w', 'w.id = x.id AND w.deleted_at IS NULL')}
    JOIN workspaces s ON s.id = w.workspace_id
    LEFT JOIN (
      SELECT * FROM (
        SELECT c.id, c.webhook_id, c.sealed, c.expires_at,
          row_number() OVER (PARTITION BY c.webhook_id ORDER BY c.id DESC) AS place
        FROM ${ASKED}
        ${joinEach('secrets', 'c', 'c.webhook_id = x.id AND (c.expires_at IS NULL OR c.expires_at > $2)')}) ranked
      WHERE place <= ${String(MAX_SIGNING_SECRETS)}) k ON k.webhook_id = w.id
    ORDER BY w.id, k.id DESC`,
}

interface Row extends TargetRow {
  /** `null` where there is no secret. */
  readonly sealed: Uint8Array | null
  readonly expires_at: number | null
}

export const targetQueries: Queries<'loadTargets'> = {
  loadTargets: hotLook(function* ({ webhookIds, now }) {
    const found = yield* rows<Row>(targetSql.load, [
      records([...new Set(webhookIds)].map((id) => ({ id }))),
      now,
    ])
    const secrets = new Map<number, SealedSecret[]>()
    for (const { id, sealed, expires_at: expiresAt } of found) {
      const ofWebhook = secrets.get(id) ?? []
      if (sealed !== null) ofWebhook.push({ sealed, expiresAt })
      secrets.set(id, ofWebhook)
    }
    const webhooks = new Map(found.map((row) => [row.id, row]))
    return [...webhooks.values()].map((row) => toTarget(row, secrets.get(row.id)!))
  }),
}
