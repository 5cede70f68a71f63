import { useQuery } from '@tanstack/react-query'
import { webhookQuery } from '../../../api/webhooks.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { beforeSending } from '../../webhooks/stateWords.ts'

/** What must be done before a delivery can be sent by hand; `null`: nothing, as far as is known. @param to such as "retry" */
export function useSendBlock(webhookId: string, to: string): string | null {
  const workspace = useWorkspace()
  const { data } = useQuery(webhookQuery(workspace, webhookId))
  return data === undefined ? null : beforeSending(data.webhook, workspace, to)
}
