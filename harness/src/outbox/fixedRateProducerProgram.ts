import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StampedBody } from '../bench/load/stamp.ts'
import { onMessage, startOf, tell } from '../support/programSide.ts'
import type {
  FixedRateProducerStart,
  FromFixedRateProducer,
  ToFixedRateProducer,
} from './fixedRateProducer.ts'

const start = await startOf<FixedRateProducerStart>()
const streams = start.streams.map(({ workspace, template }) => ({
  workspace,
  body: new StampedBody(template),
}))
let isFinishing = false
let begun = 0
let committed = 0
const commits = createHistogram()

async function produce(client: pg.Client, startedAt: number): Promise<void> {
  while (!isFinishing) {
    const turn = begun++
    const waitMs = startedAt + (turn * 1000) / start.perSecond - performance.now()
    if (waitMs > 1) await sleep(waitMs)
    const { workspace, body } = streams[turn % streams.length]!
    const emittedAt = process.hrtime.bigint()
    const event = body.at(Number(emittedAt))
    await client.query({ name: 'emit', text: 'SELECT posthorn.emit($1, $2)', values: [workspace, event] })
    committed += 1
    commits.record(process.hrtime.bigint() - emittedAt)
  }
}

const clients = await Promise.all(
  Array.from({ length: start.connections }, async () => {
    const client = new pg.Client({ connectionString: start.url })
    await client.connect()
    return client
  }),
)
const startedAt = performance.now()
const producing = Promise.all(clients.map((client) => produce(client, startedAt)))
tell<FromFixedRateProducer>({ kind: 'producing' })
await new Promise<void>((resolve) => {
  onMessage<ToFixedRateProducer>(({ kind }) => {
    if (kind === 'finish') return resolve()
    commits.reset()
    tell<FromFixedRateProducer>({ kind: 'measuring' })
  })
})
isFinishing = true
await producing
await Promise.all(clients.map((client) => client.end()))
tell<FromFixedRateProducer>({ kind: 'finished', committed, commitP99Ms: commits.percentile(99) / 1e6 })
