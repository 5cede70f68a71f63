import type { EventType } from '../../api/eventTypes.ts'
import type { Webhook } from '../../model/webhook.ts'

/** The webhooks that are subscribed to a type. An empty list of types means all. */
export const takersOf = (
  webhooks: readonly Webhook[],
  type: Pick<EventType, 'type' | 'subscribable'>,
): readonly Webhook[] =>
  type.subscribable
    ? webhooks.filter(({ eventTypes }) => eventTypes.length === 0 || eventTypes.includes(type.type))
    : []
