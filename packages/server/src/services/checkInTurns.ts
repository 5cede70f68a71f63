import { setImmediate } from 'node:timers/promises'
import { systemClock } from '../core/clock.ts'
import { checkSteps, type ProfileCheck } from '../profiles/check.ts'

/** How long a check may keep others waiting. */
const TURN_MS = 5

/** Checks a profile with pauses, in which others have their turn. */
export async function checkProfileInTurns(document: unknown): Promise<ProfileCheck> {
  const steps = checkSteps(document)
  for (;;) {
    const end = systemClock.monotonic() + TURN_MS
    do {
      const { done, value } = steps.next()
      if (done === true) return value
    } while (systemClock.monotonic() < end)
    await setImmediate()
  }
}
