import { useQuery } from '@tanstack/react-query'
import { overviewsQuery } from '../../../api/overviews.ts'
import type { Webhook } from '../../../model/webhook.ts'
import { Failure } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import classes from './list.module.css'
import { WebhookRow } from './WebhookRow.tsx'

/** One page of webhooks; their figures are read together. */
export function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { id: ws, service } = useWorkspace()
  const ids = webhooks.map(({ id }) => id)
  const overviews = useQuery(overviewsQuery(ws, ids))
  return (
    <>
      {overviews.isError && overviews.data === undefined && (
        <Failure error={overviews.error} retry={() => void overviews.refetch()} />
      )}
      <ul className={`ph-surface ${classes.list}`} aria-label={service.features.area}>
        {webhooks.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            overview={overviews.data?.get(webhook.id) ?? null}
            reading={overviews.isPending}
          />
        ))}
      </ul>
    </>
  )
}
