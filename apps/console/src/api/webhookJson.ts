import type { components } from '../../../../packages/client/src/generated/content.ts'
import type { Webhook, WebhookState } from '../model/webhook.ts'

type ContentWebhook = components['schemas']['Webhook']
/** What each service tells in its own way. */
type Own = Pick<Webhook, 'eventTypes' | 'state'>

/** Takes over what both services tell alike and leaves out everything else: an answer may hold a signing secret. */
export const webhookOf = (json: Omit<Webhook, keyof Own>, own: Own): Webhook => {
  const { id, url, description, createdAt, updatedAt } = json
  return { id, url, description, createdAt, updatedAt, ...own }
}

/** The state of a webhook as the content service tells it, and the admin API without the reason. */
export function stateOf(
  json: Pick<ContentWebhook, 'status' | 'failing_since'> & Partial<Pick<ContentWebhook, 'off_reason'>>,
): WebhookState {
  const { status, off_reason: reason = null, failing_since: since } = json
  if (status === 'off') return { kind: status, reason }
  return status === 'on' && since !== null ? { kind: 'failing', since } : { kind: status }
}
