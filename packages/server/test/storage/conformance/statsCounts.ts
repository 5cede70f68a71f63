import { attemptText, FIRST_COUNTER } from '../../../src/core/stats/counters.ts'
import type { EndedDeliveries } from '../../../src/core/stats/summary.ts'
import { addTally, type ReadonlyTally, readCounts, type Tally } from '../../../src/core/stats/tally.ts'
import { type StatsScope, startOf, UNIT_MS } from '../../../src/core/stats/units.ts'
import type { DeliveryRecord, Webhook } from '../../../src/storage/rows.ts'
import type { StatsPoint } from '../../../src/storage/storage.ts'
import { HOUR_MS, type World } from './world.ts'

export async function rollUpAll(w: World): Promise<void> {
  while (await w.storage.rollUpStats({ now: w.now }));
}

/** By minute, up to now. */
export function statsOf(
  w: World,
  scope: StatsScope,
  id: number,
  from = startOf(w.now, HOUR_MS) - HOUR_MS,
): Promise<readonly StatsPoint[]> {
  const range = { unit: 'minute', stepMs: UNIT_MS.minute, from, to: w.now + 1 } as const
  return w.storage.readStats({ scope, ids: [id], ...range })
}

export async function countsOf(w: World, scope: StatsScope, id: number, from?: number): Promise<Tally> {
  const sum: Tally = new Map()
  for (const { counts } of await statsOf(w, scope, id, from)) addTally(sum, counts)
  return sum
}

/** The attempts of some webhooks according to the log. */
export async function expected(w: World, webhooks: readonly Webhook[]): Promise<Tally> {
  const sum: Tally = new Map()
  for (const webhook of webhooks)
    for (const { attempts, createdAt } of await w.log(webhook))
      for (const attempt of attempts) {
        const text = attemptText(attempt, createdAt)
        readCounts(sum, text)
      }
  return sum
}

/** Counters of final states, and of restarted deliveries. */
const isEnd = (counter: number): boolean => counter > FIRST_COUNTER && counter < 100

/** Only attempts, events and times. */
export const withoutEnds = (counts: ReadonlyTally): Tally =>
  new Map([...counts].filter(([counter]) => !isEnd(counter)))

/** The states of some webhooks' deliveries according to the log. */
export async function ended(w: World, webhooks: readonly Webhook[]): Promise<EndedDeliveries> {
  const log = (await Promise.all(webhooks.map((webhook) => w.log(webhook)))).flat()
  const count = (is: (delivery: DeliveryRecord) => boolean) => log.filter(is).length
  return {
    delivered: count(({ status }) => status === 'delivered'),
    atFirst: count(({ status, attempts }) => status === 'delivered' && attempts.length === 1),
    failed: count(({ status }) => status === 'failed' || status === 'dead'),
    canceled: count(({ status }) => status === 'canceled'),
  }
}
