import { Pool } from 'undici'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { IdFile } from '../load/idFile.ts'
import type { FromPublisher, PreparedBatch, PublisherStart, ToPublisher } from './publisher.ts'

const start = await startOf<PublisherStart>()
const pools = start.urls.map((url) => new Pool(url, { connections: start.batchesInFlight, pipelining: 1 }))
const ids = start.idsFile === null ? null : new IdFile(start.idsFile)

let acknowledged = 0
let delivered = 0
let published = 0
let batchesInFlight = 0
let turn = 0
let finishing = false

function pump(): void {
  while (!finishing && batchesInFlight < start.batchesInFlight) {
    const batch = start.batches[turn % start.batches.length]!
    if (published + batch.events - delivered > start.maxOutstanding) return
    const pool = pools[turn % pools.length]!
    turn += 1
    published += batch.events
    batchesInFlight += 1
    void publish(pool, batch)
  }
}

async function publish(pool: Pool, { path, key, body }: PreparedBatch): Promise<void> {
  try {
    const response = await pool.request({
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    const text = await response.body.text()
    if (response.statusCode !== 202) throw new Error(`${response.statusCode} ${text}`)
    const { events } = JSON.parse(text) as { events: { id: string }[] }
    if (ids !== null) for (const { id } of events) ids.add(id)
    acknowledged += events.length
  } catch (error) {
    finishing = true
    tell({ kind: 'failed', reason: String(error) } satisfies FromPublisher)
  }
  batchesInFlight -= 1
  pump()
  await endIfDone()
}

async function endIfDone(): Promise<void> {
  if (!finishing || batchesInFlight > 0) return
  await ids?.end()
  tell({ kind: 'finished', acknowledged } satisfies FromPublisher)
}

onMessage<ToPublisher>((message) => {
  if (message.kind === 'progress') {
    delivered = message.deliveries
    pump()
  } else if (message.kind === 'count') tell({ kind: 'count', acknowledged } satisfies FromPublisher)
  else {
    finishing = true
    void endIfDone()
  }
})

pump()
tell({ kind: 'ready' } satisfies FromPublisher)
