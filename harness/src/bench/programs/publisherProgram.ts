import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { IdFile } from '../load/idFile.ts'
import type { FromPublisher, PreparedBatch, PublisherStart, ToPublisher } from './publisher.ts'

/** Statuses of a service that protects itself. */
const REFUSALS = [429, 503]

const start = await startOf<PublisherStart>()
const pools = start.urls.map((url) => new Pool(url, { connections: start.batchesInFlight, pipelining: 1 }))
const ids = start.idsFile === null ? null : new IdFile(start.idsFile)

let acknowledged = 0
let delivered = 0
let published = 0
let batchesInFlight = 0
let turn = 0
let refused = 0
let finishing = false
const finish = new AbortController()

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

async function publish(pool: Pool, { path, key, body, events }: PreparedBatch): Promise<void> {
  try {
    const response = await pool.request({
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    const text = await response.body.text()
    if (start.goesOn && REFUSALS.includes(response.statusCode)) {
      published -= events
      refused += 1
      await wait(Number(response.headers['retry-after'] ?? 1))
    } else if (response.statusCode !== 202) throw new Error(`${response.statusCode} ${text}`)
    else noteIds(text)
  } catch (error) {
    finishing = true
    tell({ kind: 'failed', reason: String(error) } satisfies FromPublisher)
  }
  batchesInFlight -= 1
  pump()
  await endIfDone()
}

function noteIds(answer: string): void {
  const { events } = JSON.parse(answer) as { events: { id: string }[] }
  if (ids !== null) for (const { id } of events) ids.add(id)
  acknowledged += events.length
}

const wait = (seconds: number) =>
  sleep(seconds * 1000, undefined, { signal: finish.signal }).catch(() => undefined)

async function endIfDone(): Promise<void> {
  if (!finishing || batchesInFlight > 0) return
  await ids?.end()
  tell({ kind: 'finished', acknowledged, refused } satisfies FromPublisher)
}

onMessage<ToPublisher>((message) => {
  if (message.kind === 'progress') {
    delivered = message.deliveries
    pump()
  } else if (message.kind === 'count') tell({ kind: 'count', acknowledged } satisfies FromPublisher)
  else {
    finishing = true
    finish.abort()
    void endIfDone()
  }
})

pump()
tell({ kind: 'ready' } satisfies FromPublisher)
