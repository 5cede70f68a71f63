import type { AttemptToRecord } from './storage.ts'

/** The state of a delivery after an attempt. */
export type After =
  | { readonly status: 'pending'; readonly nextAttemptAt: number; readonly finishedAt: null }
  | {
      readonly status: 'delivered' | 'failed' | 'dead' | 'canceled'
      readonly nextAttemptAt: null
      readonly finishedAt: number
    }

export function finished(status: Exclude<After['status'], 'pending'>, finishedAt: number): After {
  return { status, nextAttemptAt: null, finishedAt }
}

/** If this result disables the webhook, the delivery is canceled afterwards with all other pending ones. */
export function afterAttempt({ next }: AttemptToRecord, now: number): After {
  return next.status === 'pending' ? { ...next, finishedAt: null } : finished(next.status, now)
}
