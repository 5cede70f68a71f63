import type { IdKey } from '../core/ids.ts'
import type { CallGroups } from './callGroups.ts'
import type { ChangeCalls } from './interface/changes.ts'

export type * from './interface/adminTokens.ts'
export { MAX_ADMIN_TOKENS } from './interface/adminTokens.ts'
export type * from './interface/alerts.ts'
export type * from './interface/changes.ts'
export { IdempotencyKeyReusedError } from './interface/changes.ts'
export type * from './interface/consumers.ts'
export type * from './interface/credentials.ts'
export type * from './interface/currentState.ts'
export type * from './interface/egress.ts'
export { OUTAGE_AFTER_MS, OUTAGES_KNOWN } from './interface/egress.ts'
export type * from './interface/log.ts'
export { isAhead, isNewer } from './interface/log.ts'
export type * from './interface/maintenance.ts'
export type * from './interface/manualSends.ts'
export type * from './interface/masterKeys.ts'
export type * from './interface/nodes.ts'
export { MAX_LEASE_MS } from './interface/nodes.ts'
export type * from './interface/notifications.ts'
export type * from './interface/page.ts'
export type * from './interface/profiles.ts'
export { MAX_PROFILES } from './interface/profiles.ts'
export type * from './interface/sending.ts'
export type * from './interface/signIns.ts'
export type * from './interface/stats.ts'
export type * from './interface/webhooks.ts'

/**
 * The store cannot take work now. Nothing of the call was stored, unless the connection to the database broke during the commit:
 * then it is unknown.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store cannot be opened or used in its present state; the message is one line for the operator. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
}

/**
 * The store, in the words of the domain. Every call is one transaction: it happens as a whole or not at all. Once it has
 * resolved it survives a power cut, and every later call sees it. Concurrent calls may take effect in any order.
 * Pass on the group that is needed, not the store.
 * Any call rejects with {@link StoreUnavailableError} when the store cannot take it.
 */
export interface Storage extends CallGroups, ChangeCalls {
  /** Scrambles derived ids; made with the store. */
  readonly idKey: IdKey
  /**
   * From now on calls `listener`, soon after the change and at least once, with webhooks that any node changed in a way that
   * senders must notice. They may include changes by this node.
   * @param looked called after each check for changes; with an error if it failed and will be repeated
   */
  onWebhooksChanged(listener: (webhookIds: readonly number[]) => void, looked: (error: unknown) => void): void
  /**
   * Calls `listener` as soon as any node has revoked keys or admin tokens, ended sessions or changed the role of a member. The call may be lost,
   * so caches of credentials must expire soon. It may not be made for changes by this node.
   */
  onCredentialsChanged(listener: () => void): void
  /** Rejects when a publish would not be accepted. */
  check(): Promise<void>
  close(): Promise<void>
}
