import type { Attempt } from '../../storage/rows.ts'
import type { DeliveryIds } from './trail.ts'

/** What happens inside the engine, for metrics and for tests that wait on signals instead of sleeping. */
export interface EngineObserver {
  /** @param deliveries how many deliveries the events have */
  published(dialect: string, events: number, deliveries: number): void
  /** An attempt ended; it is not recorded yet. @param ids makes the ids of its delivery */
  attempted(dialect: string, attempt: Attempt, ids: () => DeliveryIds): void
  /** An attempt failed by a fault of ours and does not count; its delivery waits. */
  deferred(): void
  /** This node holds sending, or sends again. */
  egressChanged(open: boolean): void
  /** Attempts were stored. */
  recorded(attempts: number): void
  /** Deliveries of a silent node were released. */
  tookOver(deliveries: number): void
  /** Deliveries were canceled that were still pending at the end of the retention. */
  expired(deliveries: number): void
  /** The clock jumped ahead, or back if `byMs` is negative. */
  clockLeapt(byMs: number): void
  /** Retries that were scheduled later than any wait allows are due now. */
  pulledIn(deliveries: number): void
  /** These were added to the search index, in steps of this duration. */
  indexed(events: number, tookMs: number): void
}

export const silentObserver: EngineObserver = {
  published() {},
  attempted() {},
  deferred() {},
  egressChanged() {},
  recorded() {},
  tookOver() {},
  expired() {},
  pulledIn() {},
  indexed() {},
  clockLeapt() {},
}
