import type { AuditActor, AuditEntry } from '../auditRows.ts'
import type { AccountChanges, PreferenceChanges } from './accounts.ts'
import type { AdminTokenChanges } from './adminTokens.ts'
import type { AcknowledgementChanges, ConsumerChanges } from './consumers.ts'
import type { ManualSendChanges, ReplayChanges } from './manualSends.ts'
import type { ProfileChanges } from './profiles.ts'
import type { SendingVerbs } from './sending.ts'
import type { SignInChanges } from './signIns.ts'
import type { WebhookChanges } from './webhooks.ts'

/** Changes that leave an entry in the audit log: of a workspace, or of operators alone. */
interface AuditedChanges
  extends AccountChanges,
    WebhookChanges,
    ReplayChanges,
    ProfileChanges,
    AdminTokenChanges,
    ConsumerChanges {}

/** Changes that leave none, or as many as there are workspaces that they concern. */
interface OtherChanges
  extends SignInChanges,
    PreferenceChanges,
    ManualSendChanges,
    AcknowledgementChanges,
    Pick<SendingVerbs, 'publish'> {}

/** Calls that only {@link ChangeVerbs.change} carries out, except for `publish`. */
export interface Changes extends AuditedChanges, OtherChanges {}

/** Calls by which people and services change something. */
export type ChangeVerb = keyof Changes
export type ChangeParams<V extends ChangeVerb> = Parameters<Changes[V]>[0]
export type ChangeResult<V extends ChangeVerb> = Awaited<ReturnType<Changes[V]>>

/** What is stored under the key that a caller chose, so that the call happens at most once. */
export interface IdempotencyRecord {
  /** Whose key it is: keys of different callers never meet. */
  readonly scope: string
  readonly key: string
  /** Hash of what is asked, to tell a repeat from another request under the same key. */
  readonly fingerprint: Uint8Array
  /** Data of the response that is not in the result, given back to repeats; sealed by the caller where it is secret. */
  readonly responseData: Uint8Array | null
  /** From this time on the response data is no longer returned, and is deleted; `null`: it is kept as long as the result. */
  readonly responseDataUntil: number | null
  /** Earlier calls than this are forgotten. */
  readonly since: number
}

/** What to write in the audit log if the call changes anything. */
export interface ToAudit {
  readonly action: AuditEntry['action']
  readonly actor: AuditActor
  readonly workspacePublicId: string
  readonly target: AuditEntry['target']
  readonly details: AuditEntry['details']
  readonly requestId: string
}

/** What an audited change cannot do without, and others do not have. Sends have it if operators make them. */
export type AuditOf<V extends ChangeVerb> = V extends keyof AuditedChanges
  ? ToAudit
  : V extends keyof ManualSendChanges
    ? ToAudit | null
    : null

export interface Changed<V extends ChangeVerb> {
  readonly result: ChangeResult<V>
  /** True when the call was made before under this key: the result and response data are those of then. */
  readonly repeated: boolean
  /** `null` also if it has expired. */
  readonly responseData: Uint8Array | null
}

/** The key was used before for another request. Nothing was changed. */
export class IdempotencyKeyReusedError extends Error {
  override readonly name = 'IdempotencyKeyReusedError'
}

export interface ChangeVerbs {
  /**
   * Carries out a call and, in the same transaction, adds its audit entry and stores its result under an idempotency key.
   * Refusals change nothing and are neither logged nor stored, so that a repeat is a new call.
   * Of the result of a repeated publish, `leased` and `unleased` are empty.
   * @throws IdempotencyKeyReusedError (rejects)
   */
  change<V extends ChangeVerb>(params: {
    verb: V
    params: ChangeParams<V>
    audit: AuditOf<V>
    idempotency: IdempotencyRecord | null
    now: number
  }): Promise<Changed<V>>
}
