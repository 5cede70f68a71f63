import type { Notification } from '../storage/rows.ts'

/** Results of e-mails, for metrics. */
export interface MailObserver {
  /** No retry follows. @param outcome `unwanted`: the message had no recipient or was no longer needed */
  ended(kind: Notification['kind'], outcome: 'sent' | 'failed' | 'unwanted'): void
  /** It will be retried. */
  deferred(kind: Notification['kind']): void
  /** How many wait in the store, whichever node will send them. */
  waiting(count: number): void
}
