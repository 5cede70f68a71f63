import { useCallback, useEffect, useRef, useState } from 'react'
import type { LiveBatch } from '../../api/liveDeliveries.ts'
import type { Delivery } from '../../model/delivery.ts'
import { extend, isBeyond, type LiveRows, receive, release, rowsOf } from '../../model/liveRows.ts'

/** The page is drawn anew at most so often, however much arrives. */
const DRAW_EVERY_MS = 1_000

/** The rows of a list to which live deliveries are added. */
export function useLiveRows(params: {
  /** What was read of it so far. */
  readonly read: readonly Delivery[]
  /** Whether new rows would move something under whoever reads. */
  readonly isHeld: () => boolean
  /** Whether a delivery that is not in the list belongs there. */
  readonly belongs: (delivery: Delivery, rows: readonly Delivery[]) => boolean
}) {
  const { read } = params
  const [list, setList] = useState<LiveRows>(() => rowsOf(read))
  const [overrun, setOverrun] = useState(false)
  const arrived = useRef<Delivery[]>([])
  const latest = useRef({ ...params, list })
  latest.current = { ...params, list }

  useEffect(() => setList((before) => extend(before, read)), [read])

  useEffect(() => {
    const draw = () => {
      const batch = arrived.current
      arrived.current = []
      const { isHeld, belongs } = latest.current
      const held = isHeld()
      setList((before) =>
        receive(before, batch, { held, belongs: (delivery) => belongs(delivery, before.rows) }),
      )
    }
    const timer = setInterval(draw, DRAW_EVERY_MS)
    return () => clearInterval(timer)
  }, [])

  const onBatch = useCallback(({ deliveries, more }: LiveBatch) => {
    const { rows, waiting } = latest.current.list
    if (more && isBeyond(deliveries, [...rows, ...waiting, ...arrived.current])) setOverrun(true)
    arrived.current.push(...deliveries)
  }, [])

  return {
    list,
    /** More arrived than can be shown: some are missing between the rows. */
    overrun,
    onBatch,
    showWaiting: useCallback(() => setList(release), []),
  }
}
