import { useQueries } from '@tanstack/react-query'
import { summariesQuery } from '../../../api/webhookSummaries.ts'
import type { FailingWebhook } from '../../../model/health.ts'

/** Each workspace costs a request. */
const EVERY_MS = 30_000

/** Ids of those of these webhooks that took their newest delivery; `null`: not known yet. */
export function useRecovered(webhooks: readonly FailingWebhook[]): ReadonlySet<string> | null {
  const workspaces = [...new Set(webhooks.map(({ workspace }) => workspace.id))]
  const idsIn = (ws: string) =>
    webhooks.filter(({ workspace }) => workspace.id === ws).map(({ webhook_id }) => webhook_id)
  const reads = useQueries({
    queries: workspaces.map((ws) => ({
      ...summariesQuery(ws, idsIn(ws).sort()),
      refetchInterval: EVERY_MS,
    })),
  })
  if (reads.some(({ isPending }) => isPending)) return null
  // Of what cannot be read nothing is known: it was failing.
  const summaries = reads.flatMap(({ data }) => (data === undefined ? [] : [...data.values()]))
  return new Set(
    summaries
      .filter(({ last_delivery }) => last_delivery?.status === 'delivered')
      .map(({ webhook_id }) => webhook_id),
  )
}
