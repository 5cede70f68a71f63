import type { DeliverySearch } from '../../../model/deliverySearch.ts'

/** What each filter is given: what is chosen, and how to choose something else. */
export interface FilterProps {
  readonly search: DeliverySearch
  readonly onChange: (change: DeliverySearch) => void
}
