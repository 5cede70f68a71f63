import type { Program } from '../../support/program.ts'
import { eventually } from '../../support/waiting.ts'
import type { Stage } from '../stage/stage.ts'
import {
  type FromGridReceiver,
  GRID_RECEIVER,
  type GridReceiverStart,
  markOf,
  type ToGridReceiver,
} from './gridReceiver.ts'
import { type FanoutBatch, fanoutEvent } from './publish.ts'

export type GridReceiver = Program<ToGridReceiver, FromGridReceiver>

export async function startGridReceiver(
  stage: Stage,
  { rows, columns }: Pick<GridReceiverStart, 'rows' | 'columns'>,
): Promise<{ readonly receiver: GridReceiver; readonly origin: string }> {
  const start: GridReceiverStart = { identity: stage.identity, rows, columns }
  const receiver: GridReceiver = stage.start(GRID_RECEIVER, start)
  const { port } = await receiver.next('listening')
  return { receiver, origin: stage.originOf(port) }
}

/** Batches whose events are the rows of the grid. The last one may be smaller. */
export function fanoutBatches(events: number, perBatch: number): FanoutBatch[] {
  return Array.from({ length: Math.ceil(events / perBatch) }, (_, number) => {
    const firstRow = number * perBatch
    const size = Math.min(perBatch, events - firstRow)
    const rows = Array.from({ length: size }, (_, position) => fanoutEvent(markOf(firstRow + position)))
    return { firstRow, events: size, body: JSON.stringify({ events: rows }) }
  })
}

/** Waits until this many cells of the grid have an arrival. @returns whether that happened in time */
export function arrivedAt(receiver: GridReceiver, cells: number, withinMs: number): Promise<boolean> {
  const enough = async () =>
    (await receiver.ask({ kind: 'count' }, 'count')).distinct >= cells ? true : null
  return eventually(enough, { withinMs, everyMs: 20, what: 'arrivals' }).catch(() => false)
}
