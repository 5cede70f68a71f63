import type { SealedSecret, SendingTarget } from '../rows.ts'
import { hotLookup, type Queries } from './query.ts'
import { EFFECTIVE_STATUS } from './records.ts'
import { columns, joinEach, records, sql, tableOf } from './sql.ts'
import { rows } from './work.ts'

/** More than any signature header holds; a webhook may have been rotated thousands of times within one overlap. */
export const MAX_SIGNING_SECRETS = 32

const ASKED = tableOf('x', '$1', { id: 'bigint' })

export const targetSql = {
  /** A row for each secret, newest first. */
  load: sql`
    SELECT ${columns('id workspaceId publicId version url', 'w')}, s.dialect, ${EFFECTIVE_STATUS} AS status,
      k.sealed, k.expires_at AS "expiresAt"
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

interface Row extends Omit<SendingTarget, 'secrets'> {
  /** `null` where there is no secret. */
  readonly sealed: Uint8Array | null
  readonly expiresAt: number | null
}

export const targetQueries: Queries<'loadTargets'> = {
  loadTargets: hotLookup(function* ({ webhookIds, now }) {
    const found = yield* rows<Row>(targetSql.load, [
      records([...new Set(webhookIds)].map((id) => ({ id }))),
      now,
    ])
    const targets = new Map<number, SendingTarget & { readonly secrets: SealedSecret[] }>()
    for (const { sealed, expiresAt, ...webhook } of found) {
      const target = targets.get(webhook.id) ?? { ...webhook, secrets: [] }
      if (sealed !== null) target.secrets.push({ sealed, expiresAt })
      targets.set(webhook.id, target)
    }
    return [...targets.values()]
  }),
}
