import { type DeliverySearch, readDeliverySearch } from './deliverySearch.ts'

/** Search parameters of the list of events. */
export type EventSearch = Pick<DeliverySearch, 'q' | 'type' | 'period' | 'from' | 'to'>

export function readEventSearch(raw: Record<string, unknown>): EventSearch {
  const { q, type, period, from, to } = raw
  return readDeliverySearch({ q, type, period, from, to })
}

/** Most event types in one search. */
const MOST_TYPES = 20

/**
 * Search for the events that a webhook missed.
 * @param eventTypes of the webhook; empty: all. Ignored if there are too many for a search.
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
