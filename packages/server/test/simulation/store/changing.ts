import { isRemembered, toRemember } from '../../../src/storage/queries/changes.ts'
import {
  type ChangeParams,
  type ChangeResult,
  type ChangeVerb,
  type ChangeVerbs,
  IdempotencyKeyReusedError,
} from '../../../src/storage/storage.ts'
import type { Verbs } from './state.ts'

interface Remembered {
  readonly fingerprint: Uint8Array
  readonly verb: ChangeVerb
  readonly result: unknown
  readonly memo: Uint8Array | null
  readonly memoUntil: number | null
  readonly createdAt: number
}

/** What people and publishers change in a simulation. */
export type SimulatedChange = Extract<
  ChangeVerb,
  | 'publish'
  | 'createWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateSecret'
  | 'suspendWorkspace'
  | 'deleteWorkspace'
  | 'resend'
  | 'createReplay'
>

/** Carries out a change at most once under its key; nobody reads the audit log. */
export function changeVerb(verbs: Verbs<SimulatedChange>): ChangeVerbs['change'] {
  const keys = new Map<string, Remembered>()

  return async ({ verb, params, once, now }) => {
    const name = once === null ? '' : `${once.scope} ${once.key}`
    const known = keys.get(name)
    if (once !== null && known !== undefined && known.createdAt >= once.since) {
      if (known.verb !== verb || Buffer.compare(known.fingerprint, once.fingerprint) !== 0)
        throw new IdempotencyKeyReusedError('the key was used before for another request')
      const lasts = known.memoUntil === null || known.memoUntil > now
      const result = known.result as ChangeResult<typeof verb>
      return { result, repeated: true, memo: lasts ? known.memo : null }
    }
    const carryOut = verbs[verb as SimulatedChange] as (
      params: ChangeParams<typeof verb>,
    ) => ChangeResult<typeof verb>
    const result = carryOut(params)
    if (once !== null && isRemembered(verb, result)) {
      const { fingerprint, memo, memoUntil } = once
      keys.set(name, { fingerprint, verb, result: toRemember(verb, result), memo, memoUntil, createdAt: now })
    }
    return { result, repeated: false, memo: once?.memo ?? null }
  }
}
