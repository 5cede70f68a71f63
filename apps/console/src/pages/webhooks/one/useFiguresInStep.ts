import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Has the figures read anew once the summary above them counts other attempts: the two must not contradict each other. */
export function useFiguresInStep(summary: DetailedWebhookSummary | null): void {
  const { id: ws } = useWorkspace()
  const queryClient = useQueryClient()
  const day = summary?.last_24h
  const counted =
    day === undefined ? null : day.succeeded + day.failed + day.deliveries.failed + day.deliveries.canceled
  const before = useRef(counted)
  useEffect(() => {
    if (before.current !== null && before.current !== counted) {
      void queryClient.invalidateQueries({ queryKey: ['figures', ws] })
    }
    before.current = counted
  }, [counted, queryClient, ws])
}
