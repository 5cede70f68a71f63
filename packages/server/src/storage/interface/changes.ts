import type { AuditActor, AuditEntry } from '../auditRows.ts'
import type { AccountChanges, PreferenceChanges } from './accounts.ts'
import type { AdminTokenChanges } from './adminTokens.ts'
import type { AcknowledgementChanges, ConsumerChanges } from './consumers.ts'
import type { ManualSendChanges, ReplayChanges } from './manualSends.ts'
import type { ProfileChanges } from './profiles.ts'
import type { SendingCalls } from './sending.ts'
import type { SignInChanges } from './signIns.ts'
import type { WebhookChanges } from './webhooks.ts'

/** Changes with one entry in the audit log: of a workspace, or of operators. */
interface AuditedChanges
  extends AccountChanges,
    WebhookChanges,
    ReplayChanges,
    ProfileChanges,
    AdminTokenChanges,
    ConsumerChanges {}

/** Changes with no entry, or with one in each workspace that they concern. */
interface OtherChanges
  extends SignInChanges,
    PreferenceChanges,
    ManualSendChanges,
    AcknowledgementChanges,
    Pick<SendingCalls, 'publish'> {}

/** Calls that only {@link ChangeCalls.change} makes, except for `publish`. */
export interface Changes extends AuditedChanges, OtherChanges {}

/** Calls by which people and services change something. */
export type ChangeName = keyof Changes
export type ChangeParams<N extends ChangeName> = Parameters<Changes[N]>[0]
export type ChangeResult<N extends ChangeName> = Awaited<ReturnType<Changes[N]>>

/** The record under an idempotency key, so that the call happens at most once. */
export interface IdempotencyRecord {
  /** Whose key it is: keys of different callers never collide. */
  readonly scope: string
  readonly key: string
  /** Hash of the request, to distinguish a repeat from another request under the same key. */
  readonly fingerprint: Uint8Array
  /** Response data that is not part of the result, returned to repeats; encrypted by the caller if it is secret. */
  readonly responseData: Uint8Array | null
  /** From this time on the response data is no longer returned, and is deleted; `null`: it is kept as long as the result. */
  readonly responseDataUntil: number | null
  /** Earlier calls are forgotten. */
  readonly since: number
}

/** The audit entry to write if the call changes anything. */
export interface ToAudit {
  readonly action: AuditEntry['action']
  readonly actor: AuditActor
  readonly workspacePublicId: string
  readonly target: AuditEntry['target']
  readonly details: AuditEntry['details']
  readonly requestId: string
}

/** Required for an audited change, and not allowed for others. Sends have it if operators make them. */
export type AuditOf<N extends ChangeName> = N extends keyof AuditedChanges
  ? ToAudit
  : N extends keyof ManualSendChanges
    ? ToAudit | null
    : null

export interface Changed<N extends ChangeName> {
  readonly result: ChangeResult<N>
  /** True when the call was made before under this key: the result and response data are those of the first call. */
  readonly repeated: boolean
  /** `null` also if it has expired. */
  readonly responseData: Uint8Array | null
}

/** The key was used before for another request. Nothing was changed. */
export class IdempotencyKeyReusedError extends Error {
  override readonly name = 'IdempotencyKeyReusedError'
}

export interface ChangeCalls {
  /**
   * Makes a call and, in the same transaction, adds its audit entry and stores its result under an idempotency key. Rejected
   * calls change nothing and are neither audited nor stored, so that a repeat is a new call. In the result of a repeated
   * publish, `leased` and `unleased` are empty.
   * @throws IdempotencyKeyReusedError (rejects)
   */
  change<N extends ChangeName>(params: {
    call: N
    params: ChangeParams<N>
    audit: AuditOf<N>
    idempotency: IdempotencyRecord | null
    now: number
  }): Promise<Changed<N>>
}
