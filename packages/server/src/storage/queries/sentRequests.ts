import { versionsOfAttempt } from '../../core/sentUnder.ts'
import type { Attempt, StoredEvent } from '../rows.ts'
import { readDelivery } from './deliveries.ts'
import { EVENT_COLUMNS } from './feed.ts'
import { listInTransaction, type Queries } from './query.ts'
import { each, type Fragment, sql } from './sql.ts'
import { MAX_SIGNING_SECRETS } from './targets.ts'
import { all, row, rowsOfEach } from './work.ts'

const OF_DAY: Fragment = { sqlite: '', postgres: 'AND e.created_at = $2' }

export const sentSql = {
  event: sql`SELECT ${EVENT_COLUMNS} FROM events e WHERE e.id = $1 ${OF_DAY}`,
  urls: each(
    { version: 'bigint' },
    sql`
      SELECT url FROM webhook_urls WHERE webhook_id = $3 AND from_version <= x.version
      ORDER BY from_version DESC LIMIT 1`,
  ),
  /** A sender knows the secrets of the version that it has loaded, and uses those that have not expired. */
  secrets: each(
    { version: 'bigint', started_at: 'bigint' },
    sql`
      SELECT sealed FROM secrets
      WHERE webhook_id = $3 AND from_version <= x.version
        AND (expires_at IS NULL OR expires_at > x.started_at OR until_version > x.version)
      ORDER BY id DESC LIMIT ${String(MAX_SIGNING_SECRETS)}`,
  ),
}

/** An attempt with a recorded version. */
type Versioned = Attempt & { readonly webhookVersion: number }

export const sentRequestQueries: Queries<'getSentRequests'> = {
  getSentRequests: listInTransaction(function* ({ workspaceId, deliveryId }) {
    const delivery = yield* readDelivery(workspaceId, deliveryId)
    const attempts = delivery?.attempts.filter((one): one is Versioned => one.webhookVersion !== null) ?? []
    if (delivery === null || attempts.length === 0) return []
    const { webhookId, eventId, createdAt } = delivery
    const asked = attempts.map(({ webhookVersion, startedAt }) => ({
      version: versionsOfAttempt(webhookVersion).webhook,
      started_at: startedAt,
    }))
    const versions = asked.map(({ version }) => ({ version }))
    const [event, urls, secrets] = yield* all(
      row<StoredEvent>(sentSql.event, [eventId, createdAt]),
      rowsOfEach<{ readonly url: string }>(sentSql.urls, versions, null, [webhookId]),
      rowsOfEach<{ readonly sealed: Uint8Array }>(sentSql.secrets, asked, null, [webhookId]),
    )
    if (event === undefined) return []
    return attempts.flatMap(({ number, startedAt, webhookVersion }, at) =>
      urls[at]!.map(({ url }) => {
        const profileVersion = versionsOfAttempt(webhookVersion).profile
        const sealed = secrets[at]!.map((secret) => secret.sealed)
        return { number, startedAt, profileVersion, url, secrets: sealed, event }
      }),
    )
  }),
}
