import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { allWebhooksQuery, webhookQuery } from '../../api/webhooks.ts'
import { limitText } from '../../model/webhook.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { shownState } from '../webhooks/stateWords.ts'

/** What a due delivery waits for: its webhook is paused, or has a limit; `null`: neither. */
export type WaitsFor = 'resume' | 'limit' | null

/**
 * Returns what due deliveries of a webhook wait for.
 * @param id the only webhook of interest; `null`: any
 */
export function useWaitsFor(id: string | null): (webhookId: string) => WaitsFor {
  const workspace = useWorkspace()
  const { suspended } = workspace
  const all = useQuery({ ...allWebhooksQuery(workspace), enabled: id === null }).data
  const one = useQuery({ ...webhookQuery(workspace, id ?? ''), enabled: id !== null }).data
  return useMemo(() => {
    const known = id === null ? (all ?? []) : one === undefined ? [] : [one.webhook]
    const waits = new Map(
      known.map((webhook) => {
        const paused = shownState(webhook, suspended).kind === 'paused'
        return [webhook.id, paused ? 'resume' : limitText(webhook) === null ? null : 'limit'] as const
      }),
    )
    return (webhookId) => waits.get(webhookId) ?? null
  }, [id, all, one, suspended])
}
