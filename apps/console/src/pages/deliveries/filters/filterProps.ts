import type { DeliverySearch } from '../../../model/deliverySearch.ts'

/** Props of all filters. */
export interface FilterProps {
  readonly search: DeliverySearch
  readonly onChange: (change: DeliverySearch) => void
}
