import { useQuery } from '@tanstack/react-query'
import { webhookQuery } from '../../api/webhooks.ts'
import { webhookName } from '../../model/webhook.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** @returns `null`: unknown yet, or deleted */
export function useWebhookName(id: string): string | null {
  const { data } = useQuery({ ...webhookQuery(useWorkspace(), id), refetchInterval: false })
  return data === undefined ? null : webhookName(data.webhook)
}
