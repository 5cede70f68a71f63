import type { DeliveryRecord } from '../../../storage/rows.ts'
import { type DeliveryPosition, isNewer } from '../../../storage/storage.ts'

/** How many of a list are watched: its newest. */
export const WATCHED_DELIVERIES = 50
/** So many deliveries are remembered as shown: what leaves the newest and comes back is not shown again. */
const REMEMBERED = 10 * WATCHED_DELIVERIES

/** What one look at a list found. */
export interface PollResult {
  /** One more than are watched, where there are so many. */
  readonly deliveries: readonly DeliveryRecord[]
  /** As far as it looked; `null`: at all there are. */
  readonly next: DeliveryPosition | null
}

export interface Changes {
  /** New ones, and those that are not as they were, newest first. */
  readonly deliveries: readonly DeliveryRecord[]
  /** Whether there are new ones that were not looked at. */
  readonly more: boolean
}

/** What one viewer was shown of a list. */
export class ShownDeliveries {
  readonly #states = new Map<number, string>()
  #newest: DeliveryPosition | null = null
  #begun = false

  /** @returns what has changed since the viewer was shown something; `null`: nothing. At first all is new. */
  changesIn({ deliveries, next }: PollResult): Changes | null {
    const watched = deliveries.slice(0, WATCHED_DELIVERIES)
    const changed = watched.filter((delivery) => this.#states.get(delivery.id) !== stateOf(delivery))
    if (this.#begun && changed.length === 0) return null
    const end = deliveries[WATCHED_DELIVERIES] ?? next
    const more = end !== null && (this.#newest === null || isNewer(end, this.#newest))
    this.#begun = true
    this.#remember(changed)
    this.#newest = watched[0] ?? this.#newest
    return { deliveries: changed, more }
  }

  #remember(changed: readonly DeliveryRecord[]): void {
    for (const delivery of changed) {
      // Deleted and set again, so that the latest change is dropped last.
      this.#states.delete(delivery.id)
      this.#states.set(delivery.id, stateOf(delivery))
    }
    for (const id of this.#states.keys()) {
      if (this.#states.size <= REMEMBERED) break
      this.#states.delete(id)
    }
  }
}

function stateOf({ status, attempts, nextAttemptAt, finishedAt }: DeliveryRecord): string {
  return `${status} ${attempts.at(-1)?.number} ${nextAttemptAt} ${finishedAt}`
}
