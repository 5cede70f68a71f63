import { useQuery } from '@tanstack/react-query'
import { serverNow } from '../../../api/serverNow.ts'
import { deliveriesEveryMs } from '../../../model/pageRefresh.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

const SHOWN = 10

/** The newest deliveries of one webhook. */
export function useRecentDeliveries(webhookId: string) {
  const { id: ws, service } = useWorkspace()
  return useQuery({
    queryKey: ['deliveries', ws, 'recent', webhookId],
    queryFn: ({ signal }) =>
      service.listDeliveries({ filter: { webhookId }, cursor: null, limit: SHOWN, signal }),
    refetchInterval: ({ state }) => deliveriesEveryMs(state.data?.items ?? [], serverNow()),
  })
}
