import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { IdFile } from '../idFile.ts'
import {
  type CountingReceiverStart,
  type FromCountingReceiver,
  ID_HEADER,
  type ToCountingReceiver,
} from './countingReceiver.ts'

/** Often enough for publishers to keep a few thousand events outstanding at 100,000 a second. */
const PROGRESS_EVERY_MS = 5

const ids = new IdFile((await startOf<CountingReceiverStart>()).idsFile)
let deliveries = 0
let told = 0

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  request.resume()
  request.once('end', () => {
    deliveries += 1
    ids.add(String(request.headers[ID_HEADER]))
    response.writeHead(204).end()
  })
})

setInterval(() => {
  if (deliveries === told) return
  told = deliveries
  tell({ kind: 'progress', deliveries } satisfies FromCountingReceiver)
}, PROGRESS_EVERY_MS)

onMessage<ToCountingReceiver>((message) => {
  if (message.kind === 'count') {
    const atMs = Number(process.hrtime.bigint()) / 1e6
    tell({ kind: 'count', deliveries, atMs } satisfies FromCountingReceiver)
    return
  }
  void ids.end().then(() => tell({ kind: 'finished' } satisfies FromCountingReceiver))
})

server.listen(0, '127.0.0.1', () => {
  tell({ kind: 'listening', port: (server.address() as AddressInfo).port } satisfies FromCountingReceiver)
})
