import { deliveriesText, pendingText } from './numbers.ts'

interface Pending {
  readonly pending: number
  /** Whether every attempt since the last success failed. */
  readonly failing: boolean
  readonly oldest: { readonly attempts: number } | null
  /** Due or under way; `null`: the webhook has no limit. */
  readonly backlog: { readonly length: number; readonly has_more: boolean } | null
}

interface RetryOffer {
  /** Whether a retry may make something sooner, as far as is known. */
  readonly offered: boolean
  readonly text: string
}

/** Counting of pending deliveries stops here. */
const MOST_COUNTED = 1_000

/** Retrying does not speed up deliveries that are due. */
export function retryOffer({ pending, failing, oldest, backlog }: Pending): RetryOffer {
  if (pending === 0) return { offered: false, text: 'Nothing waits for another attempt.' }
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
  return { offered: true, text: `${many} ${one ? 'waits' : 'wait'} for the next attempt.` }
}
