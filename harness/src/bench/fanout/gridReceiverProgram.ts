import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { serve } from '../programs/receiverServer.ts'
import { Grid } from './grid.ts'
import { type FromGridReceiver, type GridReceiverStart, rowIn, type ToGridReceiver } from './gridReceiver.ts'

/** If nothing has arrived for this long, everything that a killed process sent has been read. */
const QUIET_MS = 25
/** Other processes may keep sending, so it never becomes quiet; earlier requests have been read by then. */
const READ_WITHIN_MS = 1_000

const { identity, rows, columns } = await startOf<GridReceiverStart>()
const grid = new Grid(rows, columns)
let allowedCells = Number.POSITIVE_INFINITY
let held: ServerResponse[] = []

const port = await serve(identity, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => {
    const url = request.url!
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    grid.arrive(rowIn(body), Number(url.slice(url.lastIndexOf('/') + 1)))
    if (grid.distinct > allowedCells) held.push(response)
    else response.writeHead(204).end()
  })
})

function allow(cells: number): void {
  allowedCells = cells
  const waiting = held
  held = []
  for (const response of waiting) {
    // A sender that was killed in the meantime has closed its connection.
    if (!response.destroyed) response.writeHead(204).end()
  }
}

async function readAll(): Promise<void> {
  const until = performance.now() + READ_WITHIN_MS
  let before: number
  do {
    before = grid.counts().arrivals
    await sleep(QUIET_MS)
  } while (grid.counts().arrivals > before && performance.now() < until)
}

async function answer(message: ToGridReceiver): Promise<FromGridReceiver> {
  switch (message.kind) {
    case 'count':
      return { kind: 'count', ...grid.counts() }
    case 'rows':
      return { kind: 'rows', rows: grid.rows() }
    case 'allow':
      allow(message.cells)
      return { kind: 'allowed' }
    case 'forgive':
      await readAll()
      grid.forgive()
      return { kind: 'forgiven' }
  }
}

onMessage<ToGridReceiver>((message) => void answer(message).then(tell))
tell({ kind: 'listening', port } satisfies FromGridReceiver)
