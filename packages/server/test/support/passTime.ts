import { SECOND_MS } from '../../src/core/duration.ts'
import type { FlatStorage } from './flatStorage.ts'
import type { ManualClock } from './manualClock.ts'

/** A node records this often that it can send; without a record for 30 s there was an outage. */
const NOTE_EVERY_MS = 10 * SECOND_MS
const STEP_MS = 14 * SECOND_MS
/** Real time that a record may take; a late one starts in the next step, which is early enough. */
const PATIENCE_MS = 100

/** Advances a clock so slowly that a node keeps recording that it can send. */
export async function passTime(
  clock: ManualClock,
  storage: Pick<FlatStorage, 'readOpen'>,
  ms: number,
): Promise<void> {
  const notedLately = async () => clock.now() - (await storage.readOpen({}))! < NOTE_EVERY_MS
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(STEP_MS, left))
    const startedAt = performance.now()
    while (!(await notedLately()) && performance.now() - startedAt < PATIENCE_MS)
      await new Promise((resolve) => setImmediate(resolve))
    // The node learns that its record was written.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
