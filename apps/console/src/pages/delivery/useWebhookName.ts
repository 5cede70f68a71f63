import { useQuery } from '@tanstack/react-query'
import { webhookQuery } from '../../api/webhooks.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { webhookName } from '../deliveries/useWebhookNames.ts'

/** @returns `null`: not known yet, or deleted */
export function useWebhookName(id: string): string | null {
  const { data } = useQuery({ ...webhookQuery(useWorkspace(), id), refetchInterval: false })
  return data === undefined ? null : webhookName(data.webhook)
}
