import { isRemembered, toRemember } from '../../../src/storage/queries/changes.ts'
import {
  type ChangeCalls,
  type ChangeName,
  type ChangeParams,
  type ChangeResult,
  IdempotencyKeyReusedError,
} from '../../../src/storage/storage.ts'
import type { Calls } from './state.ts'

interface Remembered {
  readonly fingerprint: Uint8Array
  readonly call: ChangeName
  readonly result: unknown
  readonly responseData: Uint8Array | null
  readonly responseDataUntil: number | null
  readonly createdAt: number
}

/** The changes of people and publishers in a simulation. */
export type SimulatedChange = Extract<
  ChangeName,
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
export function changeCall(calls: Calls<SimulatedChange>): ChangeCalls['change'] {
  const keys = new Map<string, Remembered>()

  return async ({ call, params, idempotency, now }) => {
    const name = idempotency === null ? '' : `${idempotency.scope} ${idempotency.key}`
    const known = keys.get(name)
    if (idempotency !== null && known !== undefined && known.createdAt >= idempotency.since) {
      if (known.call !== call || Buffer.compare(known.fingerprint, idempotency.fingerprint) !== 0)
        throw new IdempotencyKeyReusedError('the key was used before for another request')
      const lasts = known.responseDataUntil === null || known.responseDataUntil > now
      const result = known.result as ChangeResult<typeof call>
      return { result, repeated: true, responseData: lasts ? known.responseData : null }
    }
    const carryOut = calls[call as SimulatedChange] as (
      params: ChangeParams<typeof call>,
    ) => ChangeResult<typeof call>
    const result = carryOut(params)
    if (idempotency !== null && isRemembered(call, result)) {
      const { fingerprint, responseData, responseDataUntil } = idempotency
      keys.set(name, {
        fingerprint,
        call,
        result: toRemember(call, result),
        responseData,
        responseDataUntil,
        createdAt: now,
      })
    }
    return { result, repeated: false, responseData: idempotency?.responseData ?? null }
  }
}
