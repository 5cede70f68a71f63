import type { SealedSecret, SendingTarget } from '../rows.ts'
import { hotLookup, type Queries } from './query.ts'
import { EFFECTIVE_STATUS } from './records.ts'
import { columns, each, joinEach, records, sql, tableOf } from './sql.ts'
import { all, rows, rowsOfEach } from './work.ts'

/** More than any signature header holds; a webhook may have been rotated thousands of times within one overlap. */
export const MAX_SIGNING_SECRETS = 32

const ASKED = tableOf('x', '$1', { id: 'bigint' })

export const targetSql = {
  webhooks: sql`
    SELECT ${columns('id workspaceId publicId version url', 'w')}, s.dialect, ${EFFECTIVE_STATUS} AS status
    FROM ${ASKED} ${joinEach('webhooks', 'w', 'w.id = x.id AND w.deleted_at IS NULL')}
    JOIN workspaces s ON s.id = w.workspace_id`,
  /** Newest first. */
  secrets: each(
    { webhook_id: 'bigint' },
    sql`
      SELECT sealed, expires_at AS "expiresAt" FROM secrets
      WHERE webhook_id = x.webhook_id AND (expires_at IS NULL OR expires_at > $3)
      ORDER BY id DESC LIMIT ${String(MAX_SIGNING_SECRETS)}`,
  ),
}

export const targetQueries: Queries<'loadTargets'> = {
  loadTargets: hotLookup(function* ({ webhookIds, now }) {
    const ids = [...new Set(webhookIds)]
    const [webhooks, secrets] = yield* all(
      rows<Omit<SendingTarget, 'secrets'>>(targetSql.webhooks, [records(ids.map((id) => ({ id })))]),
      rowsOfEach<SealedSecret>(
        targetSql.secrets,
        ids.map((id) => ({ webhook_id: id })),
        null,
        [now],
      ),
    )
    const secretsOf = new Map(ids.map((id, position) => [id, secrets[position]!]))
    return webhooks.map((webhook) => ({ ...webhook, secrets: secretsOf.get(webhook.id)! }))
  }),
}
