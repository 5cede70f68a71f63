import type { Delivery } from './delivery.ts'

/**
 * Rows of one event, one below the other: where the first of them stands.
 * @returns each with how many rows its event has, if it is the first of them; 0: it is not
 */
export function groupedByEvent(
  rows: readonly Delivery[],
): readonly { readonly delivery: Delivery; readonly ofEvent: number }[] {
  const groups = new Map<string, Delivery[]>()
  for (const delivery of rows) {
    const group = groups.get(delivery.eventId)
    if (group === undefined) groups.set(delivery.eventId, [delivery])
    else group.push(delivery)
  }
  return [...groups.values()].flatMap((group) =>
    group.map((delivery, place) => ({ delivery, ofEvent: place === 0 ? group.length : 0 })),
  )
}
