import { AssertionError } from 'node:assert'
import type { ManualClock } from './manualClock.ts'

/** More than anything here takes; a condition that never becomes true must fail the test and not hang it. */
const TIMEOUT_MS = 45_000

/**
 * Lets sockets and the store work, and advances the clock millisecond by millisecond, until `condition` is
 * true.
 * @throws AssertionError naming `what` was waited for
 */
export async function until(
  clock: ManualClock,
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const startedAt = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedAt > TIMEOUT_MS)
      throw new AssertionError({ message: `waited in vain for ${what}` })
    clock.advance(1)
    // About as fast as real time, so that the clock advances no further than sockets and disk really take.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
