import { attemptText } from '../../../src/core/figures/counters.ts'
import { addTally, readCounts, type Tally } from '../../../src/core/figures/tally.ts'
import { type FigureScope, startOf, UNIT_MS } from '../../../src/core/figures/units.ts'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { Figure } from '../../../src/storage/storage.ts'
import { HOUR_MS, type World } from './world.ts'

export async function rollUpAll(w: World): Promise<void> {
  while (await w.storage.rollUpFigures({}));
}

/** By minute, up to now. */
export function figuresOf(
  w: World,
  scope: FigureScope,
  id: number,
  from = startOf(w.now, HOUR_MS) - HOUR_MS,
): Promise<readonly Figure[]> {
  const range = { unit: 'minute', stepMs: UNIT_MS.minute, from, to: w.now + 1 } as const
  return w.storage.readFigures({ scope, ids: [id], ...range })
}

export async function countsOf(w: World, scope: FigureScope, id: number, from?: number): Promise<Tally> {
  const sum: Tally = new Map()
  for (const { counts } of await figuresOf(w, scope, id, from)) addTally(sum, counts)
  return sum
}

/** What the log says of the attempts of some webhooks. */
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
