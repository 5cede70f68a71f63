import { MINUTE_MS } from '../../core/duration.ts'
import type { Changed, ChangeName, IdempotencyRecord } from '../../storage/storage.ts'
import type { ShownSecret } from '../engine.ts'
import { SealError } from '../secretBox.ts'

/** How long a repeat under an idempotency key shows the secret again: clients retry within seconds. */
export const SHOWN_AGAIN_MS = 10 * MINUTE_MS

export const omitted = (why: 'expired' | 'rotated'): ShownSecret => ({
  secret: null,
  publicKey: null,
  omitted: why,
})

/** The stored form of a secret for repeats. */
export const secretForRepeats = (
  sealed: Uint8Array,
  now: number,
): Pick<IdempotencyRecord, 'responseData' | 'responseDataUntil'> => ({
  responseData: sealed,
  responseDataUntil: now + SHOWN_AGAIN_MS,
})

/** The text that a call made or, for a repeat, that of the first call; `null`: it is no longer kept. */
export function textShownBy(
  { repeated, responseData }: Pick<Changed<ChangeName>, 'repeated' | 'responseData'>,
  made: string,
  open: (sealed: Uint8Array) => string,
): string | null {
  if (!repeated) return made
  if (responseData === null) return null
  try {
    return open(responseData)
  } catch (error) {
    // The master key that it was encrypted under was removed in these minutes.
    if (error instanceof SealError) return null
    throw error
  }
}
