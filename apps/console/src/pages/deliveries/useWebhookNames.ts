import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { allWebhooksQuery } from '../../api/webhooks.ts'
import { webhookName } from '../../model/webhook.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** What the workspace's webhooks are called, by their ids. @param enabled false: nobody asks, and none are read */
export function useWebhookNames(enabled = true): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...allWebhooksQuery(useWorkspace()), enabled })
  return useMemo(() => new Map((data ?? []).map((webhook) => [webhook.id, webhookName(webhook)])), [data])
}
