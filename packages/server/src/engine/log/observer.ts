import type { Attempt } from '../../storage/rows.ts'
import type { DeliveryIds } from './trail.ts'

/** What happens inside the engine, for metrics and for tests that wait on signals instead of sleeping. */
export interface EngineObserver {
  /** @param deliveries how many the events made */
  published(dialect: string, events: number, deliveries: number): void
  /** An attempt ended; it is not recorded yet. @param ids makes the ids of its delivery */
  attempted(dialect: string, attempt: Attempt, ids: () => DeliveryIds): void
  /** An attempt failed by a fault of ours and does not count; its delivery waits. */
  putOff(): void
  /** This node holds sending, or sends again. */
  egressChanged(open: boolean): void
  /** Attempts reached the store. */
  recorded(attempts: number): void
  /** Deliveries of a silent node were released. */
  tookOver(deliveries: number): void
  /** Deliveries were canceled that were still pending after the retention. */
  expired(deliveries: number): void
  /** The clock leapt ahead, or back where `byMs` is negative. */
  clockLeapt(byMs: number): void
  /** Retries were made due now that were due later than any wait allows. */
  pulledIn(deliveries: number): void
  /** The index of the search got these, in steps that took so long. */
  indexed(events: number, tookMs: number): void
}

export const silentObserver: EngineObserver = {
  published() {},
  attempted() {},
  putOff() {},
  egressChanged() {},
  recorded() {},
  tookOver() {},
  expired() {},
  pulledIn() {},
  indexed() {},
  clockLeapt() {},
}
