import { SECOND_MS } from '../../src/core/duration.ts'
import type { FlatStorage } from './flatStorage.ts'
import type { ManualClock } from './manualClock.ts'

/** A node notes every 10 s that it can send; without a note for 30 s there was an outage. */
const STEP_MS = 8 * SECOND_MS

/** Moves a clock on so slowly that a node does all that it does in that time, its store included. */
export async function passTime(
  clock: ManualClock,
  storage: Pick<FlatStorage, 'readOpen'>,
  ms: number,
): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(STEP_MS, left))
    await storage.readOpen({})
    await new Promise((resolve) => setImmediate(resolve))
  }
}
