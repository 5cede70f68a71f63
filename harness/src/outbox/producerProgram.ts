import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onMessage, startOf, tell } from '../support/programSide.ts'
import {
  type Entity,
  type FromProducer,
  type ProducerStart,
  ROLLED_BACK,
  type ToProducer,
  wordOfChange,
  wordOfTime,
} from './producer.ts'

const start = await startOf<ProducerStart>()
let isFinishing = false
let begun = 0
let committed = 0
const startedAt = performance.now()

/** Waits for the time of the next transaction. */
async function nextTurn(): Promise<number> {
  const turn = begun++
  if (start.perSecond === null) return turn
  const waitMs = startedAt + (turn * 1000) / start.perSecond - performance.now()
  if (waitMs > 1) await sleep(waitMs)
  return turn
}

async function change(client: pg.Client, { id, workspace }: Entity, isKept: boolean): Promise<void> {
  await client.query('BEGIN')
  const { rows } = await client.query<{ changes: number }>({
    name: 'change',
    text: 'UPDATE entity SET changes = changes + 1 WHERE id = $1 RETURNING changes',
    values: [id],
  })
  const event = {
    type: 'campaign.status_changed.v1',
    entityType: 'campaign',
    entityId: id,
    payload: { from: wordOfChange(rows[0]!.changes), to: isKept ? wordOfTime(Date.now()) : ROLLED_BACK },
  }
  await client.query({
    name: 'emit',
    text: 'SELECT posthorn.emit($1, $2)',
    values: [workspace, JSON.stringify(event)],
  })
  await client.query(isKept ? 'COMMIT' : 'ROLLBACK')
  if (isKept) committed += 1
}

async function produce(client: pg.Client): Promise<void> {
  while (!isFinishing) {
    const turn = await nextTurn()
    const isKept = start.rollBackEvery === null || turn % start.rollBackEvery !== 0
    await change(client, start.entities[turn % start.entities.length]!, isKept)
  }
}

const clients = await Promise.all(
  Array.from({ length: start.connections }, async () => {
    const client = new pg.Client({ connectionString: start.url })
    await client.connect()
    return client
  }),
)
const producing = Promise.all(clients.map(produce))
const finished = new Promise<void>((resolve) => {
  onMessage<ToProducer>(() => resolve())
})
tell<FromProducer>({ kind: 'producing' })
await finished
isFinishing = true
await producing
await Promise.all(clients.map((client) => client.end()))
tell<FromProducer>({ kind: 'finished', committed })
