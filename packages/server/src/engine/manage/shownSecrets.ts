import { MINUTE_MS } from '../../core/duration.ts'
import type { Changed, ChangeVerb, IdempotencyRecord } from '../../storage/storage.ts'
import type { ShownSecret } from '../engine.ts'

/** For how long a repeat under an idempotency key shows the secret again: clients retry within seconds. */
export const SHOWN_AGAIN_MS = 10 * MINUTE_MS

export const omitted = (why: 'expired' | 'rotated'): ShownSecret => ({ secret: null, omitted: why })

/** What the store keeps of a secret for repeats. */
export const secretForRepeats = (
  sealed: Uint8Array,
  now: number,
): Pick<IdempotencyRecord, 'responseData' | 'responseDataUntil'> => ({
  responseData: sealed,
  responseDataUntil: now + SHOWN_AGAIN_MS,
})

/** What a call that makes a secret shows: the secret it made or, of a repeat, that of the first call. */
export function secretShownBy(
  { repeated, responseData }: Pick<Changed<ChangeVerb>, 'repeated' | 'responseData'>,
  made: string,
  open: (sealed: Uint8Array) => string,
): ShownSecret {
  if (!repeated) return { secret: made, omitted: null }
  return responseData === null ? omitted('expired') : { secret: open(responseData), omitted: null }
}
