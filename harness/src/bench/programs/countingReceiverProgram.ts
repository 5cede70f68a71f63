import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { IdFile } from '../load/idFile.ts'
import {
  type CountingReceiverStart,
  type FromCountingReceiver,
  ID_HEADER,
  type ToCountingReceiver,
} from './countingReceiver.ts'
import { tellProgress } from './progress.ts'
import { serve } from './receiverServer.ts'

const { idsFile, identity } = await startOf<CountingReceiverStart>()
const ids = new IdFile(idsFile)
let deliveries = 0

const port = await serve(identity, (request, response) => {
  request.resume()
  request.once('end', () => {
    deliveries += 1
    ids.add(String(request.headers[ID_HEADER]))
    response.writeHead(204).end()
  })
})

tellProgress(() => deliveries)

onMessage<ToCountingReceiver>((message) => {
  if (message.kind === 'count') {
    const atMs = Number(process.hrtime.bigint()) / 1e6
    tell({ kind: 'count', deliveries, atMs } satisfies FromCountingReceiver)
    return
  }
  void ids.end().then(() => tell({ kind: 'finished' } satisfies FromCountingReceiver))
})

tell({ kind: 'listening', port } satisfies FromCountingReceiver)
