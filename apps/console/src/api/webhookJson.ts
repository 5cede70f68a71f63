import type { Webhook, WebhookState } from '../model/webhook.ts'
import { camelKeys } from './camelKeys.ts'
import type { ServiceDescription } from './serviceDescription.ts'

/** The state of a webhook from the API of its service, or from the admin API, which has no reason. */
interface StateJson {
  /** Absent: the service cannot disable webhooks. */
  readonly status?: 'on' | 'off' | 'paused'
  readonly failingSince: string | null
  readonly offReason?: 'gone' | 'failing' | 'manual' | null
}

/** A webhook with camel-case names. */
interface WebhookJson extends Omit<Webhook, 'eventTypes' | 'state'>, StateJson {
  readonly events?: readonly string[]
  readonly types?: readonly string[]
}

/** Reads a webhook and omits all other members: a response may contain a signing secret. */
export function webhookOf(json: unknown, { words }: Pick<ServiceDescription, 'words'>): Webhook {
  const read = camelKeys(json as WebhookJson)
  const { id, url, description, maxPerSecond, maxInFlight } = read
  const { createdAt, updatedAt, snoozedUntil, alertedAt, warn } = read
  return {
    ...{ id, url, description, maxPerSecond, maxInFlight, createdAt, updatedAt, snoozedUntil, alertedAt },
    warn: warn === null ? null : (camelKeys(warn) as Webhook['warn']),
    eventTypes: read[words.types] ?? [],
    state: stateOf(read),
  }
}

export function stateOf({
  status = 'on',
  offReason: reason = null,
  failingSince: since,
}: StateJson): WebhookState {
  if (status === 'off') return { kind: status, reason }
  return status === 'on' && since !== null ? { kind: 'failing', since } : { kind: status }
}
