import { toRemember } from '../effects.ts'
import { resultFromText, resultToText } from '../resultText.ts'
import {
  type Changed,
  type ChangeResult,
  type ChangeVerb,
  IdempotencyKeyReusedError,
  type Once,
} from '../storage.ts'

export interface OnceRow {
  readonly fingerprint: Uint8Array
  readonly verb: string
  readonly result: string
  readonly memo: Uint8Array | null
  readonly memo_until: number | null
}

/**
 * What a repeat is told.
 * @param row of the call that was made before under the key
 * @throws IdempotencyKeyReusedError
 */
export function repeated<V extends ChangeVerb>(
  row: OnceRow,
  { fingerprint }: Once,
  verb: V,
  now: number,
): Changed<V> {
  if (row.verb !== verb || Buffer.compare(row.fingerprint, fingerprint) !== 0)
    throw new IdempotencyKeyReusedError('the key was used for another request')
  const memo = row.memo_until === null || now < row.memo_until ? row.memo : null
  return { result: resultFromText(row.result) as ChangeResult<V>, repeated: true, memo }
}

/** @returns scope, key, fingerprint, verb, result, memo, its end and the time of the call, as they are kept */
export function onceValues<V extends ChangeVerb>(
  { scope, key, fingerprint, memo, memoUntil }: Once,
  verb: V,
  result: ChangeResult<V>,
  now: number,
): (string | number | null | Uint8Array)[] {
  return [scope, key, fingerprint, verb, resultToText(toRemember(verb, result)), memo, memoUntil, now]
}
