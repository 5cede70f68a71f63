import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { serverNow } from '../../api/serverNow.ts'
import { type DeliverySearch, filterOf } from '../../model/deliverySearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

export const PAGE_ROWS = 50
/** A search pauses once it has this many rows. */
const ENOUGH_ROWS = 20
/** Most calls before the user is asked to continue. Each call searches 2,500 deliveries. */
const CALLS_BY_ITSELF = 100

/**
 * One page of the list. Filters with few matches take several calls.
 * @param round another value reads the page again
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
    // The stream delivers changes, so the calls of a search are not repeated.
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
    /** Deliveries after this time may be missing; `null`: none are missing. */
    indexedUntil: data?.pages[0]?.indexedUntil ?? null,
    searching: goesOn,
    /** Continues after an error. */
    retry: () => void (data === undefined ? refetch() : fetchNextPage()),
    /** Continues a paused search; `null`: it is not paused. */
    searchOn: wantsMore && !goesOn ? () => setPatience(calls + CALLS_BY_ITSELF) : null,
  }
}
