import { queryOptions, useQuery } from '@tanstack/react-query'
import { serverNow } from '../../api/serverNow.ts'
import type { Delivery } from '../../model/delivery.ts'
import type { Service } from '../../model/service.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** Refresh interval while an attempt is due or in progress. */
const WATCH_EVERY_MS = 1_000
/** Refresh interval until then, since another user may resend it or disable the webhook. */
const LOOK_EVERY_MS = 20_000
const SOON_MS = 2_000

export const deliveryQuery = (ws: string, service: Service, webhookId: string, id: string) =>
  queryOptions({
    queryKey: ['delivery', ws, id],
    staleTime: 0,
    queryFn: ({ signal }) => service.getDelivery({ webhookId, id, signal }),
  })

/** A delivery with its requests, refreshed while it is pending. */
export function useDelivery(webhookId: string, id: string) {
  const { id: ws, service } = useWorkspace()
  return useQuery({
    ...deliveryQuery(ws, service, webhookId, id),
    refetchInterval: ({ state }) => readAgainIn(state.data, serverNow()),
  })
}

/** @returns ms; `false`: nothing changes without a user's action */
function readAgainIn(delivery: Delivery | undefined, now: number): number | false {
  if (delivery === undefined || delivery.nextAttemptAt === null) return false
  const dueInMs = Date.parse(delivery.nextAttemptAt) - now
  return dueInMs < SOON_MS ? WATCH_EVERY_MS : Math.min(dueInMs, LOOK_EVERY_MS)
}
