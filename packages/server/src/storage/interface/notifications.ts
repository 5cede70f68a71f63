import type { ClaimedNotification, Notification } from '../rows.ts'
import type { Page } from './page.ts'

/** A sign-in link to be sent to an address. */
export interface SignInNotice {
  readonly toEmail: string
  /** The token of the link, sealed for the address. Forgotten once the message went out. */
  readonly sealed: Uint8Array
  readonly expiresAt: number
  readonly now: number
}

export type NotificationOutcome =
  | { readonly result: 'sent' }
  /** Nothing more is tried. */
  | { readonly result: 'given_up'; readonly error: string }
  | { readonly result: 'again'; readonly dueAt: number; readonly error: string }

/** E-mails that wait, and who sends each. */
export interface NotificationVerbs {
  /** Newest first. */
  listNotifications(params: Page): Promise<readonly Notification[]>
  /**
   * Claims notifications that are due: sign-in links first, then retries, then new ones; of each the one that has waited
   * longest first. New ones are due whatever `now` is. No other node gets them until the claim expires.
   * @param claim random, another one at each call
   */
  claimNotifications(params: { claim: string; claimMs: number; now: number; limit: number }): Promise<{
    readonly notifications: readonly ClaimedNotification[]
    /** How many are neither sent nor given up, these among them. */
    readonly waiting: number
  }>
  /**
   * Makes notifications due at `to` that wait and are due after `latest`: only a clock that was wrong wrote them so.
   * @returns how many
   */
  pullInNotifications(params: { latest: number; to: number; limit: number }): Promise<number>
  /** Makes a claim last for another `claimMs`. @returns false when it held no more: another has the notification. */
  renewNotification(params: { id: number; claim: string; claimMs: number; now: number }): Promise<boolean>
  /** @returns whether the claim still held; if not, nothing was changed. */
  settleNotification(params: {
    id: number
    claim: string
    now: number
    outcome: NotificationOutcome
  }): Promise<boolean>
}
