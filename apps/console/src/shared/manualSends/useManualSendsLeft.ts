import { useQuery } from '@tanstack/react-query'
import { summaryQuery } from '../../api/webhookSummaries.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** Remaining manual sends of this minute; `null`: unknown or unlimited. */
export function useManualSendsLeft(webhookId: string): number | null {
  const { id: ws, rules, maySend } = useWorkspace()
  const enabled = maySend && rules.manual_sends_per_minute !== null
  const { data } = useQuery({ ...summaryQuery(ws, webhookId), enabled })
  return data?.manual_sends?.remaining ?? null
}
