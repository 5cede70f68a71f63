import type { Notification } from '../storage/rows.ts'

/** What becomes of e-mails, for metrics. */
export interface MailObserver {
  /** Nothing more is tried. @param outcome `unwanted`: there was nobody to tell, or nothing any more */
  ended(kind: Notification['kind'], outcome: 'sent' | 'failed' | 'unwanted'): void
  /** It will be tried again. */
  putOff(kind: Notification['kind']): void
  /** How many wait in the store, whichever node will send them. */
  waiting(count: number): void
}
