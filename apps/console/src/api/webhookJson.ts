import type { Webhook, WebhookState } from '../model/webhook.ts'
import { camelKeys } from './camelKeys.ts'
import type { ServiceDescription } from './serviceDescription.ts'

/** The state of a webhook, if its service shows it. */
interface StateJson {
  readonly status: 'on' | 'off' | 'paused'
  readonly failingSince: string | null
  readonly offReason?: 'gone' | 'failing' | 'manual' | null
}

/** A webhook with camel-case names. */
interface WebhookJson extends Omit<Webhook, 'eventTypes' | 'state'>, Partial<StateJson> {
  readonly events?: readonly string[]
  readonly types?: readonly string[]
}

/** Reads a webhook and omits all other members: a response may contain a signing secret. */
export function webhookOf(
  json: unknown,
  { words, webhook }: Pick<ServiceDescription, 'words' | 'webhook'>,
): Webhook {
  const read = camelKeys(json as WebhookJson)
  const { id, url, description, maxPerSecond, maxInFlight } = read
  const { createdAt, updatedAt, snoozedUntil, alertedAt, warn } = read
  return {
    ...{ id, url, description, maxPerSecond, maxInFlight, createdAt, updatedAt, snoozedUntil, alertedAt },
    warn: warn === null ? null : (camelKeys(warn) as Webhook['warn']),
    eventTypes: read[words.types] ?? [],
    // A webhook without a state cannot be disabled. Only suspending its workspace pauses it.
    state: webhook.state ? stateOf(read as StateJson) : { kind: 'on' },
  }
}

/** The state of a webhook from the API of its service, or from the admin API, which has no reason. */
export function stateOf({ status, offReason: reason = null, failingSince: since }: StateJson): WebhookState {
  if (status === 'off') return { kind: status, reason }
  return status === 'on' && since !== null ? { kind: 'failing', since } : { kind: status }
}
