import type { AttemptToRecord } from './storage.ts'

/** How a delivery stands after an attempt. */
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

/** Should this very result switch the webhook off, then what is pending is canceled with all others. */
export function afterAttempt({ next }: AttemptToRecord, now: number): After {
  return next.status === 'pending' ? { ...next, finishedAt: null } : finished(next.status, now)
}
