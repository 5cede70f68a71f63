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
  readonly responseData: Uint8Array | null
  readonly responseDataUntil: number | null
  readonly createdAt: number
}

/** The changes of people and publishers in a simulation. */
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

/** Executes a change at most once for its key; there is no audit log. */
export function changeVerb(verbs: Verbs<SimulatedChange>): ChangeVerbs['change'] {
  const keys = new Map<string, Remembered>()

  return async ({ verb, params, idempotency, now }) => {
    const name = idempotency === null ? '' : `${idempotency.scope} ${idempotency.key}`
    const known = keys.get(name)
    if (idempotency !== null && known !== undefined && known.createdAt >= idempotency.since) {
      if (known.verb !== verb || Buffer.compare(known.fingerprint, idempotency.fingerprint) !== 0)
        throw new IdempotencyKeyReusedError('the key was used before for another request')
      const lasts = known.responseDataUntil === null || known.responseDataUntil > now
      const result = known.result as ChangeResult<typeof verb>
      return { result, repeated: true, responseData: lasts ? known.responseData : null }
    }
    const carryOut = verbs[verb as SimulatedChange] as (
      params: ChangeParams<typeof verb>,
    ) => ChangeResult<typeof verb>
    const result = carryOut(params)
    if (idempotency !== null && isRemembered(verb, result)) {
      const { fingerprint, responseData, responseDataUntil } = idempotency
      keys.set(name, {
        fingerprint,
        verb,
        result: toRemember(verb, result),
        responseData,
        responseDataUntil,
        createdAt: now,
      })
    }
    return { result, repeated: false, responseData: idempotency?.responseData ?? null }
  }
}
