import type { Context } from '../shared/context.ts'
import { parseTime, TIME_MESSAGE } from '../shared/time.ts'
import type { Mistakes } from '../shared/validation.ts'

/** @returns the time from which a credential no longer works, Unix ms; `null`: none was given, or a mistake was added */
export function checkExpiry(ctx: Context, expiresAt: unknown, mistakes: Mistakes): number | null {
  if (typeof expiresAt !== 'string') return null
  const time = parseTime(expiresAt)
  if (time === null) mistakes.addInstead('/expires_at', TIME_MESSAGE)
  else if (time <= ctx.clock.now()) mistakes.add('/expires_at', 'must be in the future')
  return time
}
