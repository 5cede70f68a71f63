import type { Clock } from '../../core/clock.ts'

import { compareTables, copyTables } from '../../storage/move/copy.ts'
import type { MoveTarget } from '../../storage/move/target.ts'
import type { TargetFacts } from '../../storage/move/targetFacts.ts'
import { StoreOpenError } from '../../storage/storage.ts'
import { earlierMove, type Mover, targetObstacles } from './obstacles.ts'
import type { Progress } from './progress.ts'

export interface MoveRun {
  readonly mover: Mover
  readonly target: MoveTarget
  /** Discards the rows that an earlier run copied. */
  readonly startOver: boolean
  readonly progress: Progress
  readonly clock: Clock
}

/**
 * Copies the rest, compares everything, and lets the store continue in the database.
 * @returns how many rows there are; `null` when everything was done before
 * @throws StoreOpenError (rejects) with one line for the operator
 */
export async function runMove({
  mover,
  target,
  startOver,
  progress,
  clock,
}: MoveRun): Promise<number | null> {
  const { source, place, keyCheck } = mover
  const facts = await target.facts()
  if (earlierMove(mover, facts)?.finished === true) {
    // An earlier run may have been killed after the move, before it printed that.
    source.mark({ place, at: clock.now() })
    return null
  }
  // Checked before anything is created there, and again once the tables are locked.
  refuse(targetObstacles(mover, facts))
  const { idKey, state } = source
  await target.begin({ idKey, state }, clock.now(), (now: TargetFacts) => {
    refuse(targetObstacles(mover, now))
    return earlierMove(mover, now) !== null && !startOver
  })
  const rows = source.count()
  try {
    progress.begin('copied', rows)
    await copyTables(source, target, progress.onRows)
    progress.begin('compared', rows)
    await compareTables(source, target, progress.onRows)
  } finally {
    progress.end()
  }
  // In this order: if it is killed between the two, neither store is served before the next run.
  source.mark({ place, at: clock.now() })
  await target.finish(idKey, keyCheck, source.counters, clock.now())
  return [...rows.values()].reduce((sum, count) => sum + count, 0)
}

/** @throws StoreOpenError with the first of them */
export function refuse([first]: readonly string[]): void {
  if (first !== undefined) throw new StoreOpenError(first)
}
