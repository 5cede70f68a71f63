import { type DeliverySearch, readDeliverySearch } from './deliverySearch.ts'

/** What the address bar says of a list of events. */
export type EventSearch = Pick<DeliverySearch, 'q' | 'type' | 'period' | 'from' | 'to'>

export function readEventSearch(raw: Record<string, unknown>): EventSearch {
  const { q, type, period, from, to } = raw
  return readDeliverySearch({ q, type, period, from, to })
}

/** One search names so many types at most. */
const MOST_TYPES = 20

/**
 * The events that a webhook missed.
 * @param eventTypes of the webhook; empty: all. More than a search can name are left out.
 */
export function missedSearch(
  { since, until }: { readonly since: string; readonly until: string | null },
  eventTypes: readonly string[],
): EventSearch {
  const narrows = eventTypes.length > 0 && eventTypes.length <= MOST_TYPES
  return {
    from: since,
    ...(until === null ? {} : { to: until }),
    ...(narrows ? { type: eventTypes.join(',') } : {}),
  }
}
