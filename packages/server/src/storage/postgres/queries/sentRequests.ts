import { MAX_SIGNING_SECRETS } from '../../queries/targets.ts'
import { EVENT_COLUMNS, type EventRow, toEvent } from '../../rowMappers/events.ts'
import type { Attempt, DeliveryRecord, SentRequest } from '../../rows.ts'
import { integers, numbers } from '../arrays.ts'
import type { Tx } from '../transaction.ts'
import { readDelivery } from './deliveryRecords.ts'

export const sentSql = {
  event: `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.id = $1 AND e.created_at = $2`,
  urls: `
    SELECT x.number, u.url
    FROM unnest($2::int[], $3::bigint[]) AS x (number, version)
    CROSS JOIN LATERAL (
      SELECT url FROM webhook_urls WHERE webhook_id = $1 AND from_version <= x.version
      ORDER BY from_version DESC LIMIT 1) u`,
  /** A sender knows the secrets of the version that it has loaded, and uses those that have not expired. */
  secrets: `
    SELECT x.number, s.sealed
    FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS x (number, version, started_at)
    CROSS JOIN LATERAL (
      SELECT id, sealed FROM secrets
      WHERE webhook_id = $1 AND from_version <= x.version
        AND (expires_at IS NULL OR expires_at > x.started_at OR until_version > x.version)
      ORDER BY id DESC LIMIT ${MAX_SIGNING_SECRETS}) s
    ORDER BY x.number, s.id DESC`,
}

/** An attempt of which it is known under which version it was made. */
type Versioned = Attempt & { readonly webhookVersion: number }

/** Finds what the attempts of a delivery were made from; it must run in one snapshot. */
export async function readSentRequests(
  tx: Tx,
  workspaceId: number,
  deliveryId: number,
): Promise<readonly SentRequest[]> {
  const delivery = await readDelivery(tx, workspaceId, deliveryId)
  if (delivery === null) return []
  const attempts = delivery.attempts.filter((one): one is Versioned => one.webhookVersion !== null)
  if (attempts.length === 0) return []
  const [event, urls, secrets] = await readSources(tx, delivery, attempts)
  if (event === undefined) return []
  const stored = toEvent(event)
  return attempts.flatMap(({ number, startedAt }) => {
    const url = urls.get(number)
    const ofAttempt = secrets.filter((row) => row.number === number).map(({ sealed }) => sealed)
    return url === undefined ? [] : [{ number, startedAt, url, secrets: ofAttempt, event: stored }]
  })
}

async function readSources(tx: Tx, delivery: DeliveryRecord, attempts: readonly Versioned[]) {
  const { webhookId, eventId, createdAt } = delivery
  const ofNumbers = integers(attempts.map(({ number }) => number))
  const versions = numbers(attempts.map(({ webhookVersion }) => webhookVersion))
  const starts = numbers(attempts.map(({ startedAt }) => startedAt))
  const [event, urls, secrets] = await Promise.all([
    tx.row<EventRow>(sentSql.event, [eventId, createdAt]),
    tx.rows<{ number: number; url: string }>(sentSql.urls, [webhookId, ofNumbers, versions]),
    tx.rows<{ number: number; sealed: Uint8Array }>(sentSql.secrets, [
      webhookId,
      ofNumbers,
      versions,
      starts,
    ]),
  ])
  return [event, new Map(urls.map(({ number, url }) => [number, url])), secrets] as const
}
