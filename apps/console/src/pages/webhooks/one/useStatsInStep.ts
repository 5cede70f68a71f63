import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { stateOfRows } from '../../../model/pageRefresh.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useRecentDeliveries } from './useRecentDeliveries.ts'

/**
 * Keeps the parts of the page consistent: reads the summary again when a shown delivery changes, and the metrics when the
 * counts of the summary change.
 */
export function useStatsInStep(webhookId: string, summary: DetailedWebhookSummary | null): void {
  const { id: ws } = useWorkspace()
  const { data } = useRecentDeliveries(webhookId)
  const day = summary?.last_24h
  useReadOnChange(data === undefined ? null : stateOfRows(data.items), ['webhook-summary', ws, webhookId])
  useReadOnChange(
    day === undefined ? null : day.succeeded + day.failed + day.deliveries.failed + day.deliveries.canceled,
    ['stats', ws],
  )
}

/** Refreshes queries when a known value changes. @param value `null`: unknown */
function useReadOnChange(value: string | number | null, queryKey: readonly string[]): void {
  const queryClient = useQueryClient()
  const key = useRef(queryKey)
  key.current = queryKey
  const before = useRef(value)
  useEffect(() => {
    if (before.current !== null && before.current !== value) {
      // Does not cancel a read in progress, since frequent changes would cancel every read.
      void queryClient.invalidateQueries({ queryKey: key.current }, { cancelRefetch: false })
    }
    before.current = value
  }, [value, queryClient])
}
