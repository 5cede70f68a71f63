import type { EventType } from '../../api/eventTypes.ts'
import type { Webhook } from '../../model/webhook.ts'

export interface Group {
  readonly name: string
  readonly types: readonly EventType[]
}

/**
 * The event types in which every word is found, under their headings and in the order of the catalog.
 * @param query words with blanks between; looked for in name, title, heading and description
 */
export function groupsOf(types: readonly EventType[], query: string): readonly Group[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = types.filter(({ type, title, group, description }) => {
    const text = [type, title, group, description].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const names = [...new Set(found.map(({ group }) => group))]
  return names.map((name) => ({ name, types: found.filter(({ group }) => group === name) }))
}

/** Those that get events of a type. An empty list of types takes all, where there is such a thing. */
export const takersOf = (webhooks: readonly Webhook[], type: EventType): readonly Webhook[] =>
  type.subscribable
    ? webhooks.filter(({ eventTypes }) => eventTypes.length === 0 || eventTypes.includes(type.type))
    : []
