import type { DeliveryStatus } from '../../core/delivery.ts'
import type { DeliveryFilter, DeliveryPosition } from '../storage.ts'
import { isBeingCanceled } from './deliveries.ts'

type Search = DeliveryFilter & { readonly before: DeliveryPosition | null }

/** What a search must know of a delivery beyond its place in the index. */
export interface DeliveryFacts {
  readonly id: number
  readonly status: DeliveryStatus
  readonly canceled_through: number | null
  readonly type: string
}

/** The first position that is out of the search's range, seen from the newer side. */
export function searchStart({ before, to }: Search): DeliveryPosition {
  const end = { createdAt: to ?? Number.MAX_SAFE_INTEGER, id: 0 }
  return before === null || isNewer(before, end) ? end : before
}

export function isNewer(a: DeliveryPosition, b: DeliveryPosition): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}

/** Which entries of a webhook to walk: those of one stored status that has an index, or all. */
export type Entries = 'all' | 'failed' | 'dead' | 'canceled'

/** @returns what to walk for deliveries that are shown with `status`. */
export function entriesFor(status: DeliveryStatus | null, canceling: boolean): Entries {
  if (status === 'failed' || status === 'dead') return status
  // While a webhook is being canceled, rows that are pending still are shown as canceled.
  return status === 'canceled' && !canceling ? status : 'all'
}

/** Whether a search must look at what the index does not know. */
export function needsFacts({ status, eventType }: Search): boolean {
  return status !== null || eventType !== null
}

export function isFound(facts: DeliveryFacts, { status, eventType }: Search): boolean {
  if (eventType !== null && facts.type !== eventType) return false
  return status === null || status === (isBeingCanceled(facts) ? 'canceled' : facts.status)
}
