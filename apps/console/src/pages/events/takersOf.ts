import type { EventType } from '../../api/eventTypes.ts'
import type { Webhook } from '../../model/webhook.ts'

/** Those that get events of a type. An empty list of types takes all, where there is such a thing. */
export const takersOf = (
  webhooks: readonly Webhook[],
  type: Pick<EventType, 'type' | 'subscribable'>,
): readonly Webhook[] =>
  type.subscribable
    ? webhooks.filter(({ eventTypes }) => eventTypes.length === 0 || eventTypes.includes(type.type))
    : []
