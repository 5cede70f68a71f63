import { useEffect, useRef } from 'react'
import type { LiveBatch } from '../../api/liveDeliveries.ts'
import { serverNow } from '../../api/serverNow.ts'
import type { Delivery } from '../../model/delivery.ts'
import { overdueToRead } from '../../model/overdue.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

const LOOK_EVERY_MS = 3_000
/** Most deliveries that are read at once. */
const READ_AT_A_TIME = 5

/**
 * Reads shown pending deliveries again when their attempt is due. The stream omits deliveries that no longer match the
 * filter or are far down the list, and may be unavailable.
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
  /** When each delivery was last read, Unix ms, by its id. */
  const readAt = useRef<ReadonlyMap<string, number>>(new Map())
  useEffect(() => {
    if (!enabled) return
    const ended = new AbortController()
    const { signal } = ended
    let reading = false
    const look = async () => {
      const { rows } = latest.current
      const now = serverNow()
      const due = overdueToRead({ rows, readAt: readAt.current, now, most: READ_AT_A_TIME })
      if (reading || due.length === 0 || document.visibilityState !== 'visible') return
      reading = true
      const onPage = new Set(rows.map(({ id }) => id))
      const before = [...readAt.current].filter(([id]) => onPage.has(id))
      readAt.current = new Map([...before, ...due.map(({ id }) => [id, now] as const)])
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
