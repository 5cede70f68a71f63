import { useCallback, useEffect, useRef, useState } from 'react'
import type { LiveBatch } from '../../api/liveDeliveries.ts'
import type { Delivery } from '../../model/delivery.ts'
import { extend, isBeyond, type LiveRows, receive, release, rowsOf } from '../../model/liveRows.ts'

/** Limits renders, however many deliveries arrive. */
const DRAW_EVERY_MS = 1_000

/** The rows of a list to which live deliveries are added. */
export function useLiveRows(params: {
  /** The rows read so far. */
  readonly read: readonly Delivery[]
  /** Whether new rows must wait. */
  readonly isHeld: () => boolean
  /** Whether a delivery that is not in the list belongs in it. */
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
    /** Whether more deliveries arrived than can be shown, so that some are missing. */
    overrun,
    onBatch,
    showWaiting: useCallback(() => setList(release), []),
  }
}
