import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { allWebhooksQuery } from '../../api/webhooks.ts'
import { webhookName } from '../../model/webhook.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** Names of the workspace's webhooks by id. @param enabled false: they are not read */
export function useWebhookNames(enabled = true): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...allWebhooksQuery(useWorkspace()), enabled })
  return useMemo(() => new Map((data ?? []).map((webhook) => [webhook.id, webhookName(webhook)])), [data])
}
