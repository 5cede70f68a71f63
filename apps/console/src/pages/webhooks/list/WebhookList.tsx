import { useQuery } from '@tanstack/react-query'
import { summariesQuery } from '../../../api/webhookSummaries.ts'
import type { Webhook } from '../../../model/webhook.ts'
import { Failure } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import classes from './list.module.css'
import { WebhookRow } from './WebhookRow.tsx'

/** One page of webhooks. Their summaries are read in one request. */
export function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { id: ws, service } = useWorkspace()
  const ids = webhooks.map(({ id }) => id)
  const summaries = useQuery(summariesQuery(ws, ids))
  return (
    <>
      {summaries.isError && summaries.data === undefined && (
        <Failure error={summaries.error} retry={() => void summaries.refetch()} />
      )}
      <ul className={`ph-surface ${classes.list}`} aria-label={service.features.area}>
        {webhooks.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            summary={summaries.data?.get(webhook.id) ?? null}
            reading={summaries.isPending}
          />
        ))}
      </ul>
    </>
  )
}
