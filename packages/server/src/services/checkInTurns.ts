import { setImmediate } from 'node:timers/promises'
import { checkSteps, type ProfileCheck } from '../profiles/check.ts'

/** For so long a check keeps others waiting. */
const TURN_MS = 5

/** Checks a profile with pauses, in which others have their turn. */
export async function checkProfileInTurns(document: unknown): Promise<ProfileCheck> {
  const steps = checkSteps(document)
  for (;;) {
    const end = performance.now() + TURN_MS
    do {
      const { done, value } = steps.next()
      if (done === true) return value
    } while (performance.now() < end)
    await setImmediate()
  }
}
