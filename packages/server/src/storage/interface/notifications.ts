import type { ClaimedNotification, Notification } from '../rows.ts'
import type { Page } from './page.ts'

/** A sign-in link to send to an address. */
export interface SignInNotice {
  readonly toEmail: string
  /** The token of the link, encrypted for the address. Deleted once the message was sent. */
  readonly sealed: Uint8Array
  readonly expiresAt: number
  readonly now: number
}

export type NotificationOutcome =
  | { readonly result: 'sent' }
  /** There is no further retry. */
  | { readonly result: 'given_up'; readonly error: string }
  | { readonly result: 'again'; readonly dueAt: number; readonly error: string }

/** E-mails to send, and which node sends each. */
export interface NotificationCalls {
  /** Newest first. */
  listNotifications(params: Page): Promise<readonly Notification[]>
  /**
   * Claims notifications that are due: sign-in links first, then retries, then new ones; of each the one that has waited
   * longest first. New ones are due whatever `now` is. No other node gets them until the claim expires.
   * @param claim random, another one at each call
   */
  claimNotifications(params: { claim: string; claimMs: number; now: number; limit: number }): Promise<{
    readonly notifications: readonly ClaimedNotification[]
    /** How many are neither sent nor failed, including these. */
    readonly waiting: number
  }>
  /**
   * Makes waiting notifications due at `to` that are due after `latest`: they were scheduled while a clock was wrong.
   * @returns how many
   */
  pullInNotifications(params: { latest: number; to: number; limit: number }): Promise<number>
  /** Extends a claim by `claimMs`. @returns false when it had expired and another node has the notification. */
  renewNotification(params: { id: number; claim: string; claimMs: number; now: number }): Promise<boolean>
  /** @returns whether the claim was still valid; if not, nothing was changed. */
  settleNotification(params: {
    id: number
    claim: string
    now: number
    outcome: NotificationOutcome
  }): Promise<boolean>
}
