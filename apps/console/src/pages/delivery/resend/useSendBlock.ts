import { useQuery } from '@tanstack/react-query'
import { allWebhooksQuery, webhookQuery } from '../../../api/webhooks.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { beforeSending } from '../../webhooks/stateWords.ts'

/**
 * What is required before a manual send; `null`: nothing.
 * @param to such as "retry this delivery"
 * @param inList whether it is used in a list: all webhooks are then read at once, and less often
 */
export function useSendBlock(webhookId: string, to: string, inList: boolean): string | null {
  const workspace = useWorkspace()
  const one = useQuery({ ...webhookQuery(workspace, webhookId), enabled: !inList }).data?.webhook
  const all = useQuery({ ...allWebhooksQuery(workspace), enabled: inList }).data
  const webhook = inList ? all?.find(({ id }) => id === webhookId) : one
  return webhook === undefined ? null : beforeSending(webhook, workspace, to)
}
