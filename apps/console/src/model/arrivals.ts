// Chooses the headline: the success rate, or the counts while deliveries wait for a retry, which the rate does not include.

import { countText, pendingText, shareText } from './numbers.ts'
import type { DeliveryCounts } from './stats.ts'

interface Arrivals {
  readonly deliveries: Pick<DeliveryCounts, 'delivered'>
  /** Success rate of finished deliveries, from 0 to 1; `null`: none is finished. */
  readonly rate: number | null
  /** `null`: unknown. */
  readonly pending: number | null
  /** Whether every attempt since the last success failed. */
  readonly failing: boolean
  /** Whether a pending delivery is known to have a failed attempt. */
  readonly retrying: boolean
}

interface ArrivalsText {
  /** The headline. */
  readonly leadsWith: 'share' | 'counts'
  /** "12 delivered, 30 pending now". */
  readonly counts: string
  /** "96.2%"; `null`: no delivery is finished, or only old ones are, since the webhook is failing. */
  readonly share: string | null
}

export function arrivalsText(arrivals: Arrivals): ArrivalsText {
  const { deliveries, rate, pending, failing, retrying } = arrivals
  const counts = [
    `${countText(deliveries.delivered)} delivered`,
    ...(pending !== null && pending > 0 ? [`${pendingText(pending)} pending now`] : []),
  ].join(', ')
  const share = rate === null || failing ? null : shareText(rate)
  return { leadsWith: share === null || retrying ? 'counts' : 'share', counts, share }
}

interface PendingFacts {
  readonly pending: number
  /** Absent in lists. */
  readonly oldest_pending?: { readonly attempts: number } | null
  readonly last_delivery: { readonly status: string; readonly error_code: string | null } | null
  readonly last_24h: { readonly failed: number }
}

/** Whether a pending delivery has a failed attempt, according to a summary. */
export function isRetrying({ pending, oldest_pending: oldest, last_delivery: last, last_24h }: PendingFacts) {
  if (pending === 0) return false
  if (oldest === undefined) return last_24h.failed > 0
  const lastFailed = last !== null && last.status === 'pending' && last.error_code !== null
  return lastFailed || (oldest !== null && oldest.attempts > 0)
}
