import type { DeliveryStatus } from '../../core/delivery.ts'
import { isAmong, mayBeSuccess } from '../../core/statusCodes.ts'
import { type DeliveryFilter, type DeliveryPosition, isNewer } from '../storage.ts'
import { isBeingCanceled } from './deliveries.ts'

type Search = DeliveryFilter & { readonly before: DeliveryPosition | null }

/** What a search must know of a delivery beyond its place in the index. */
export interface DeliveryFacts {
  readonly id: number
  readonly status: DeliveryStatus
  readonly canceled_through: number | null
  readonly type: string
  /** How often it was tried. */
  readonly attempts: number
}

/** The first position that is out of the search's range, seen from the newer side. */
export function searchStart({ before, to }: Search): DeliveryPosition {
  const end = { createdAt: to ?? Number.MAX_SAFE_INTEGER, id: 0 }
  return before === null || isNewer(before, end) ? end : before
}

/** Which entries of a webhook to walk: those of one kind that has an index, or all. */
export type Entries = 'all' | Unhealthy
/** `retrying`: pending, and tried already. */
type Unhealthy = 'failed' | 'dead' | 'canceled' | 'retrying'

const UNHEALTHY: readonly Unhealthy[] = ['failed', 'dead', 'canceled', 'retrying']

/**
 * @param canceling whether rows of the webhook that are pending still may be shown as canceled
 * @returns what to walk, together, for the deliveries that a search wants
 */
export function entriesFor(
  { status, statusCodes: codes }: Pick<DeliveryFilter, 'status' | 'statusCodes'>,
  canceling: boolean,
): readonly Entries[] {
  if (status === 'failed' || status === 'dead') return [status]
  if (status === 'canceled' && !canceling) return [status]
  if (codes === null) return ['all']
  // What was never tried has no code, and what was delivered was so by the code of its latest attempt.
  if (status === 'canceled') return ['canceled', 'retrying']
  if (status === 'pending') return ['retrying']
  if (mayBeSuccess(codes)) return ['all']
  return status === 'delivered' ? [] : UNHEALTHY
}

/**
 * Whether all that is pending should be read, if it is little, in place of a walk: what was never tried has no index by
 * time, and a walk would look at all that was delivered since.
 */
export function isForPending({ status, statusCodes, event }: Search): boolean {
  return status === 'pending' && statusCodes === null && event === null
}

/** @returns those within the range of a search, newest first */
export function inRange(search: Search, positions: readonly DeliveryPosition[]): DeliveryPosition[] {
  const start = searchStart(search)
  const from = search.from ?? 0
  return positions
    .filter((position) => position.createdAt >= from && isNewer(start, position))
    .sort((a, b) => (isNewer(a, b) ? -1 : 1))
}

/** Whether a search must look at what the index does not know. */
export function needsFacts({ status, eventType, statusCodes }: Search): boolean {
  return status !== null || eventType !== null || statusCodes !== null
}

/** @param latestCode the code of the latest attempt, which is asked for last; `null`: no response came */
export function isFound(
  facts: DeliveryFacts,
  { status, eventType, statusCodes }: Search,
  latestCode: () => number | null,
): boolean {
  if (eventType !== null && facts.type !== eventType) return false
  if (status !== null && status !== (isBeingCanceled(facts) ? 'canceled' : facts.status)) return false
  return statusCodes === null || (facts.attempts > 0 && isAmong(statusCodes, latestCode()))
}

/**
 * @param event whose deliveries are looked at, which are as old as it is
 * @returns what their ids must be below to be in the search's range; 0: none is
 */
export function eventBound(search: Search, { createdAt }: { readonly createdAt: number }): number {
  const start = searchStart(search)
  if (createdAt < (search.from ?? 0) || createdAt > start.createdAt) return 0
  return createdAt === start.createdAt ? start.id : Number.MAX_SAFE_INTEGER
}
