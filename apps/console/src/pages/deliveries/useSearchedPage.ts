import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { serverNow } from '../../api/serverNow.ts'
import { type DeliverySearch, filterOf } from '../../model/deliverySearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

export const PAGE_ROWS = 50
/** So many rows are enough to look at before somebody asks for more. */
const ENOUGH_ROWS = 20
/** Each call looks at 2,500 deliveries; a filter that matches little is followed so many calls by itself, for seconds. */
const CALLS_BY_ITSELF = 100

/**
 * One page of the list, put together from as many calls as a filter that matches little takes.
 * @param round another one is read anew
 */
export function useSearchedPage(search: DeliverySearch, round: number) {
  const { id: ws, service } = useWorkspace()
  const [patience, setPatience] = useState(CALLS_BY_ITSELF)
  const query = useInfiniteQuery({
    queryKey: ['deliveries', ws, JSON.stringify(search), round],
    queryFn: ({ pageParam, signal }) =>
      service.listDeliveries({
        filter: filterOf(search, serverNow()),
        cursor: pageParam,
        limit: PAGE_ROWS,
        signal,
      }),
    initialPageParam: search.cursor ?? (null as string | null),
    getNextPageParam: (page) => page.nextCursor,
    // What has changed since comes by the stream; to read all calls of a search again would only cost.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const { data, fetchNextPage, refetch, hasNextPage, isFetching, isError } = query
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const calls = data?.pages.length ?? 0
  const wantsMore = data !== undefined && hasNextPage && rows.length < ENOUGH_ROWS
  const goesOn = wantsMore && calls < patience && !isError

  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage()
  }, [goesOn, isFetching, fetchNextPage])

  return {
    query,
    rows,
    nextCursor: data?.pages.at(-1)?.nextCursor ?? null,
    /** Until when the search has everything; `null`: it has everything. */
    indexedUntil: data?.pages[0]?.indexedUntil ?? null,
    searching: goesOn,
    /** After an error: goes on where it happened. */
    retry: () => void (data === undefined ? refetch() : fetchNextPage()),
    /** Searches further; `null`: there is no need or nothing left. */
    searchOn: wantsMore && !goesOn ? () => setPatience(calls + CALLS_BY_ITSELF) : null,
  }
}
