import { deliveriesText, pendingText } from './numbers.ts'

interface Pending {
  readonly pending: number
  /** Whether every attempt since the last success failed. */
  readonly failing: boolean
  readonly oldest: { readonly attempts: number } | null
  /** Due or in progress; `null`: the webhook has no limit. */
  readonly backlog: { readonly length: number; readonly has_more: boolean } | null
}

interface RetryOffer {
  /** Whether a retry can be useful. */
  readonly offered: boolean
  readonly text: string
}

/** The service stops counting pending deliveries here. */
const MOST_COUNTED = 1_000

/** Offers a retry, except when all pending deliveries are due already. */
export function retryOffer({ pending, failing, oldest, backlog }: Pending): RetryOffer {
  if (pending === 0) return { offered: false, text: 'No delivery waits for a retry.' }
  const one = pending === 1
  const isCounted = pending < MOST_COUNTED
  const many = isCounted ? deliveriesText(pending) : `${pendingText(pending)} deliveries`
  if (isCounted && backlog !== null && backlog.length >= pending) {
    return {
      offered: false,
      text: `${many} ${one ? 'waits' : 'wait'} for the limit. ${one ? 'It is' : 'All are'} due, so there is nothing to retry.`,
    }
  }
  if (!failing && oldest?.attempts === 0) {
    return { offered: true, text: `${many} pending. The oldest has not been attempted yet.` }
  }
  return { offered: true, text: `${many} ${one ? 'waits' : 'wait'} for a retry.` }
}
