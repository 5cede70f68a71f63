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
  /** Forgets what an earlier run copied. */
  readonly startOver: boolean
  readonly progress: Progress
  readonly clock: Clock
}

/**
 * Copies what is not copied yet, compares everything, and has the store go on in the database.
 * @returns how many rows there are; `null` when all was done before
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
    // The run that finished it may have been killed before it said so.
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
  // In this order: killed between the two, neither is served before this has run once more.
  source.mark({ place, at: clock.now() })
  await target.finish(idKey, keyCheck, source.counters, clock.now())
  return [...rows.values()].reduce((sum, count) => sum + count, 0)
}

/** @throws StoreOpenError with the first of them */
export function refuse([first]: readonly string[]): void {
  if (first !== undefined) throw new StoreOpenError(first)
}
