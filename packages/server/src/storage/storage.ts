import type { IdKey } from '../core/ids.ts'
import type { Areas } from './areas.ts'
import type { ChangeVerbs } from './interface/changes.ts'

export type * from './interface/changes.ts'
export { IdempotencyKeyReusedError } from './interface/changes.ts'
export type * from './interface/credentials.ts'
export type * from './interface/figures.ts'
export type * from './interface/log.ts'
export { isNewer } from './interface/log.ts'
export type * from './interface/maintenance.ts'
export type * from './interface/manualSends.ts'
export type * from './interface/nodes.ts'
export { MAX_LEASE_MS } from './interface/nodes.ts'
export type * from './interface/notifications.ts'
export type * from './interface/page.ts'
export type * from './interface/sending.ts'
export type * from './interface/signIns.ts'
export type * from './interface/webhooks.ts'

/**
 * The store cannot take work now. Nothing of the call was kept, unless the way to a database broke at the commit: then
 * nobody can tell.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store cannot be opened or used as it is; the message is one line for the operator. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
}

/**
 * The store, in the words of the domain. Every call is one transaction: it happens whole or not at all, and once it
 * has resolved it survives a power cut, and every call made after that sees it. Calls made at once may take effect in
 * any order. Hand on the area that is needed, not the store.
 * Any call rejects with {@link StoreUnavailableError} when the store cannot take it.
 */
export interface Storage extends Areas, ChangeVerbs {
  /** Scrambles derived ids; made with the store. */
  readonly idKey: IdKey
  /**
   * From now on calls `listener` with webhooks that any node changed in a way that senders must notice, soon after and
   * at least once. What this node changes it may hear of as well.
   * @param looked called after each look for changes; with an error, the look failed and will be made again
   */
  onWebhooksChanged(listener: (webhookIds: readonly number[]) => void, looked: (error: unknown) => void): void
  /**
   * Has `listener` called as soon as any node has revoked keys, ended sessions or changed the role of a member.
   * Word of it can be lost: what is known of them must not be used for long. What this node changes it may not hear of.
   */
  onCredentialsChanged(listener: () => void): void
  /** Rejects when a publish would not be accepted. */
  check(): Promise<void>
  close(): Promise<void>
}
