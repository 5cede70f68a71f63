import type { SealedSecret, SendingTarget } from '../rows.ts'
import { hotLookup, type Queries } from './query.ts'
import { EFFECTIVE_STATUS, perSecond } from './rowMappers.ts'
import { columns, each, sql } from './sql.ts'
import { rowsOfEach } from './work.ts'

/** More than any signature header has room for; a webhook may have been rotated thousands of times within one overlap. */
export const MAX_SIGNING_SECRETS = 32

export const targetSql = {
  /** A row for each secret, newest first. One statement, so that secrets and version are of one state of the webhook. */
  load: each(
    { webhook_id: 'bigint' },
    sql`
      SELECT ${columns('id workspaceId publicId version url maxInFlight', 'w')}, w.max_per_1000_s AS rate, s.dialect, s.slug AS "workspaceSlug",
        ${EFFECTIVE_STATUS} AS status, k.sealed, k.expires_at AS "expiresAt"
      FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
      LEFT JOIN (
        SELECT id, sealed, expires_at FROM secrets
        WHERE webhook_id = x.webhook_id AND (expires_at IS NULL OR expires_at > $3)
        ORDER BY id DESC LIMIT ${String(MAX_SIGNING_SECRETS)}) k ON true
      WHERE w.id = x.webhook_id AND w.deleted_at IS NULL ORDER BY k.id DESC`,
  ),
}

interface Row extends Omit<SendingTarget, 'secrets' | 'maxPerSecond'> {
  readonly rate: number | null
  /** `null` where there is no secret. */
  readonly sealed: Uint8Array | null
  readonly expiresAt: number | null
}

export const targetQueries: Queries<'loadTargets'> = {
  loadTargets: hotLookup(function* ({ webhookIds, now }) {
    const asked = [...new Set(webhookIds)].map((id) => ({ webhook_id: id }))
    const found = yield* rowsOfEach<Row>(targetSql.load, asked, null, [now])
    return found.filter((rows) => rows.length > 0).map(toTarget)
  }),
}

/** @param rows those of one webhook */
function toTarget(rows: readonly Row[]): SendingTarget {
  const { sealed: _, expiresAt: __, rate, ...webhook } = rows[0]!
  const secrets = rows.flatMap(({ sealed, expiresAt }): SealedSecret[] =>
    sealed === null ? [] : [{ sealed, expiresAt }],
  )
  return { ...webhook, maxPerSecond: perSecond(rate), secrets }
}
