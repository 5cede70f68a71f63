import { useQuery } from '@tanstack/react-query'
import { type DeliveryFilter, failedLast } from '../../model/delivery.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** Most pending deliveries that are counted. */
const LOOKED_AT = 100

/** Counts matching pending deliveries with a failed attempt. @param filter `null`: disabled */
export function useFailedSoFar(filter: DeliveryFilter | null) {
  const { id: ws, service } = useWorkspace()
  const { data } = useQuery({
    queryKey: ['deliveries', ws, 'failed so far', filter],
    enabled: filter !== null,
    queryFn: async ({ signal }) => {
      const { items, nextCursor } = await service.listDeliveries({
        filter: { ...filter, status: 'pending' },
        cursor: null,
        limit: LOOKED_AT,
        signal,
      })
      return { count: items.filter(failedLast).length, more: nextCursor !== null }
    },
  })
  return data ?? null
}
