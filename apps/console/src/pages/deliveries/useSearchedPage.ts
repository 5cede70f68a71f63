import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { type DeliverySearch, filterOf } from '../../model/deliverySearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

export const PAGE_ROWS = 50
/** So many rows are enough to look at before somebody asks for more. */
const ENOUGH_ROWS = 20
/** Each call looks at 2,500 deliveries; a filter that matches little is followed so many calls by itself, for seconds. */
const CALLS_BY_ITSELF = 100

/** One page of the list, put together from as many calls as a filter that matches little takes. */
export function useSearchedPage(search: DeliverySearch) {
  const { id: ws, service } = useWorkspace()
  const [patience, setPatience] = useState(CALLS_BY_ITSELF)
  const key = JSON.stringify(search)
  const query = useInfiniteQuery({
    queryKey: ['deliveries', ws, key],
    queryFn: ({ pageParam, signal }) =>
      service.listDeliveries({
        filter: filterOf(search, Date.now()),
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
  const { data, fetchNextPage, hasNextPage, isFetching, isError } = query
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const calls = data?.pages.length ?? 0
  const wantsMore = data !== undefined && hasNextPage && rows.length < ENOUGH_ROWS
  const goesOn = wantsMore && calls < patience && !isError

  // biome-ignore lint/correctness/useExhaustiveDependencies: another search is as patient as the first
  useEffect(() => setPatience(CALLS_BY_ITSELF), [key])
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage()
  }, [goesOn, isFetching, fetchNextPage])

  return {
    query,
    rows,
    nextCursor: data?.pages.at(-1)?.nextCursor ?? null,
    searching: goesOn,
    /** Searches further; `null`: there is no need or nothing left. */
    searchOn: wantsMore && !goesOn ? () => setPatience(calls + CALLS_BY_ITSELF) : null,
  }
}
