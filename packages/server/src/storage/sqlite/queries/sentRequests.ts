import { MAX_SIGNING_SECRETS } from '../../queries/targets.ts'
import { EVENT_COLUMNS, type EventRow, toEvent } from '../../rowMappers/events.ts'
import type { Attempt, DeliveryRecord, SentRequest, StoredEvent } from '../../rows.ts'
import type { Connection } from '../connection.ts'
import { deliveryRecords } from './deliveryRecords.ts'

export const sentSql = {
  event: `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.id = ?`,
  url: `
    SELECT url FROM webhook_urls WHERE webhook_id = ? AND from_version <= ?
    ORDER BY from_version DESC LIMIT 1`,
  /** A sender knows the secrets of the version that it has loaded, and uses those that have not expired. */
  secrets: `
    SELECT sealed FROM secrets
    WHERE webhook_id = @webhookId AND from_version <= @version
      AND (expires_at IS NULL OR expires_at > @startedAt OR until_version > @version)
    ORDER BY id DESC LIMIT ${MAX_SIGNING_SECRETS}`,
}

/** @returns a function that finds what the attempts of a delivery were made from; it must run in one transaction. */
export function sentRequestReader(
  db: Connection,
): (workspaceId: number, deliveryId: number) => SentRequest[] {
  const records = deliveryRecords(db)
  const eventOf = db.prepare<[number], EventRow>(sentSql.event)
  const urlOf = db.prepare<[number, number], { readonly url: string }>(sentSql.url)
  const secretsOf = db.prepare<
    { webhookId: number; version: number; startedAt: number },
    { readonly sealed: Uint8Array }
  >(sentSql.secrets)

  function sentRequest({ webhookId }: DeliveryRecord, attempt: Attempt, event: StoredEvent): SentRequest[] {
    const { number, startedAt, webhookVersion: version } = attempt
    const url = version === null ? undefined : urlOf.get(webhookId, version)?.url
    if (version === null || url === undefined) return []
    const secrets = secretsOf.all({ webhookId, version, startedAt }).map(({ sealed }) => sealed)
    return [{ number, startedAt, url, secrets, event }]
  }

  return (workspaceId, deliveryId) => {
    const delivery = records.get(workspaceId, deliveryId)
    if (delivery === null) return []
    const event = toEvent(eventOf.get(delivery.eventId)!)
    return delivery.attempts.flatMap((attempt) => sentRequest(delivery, attempt, event))
  }
}
