import { MINUTE_MS } from '../../core/duration.ts'
import type { Changed, ChangeVerb, Once } from '../../storage/storage.ts'
import type { ShownSecret } from '../engine.ts'

/** For how long a repeat under an idempotency key shows the secret again: clients retry within seconds. */
export const SHOWN_AGAIN_MS = 10 * MINUTE_MS

export const omitted = (why: 'expired' | 'rotated'): ShownSecret => ({ secret: null, omitted: why })

/** What the store keeps of a secret for repeats. */
export const memoOf = (sealed: Uint8Array, now: number): Pick<Once, 'memo' | 'memoUntil'> => ({
  memo: sealed,
  memoUntil: now + SHOWN_AGAIN_MS,
})

/** What a call that makes a secret shows: the secret it made or, of a repeat, that of the first call. */
export function secretShownBy(
  { repeated, memo }: Pick<Changed<ChangeVerb>, 'repeated' | 'memo'>,
  made: string,
  open: (sealed: Uint8Array) => string,
): ShownSecret {
  if (!repeated) return { secret: made, omitted: null }
  return memo === null ? omitted('expired') : { secret: open(memo), omitted: null }
}
