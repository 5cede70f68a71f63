import { useInfiniteQuery } from '@tanstack/react-query'
import { serverNow } from '../../api/serverNow.ts'
import { filterOf } from '../../model/deliverySearch.ts'
import type { EventSearch } from '../../model/eventSearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

const PAGE_ROWS = 50

/** The workspace's events that a search finds, newest first. */
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
    // A cursor goes on under the very filters that it came with: a period goes on counting from then.
    getNextPageParam: ({ nextCursor, askedAt }) =>
      nextCursor === null ? null : { cursor: nextCursor, now: askedAt },
  })
}
