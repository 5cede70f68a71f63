import { grouped } from '../support/grouped.ts'
import type { RoundPlan } from './plan.ts'
import type { RoundResult } from './round.ts'

/** Counts of actions and observations in all rounds so far. */
export interface Totals {
  readonly rounds: number
  /** Faults by kind. */
  readonly faults: Readonly<Record<string, number>>
  readonly events: number
  /** Publish tries without an answer, or with a 503. */
  readonly failedTries: number
  readonly deliveries: number
  readonly requests: number
  readonly attempts: number
  /** Events that a webhook received successfully more than once, including redeliveries and replays. */
  readonly duplicates: number
  /** Periods in which a node may have lost results. */
  readonly losses: number
  /** Leases that expired although no fault affected their nodes. */
  readonly unforcedLapses: number
  /** Deliveries by final state. */
  readonly states: Readonly<Record<string, number>>
  /** Accepted manual sends. */
  readonly sends: number
}

export class Tally {
  #totals: Totals = {
    rounds: 0,
    faults: {},
    events: 0,
    failedTries: 0,
    deliveries: 0,
    requests: 0,
    attempts: 0,
    duplicates: 0,
    losses: 0,
    unforcedLapses: 0,
    states: {},
    sends: 0,
  }

  get totals(): Totals {
    return this.#totals
  }

  add({ faults }: RoundPlan, { published, hooks, losses, unforcedLapses }: RoundResult): void {
    const before = this.#totals
    const deliveries = hooks.flatMap((hook) => hook.deliveries ?? [])
    const requests = hooks.flatMap((hook) => hook.requests)
    this.#totals = {
      rounds: before.rounds + 1,
      faults: withCounts(
        before.faults,
        faults.map(({ kind }) => kind),
      ),
      events: before.events + published.publishes.reduce((sum, { events }) => sum + events.length, 0),
      failedTries: before.failedTries + published.failedTries,
      deliveries: before.deliveries + deliveries.length,
      requests: before.requests + requests.length,
      attempts: before.attempts + deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0),
      duplicates: before.duplicates + hooks.reduce((sum, hook) => sum + duplicatesIn(hook), 0),
      losses: before.losses + losses.length,
      unforcedLapses: before.unforcedLapses + unforcedLapses,
      states: withCounts(
        before.states,
        deliveries.map(({ status }) => status),
      ),
      sends: before.sends + hooks.reduce((sum, { sends }) => sum + sends.length, 0),
    }
  }
}

function withCounts(before: Readonly<Record<string, number>>, names: readonly string[]) {
  const counts = { ...before }
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function duplicatesIn({ requests }: RoundResult['hooks'][number]): number {
  const received = requests.filter(
    ({ status, answeredAt }) => answeredAt !== null && status !== null && status >= 200 && status < 300,
  )
  return received.length - grouped(received, ({ eventId }) => eventId).size
}
