import { AssertionError } from 'node:assert'
import type { ManualClock } from './manualClock.ts'

/** More than anything here takes; a condition that never comes true must fail the test and not hang it. */
const GIVE_UP_AFTER_MS = 45_000

/**
 * Lets sockets and the store get on with it, and the clock with them millisecond by millisecond, until `condition` holds.
 * @throws AssertionError naming `what` was waited for
 */
export async function until(
  clock: ManualClock,
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const startedAt = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedAt > GIVE_UP_AFTER_MS)
      throw new AssertionError({ message: `waited in vain for ${what}` })
    clock.advance(1)
    // About as fast as real time, so that the clock moves on no further than sockets and disk really take.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
