import { useInfiniteQuery } from '@tanstack/react-query'
import { serverNow } from '../../api/serverNow.ts'
import { filterOf } from '../../model/deliverySearch.ts'
import type { EventSearch } from '../../model/eventSearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

const PAGE_ROWS = 50

/** Events of the workspace that match a search, newest first. */
export function useEventPages(search: EventSearch) {
  const { id: ws, service } = useWorkspace()
  return useInfiniteQuery({
    queryKey: ['event log', ws, JSON.stringify(search)],
    queryFn: async ({ pageParam, signal }) => {
      const askedAt = pageParam?.now ?? serverNow()
      const { q, eventType: type, from, to } = filterOf(search, askedAt)
      const cursor = pageParam?.cursor ?? null
      const page = await service.listEvents({
        filter: { q, type, from, to },
        cursor,
        limit: PAGE_ROWS,
        signal,
      })
      return { ...page, askedAt }
    },
    initialPageParam: null as { readonly cursor: string; readonly now: number } | null,
    // A cursor requires the same filters, so a period keeps its original end.
    getNextPageParam: ({ nextCursor, askedAt }) =>
      nextCursor === null ? null : { cursor: nextCursor, now: askedAt },
  })
}
