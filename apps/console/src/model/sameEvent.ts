import type { Delivery } from './delivery.ts'

/**
 * Groups rows of the same event at the position of the first.
 * @returns `ofEvent`: number of rows of the event on its first row, 0 on the others
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
