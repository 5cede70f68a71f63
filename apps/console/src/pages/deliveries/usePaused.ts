import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { allWebhooksQuery, webhookQuery } from '../../api/webhooks.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { shownState } from '../webhooks/stateWords.ts'

/**
 * Which webhooks are paused: what is pending for them waits, whatever its time.
 * @param id the only webhook that is asked for; `null`: any
 */
export function usePaused(id: string | null): (webhookId: string) => boolean {
  const workspace = useWorkspace()
  const { suspended } = workspace
  const all = useQuery({ ...allWebhooksQuery(workspace), enabled: id === null }).data
  const one = useQuery({ ...webhookQuery(workspace, id ?? ''), enabled: id !== null }).data
  return useMemo(() => {
    const known = id === null ? (all ?? []) : one === undefined ? [] : [one.webhook]
    const paused = known.filter((webhook) => shownState(webhook, suspended).kind === 'paused')
    const ids = new Set(paused.map((webhook) => webhook.id))
    return (webhookId) => ids.has(webhookId)
  }, [id, all, one, suspended])
}
