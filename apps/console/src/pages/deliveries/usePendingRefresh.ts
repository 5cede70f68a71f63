import { useEffect, useRef } from 'react'
import type { LiveBatch } from '../../api/liveDeliveries.ts'
import type { Delivery } from '../../model/delivery.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

const LOOK_EVERY_MS = 3_000
/** By then the stream has told of most of them. */
const OVERDUE_MS = 2_000
/** Read at a time, those that wait longest first: what is on the page is never read all at once. */
const READ_AT_A_TIME = 5

/**
 * Reads pending deliveries on the page again once their attempt is due. A stream says nothing of those that have left the
 * filter, nor of those far down, and there is none while it is refused.
 */
export function usePendingRefresh(params: {
  readonly rows: readonly Delivery[]
  readonly enabled: boolean
  readonly onBatch: (batch: LiveBatch) => void
}): void {
  const { enabled } = params
  const { service } = useWorkspace()
  const latest = useRef(params)
  latest.current = params
  useEffect(() => {
    if (!enabled) return
    const ended = new AbortController()
    const { signal } = ended
    let reading = false
    const look = async () => {
      const due = dueIn(latest.current.rows, Date.now())
      if (reading || due.length === 0 || document.visibilityState !== 'visible') return
      reading = true
      const reads = due.map(({ webhookId, id }) => service.getDelivery({ webhookId, id, signal }))
      const answers = await Promise.allSettled(reads)
      reading = false
      if (signal.aborted) return
      const deliveries = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      latest.current.onBatch({ deliveries, more: false })
    }
    const timer = setInterval(() => void look(), LOOK_EVERY_MS)
    return () => {
      clearInterval(timer)
      ended.abort()
    }
  }, [enabled, service])
}

const dueIn = (rows: readonly Delivery[], now: number): readonly Delivery[] =>
  rows
    .filter(({ nextAttemptAt }) => nextAttemptAt !== null && Date.parse(nextAttemptAt) <= now - OVERDUE_MS)
    .toSorted((a, b) => Date.parse(a.nextAttemptAt!) - Date.parse(b.nextAttemptAt!))
    .slice(0, READ_AT_A_TIME)
