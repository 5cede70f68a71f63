import { useQuery } from '@tanstack/react-query'
import { summaryQuery } from '../../api/webhookSummaries.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** How many manual sends this minute still has; `null`: not known, or without a limit. */
export function useManualSendsLeft(webhookId: string): number | null {
  const { id: ws, rules, maySend } = useWorkspace()
  const enabled = maySend && rules.manual_sends_per_minute !== null
  const { data } = useQuery({ ...summaryQuery(ws, webhookId), enabled })
  return data?.manual_sends?.remaining ?? null
}
