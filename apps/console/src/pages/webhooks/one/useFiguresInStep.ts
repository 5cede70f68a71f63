import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { stateOfRows } from '../../../model/pageRefresh.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useRecentDeliveries } from './useRecentDeliveries.ts'

/**
 * Reads the summary again once a delivery on the page has changed, and the figures once the summary counts other attempts: what stands on
 * one page must not contradict itself.
 */
export function useFiguresInStep(webhookId: string, summary: DetailedWebhookSummary | null): void {
  const { id: ws } = useWorkspace()
  const { data } = useRecentDeliveries(webhookId)
  const day = summary?.last_24h
  useReadOnChange(data === undefined ? null : stateOfRows(data.items), ['webhook-summary', ws, webhookId])
  useReadOnChange(
    day === undefined ? null : day.succeeded + day.failed + day.deliveries.failed + day.deliveries.canceled,
    ['figures', ws],
  )
}

/** Reads queries again when a value changes that was known before. @param value `null`: not known */
function useReadOnChange(value: string | number | null, queryKey: readonly string[]): void {
  const queryClient = useQueryClient()
  const key = useRef(queryKey)
  key.current = queryKey
  const before = useRef(value)
  useEffect(() => {
    if (before.current !== null && before.current !== value) {
      // One that is under way goes on: what changes often would end each before it is answered.
      void queryClient.invalidateQueries({ queryKey: key.current }, { cancelRefetch: false })
    }
    before.current = value
  }, [value, queryClient])
}
