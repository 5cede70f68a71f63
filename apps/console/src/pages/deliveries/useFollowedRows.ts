import { type RefObject, useRef } from 'react'
import type { LiveBatch } from '../../api/liveDeliveries.ts'
import { serverNow } from '../../api/serverNow.ts'
import type { Delivery } from '../../model/delivery.ts'
import { type DeliverySearch, filterOf, isFirstPage, reachesNow } from '../../model/deliverySearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { useHeld } from './useHeld.ts'
import { useLive } from './useLive.ts'
import { useLiveRows } from './useLiveRows.ts'
import { usePendingRefresh } from './usePendingRefresh.ts'
import { PAGE_ROWS, type useSearchedPage } from './useSearchedPage.ts'

/** A page of deliveries with live updates: new rows are added at the top, and changed rows are updated in place. */
export function useFollowedRows(params: {
  readonly search: DeliverySearch
  readonly page: ReturnType<typeof useSearchedPage>
  readonly live: boolean
  readonly region: RefObject<HTMLElement | null>
  /** Whether rows must not move, for example while some are selected. */
  readonly isHeld: boolean
}) {
  const { search, page, live, region, isHeld } = params
  const { service } = useWorkspace()
  const isFirst = isFirstPage(search)
  const held = useHeld(region, isHeld || !isFirst)
  /** On an older page: the newest delivery when it was opened. Later ones are new. `null`: unknown yet. */
  const newestAtStart = useRef<string | null>(null)
  const reachesEnd = page.query.isSuccess && page.nextCursor === null
  const filter = filterOf(search, serverNow())
  const belongs = ({ createdAt }: Delivery, rows: readonly Delivery[]) => {
    if (!isFirst) return newestAtStart.current !== null && createdAt > newestAtStart.current
    const { from = '', to } = filter
    if (createdAt < from || (to !== undefined && createdAt >= to)) return false
    // Older deliveries than the last row belong to a later page, if there is one.
    const last = rows.at(-1)
    return reachesEnd || last === undefined || createdAt >= last.createdAt
  }
  const rows = useLiveRows({ read: page.rows, isHeld: held, belongs })
  const onBatch = (batch: LiveBatch) => {
    // The first batch contains the newest deliveries.
    if (!isFirst) newestAtStart.current ??= batch.deliveries[0]?.createdAt ?? ''
    rows.onBatch(batch)
  }

  const readNewest = async (signal: AbortSignal): Promise<LiveBatch> => {
    const { cursor: _, before: __, ...newest } = search
    const newestFilter = filterOf(newest, serverNow())
    const { items, nextCursor } = await service.listDeliveries({
      filter: newestFilter,
      cursor: null,
      limit: PAGE_ROWS,
      signal,
    })
    return { deliveries: items, more: nextCursor !== null }
  }
  const follows = live && page.query.isSuccess && reachesNow(search, serverNow())
  // Without times, since periods would change the filter on each render.
  const streamed = filterOf(
    { ...search, period: undefined, from: undefined, to: undefined, before: undefined },
    0,
  )
  const state = useLive({ enabled: follows, filter: streamed, onBatch, readNewest })

  usePendingRefresh({ rows: rows.list.rows, enabled: live, onBatch: rows.onBatch })
  return { ...rows, state }
}
