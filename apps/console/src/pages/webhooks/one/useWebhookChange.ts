import { useMutation, useQueryClient } from '@tanstack/react-query'
import { webhookQuery } from '../../../api/webhooks.ts'
import type { WebhookChanges, WebhookVersion } from '../../../model/webhook.ts'
import { showDone, showFailure } from '../../../shared/notify.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Stores a new version of a webhook in the cache, and refreshes what depends on it. */
export function useShowVersion(): (version: WebhookVersion) => void {
  const workspace = useWorkspace()
  const queryClient = useQueryClient()
  return (version) => {
    const { id } = version.webhook
    queryClient.setQueryData(webhookQuery(workspace, id).queryKey, version)
    void queryClient.invalidateQueries({ queryKey: ['webhooks', workspace.id] })
    void queryClient.invalidateQueries({ queryKey: ['webhook-summary', workspace.id, id] })
  }
}

/**
 * Enables, disables, pauses, resumes or snoozes a webhook without affecting concurrent changes of other fields.
 * @param words messages on success and on failure
 */
export function useStateChange(
  id: string,
  changes: Pick<WebhookChanges, 'enabled' | 'paused' | 'snoozedUntil'>,
  words: { readonly done: string; readonly failed: string },
) {
  const { service } = useWorkspace()
  const show = useShowVersion()
  return useMutation({
    mutationFn: () => service.updateWebhook({ id, changes, etag: null }),
    onSuccess: (version) => {
      show(version)
      showDone(words.done)
    },
    onError: (error) => showFailure(words.failed, error),
  })
}
