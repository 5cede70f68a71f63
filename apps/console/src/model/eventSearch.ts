import { type DeliverySearch, readDeliverySearch } from './deliverySearch.ts'

/** What the address bar says of a list of events. */
export type EventSearch = Pick<DeliverySearch, 'q' | 'type' | 'period' | 'from' | 'to'>

export function readEventSearch(raw: Record<string, unknown>): EventSearch {
  const { q, type, period, from, to } = raw
  return readDeliverySearch({ q, type, period, from, to })
}
