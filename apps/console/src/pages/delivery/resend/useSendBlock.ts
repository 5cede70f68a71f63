import { useQuery } from '@tanstack/react-query'
import { allWebhooksQuery, webhookQuery } from '../../../api/webhooks.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { beforeSending } from '../../webhooks/stateWords.ts'

/**
 * What must be done before a delivery can be sent by hand; `null`: nothing, as far as is known.
 * @param to such as "retry"
 * @param inList whether many deliveries ask: then all webhooks are read at once, and not again each few seconds
 */
export function useSendBlock(webhookId: string, to: string, inList: boolean): string | null {
  const workspace = useWorkspace()
  const one = useQuery({ ...webhookQuery(workspace, webhookId), enabled: !inList }).data?.webhook
  const all = useQuery({ ...allWebhooksQuery(workspace), enabled: inList }).data
  const webhook = inList ? all?.find(({ id }) => id === webhookId) : one
  return webhook === undefined ? null : beforeSending(webhook, workspace, to)
}
