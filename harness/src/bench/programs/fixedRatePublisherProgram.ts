import { Pool } from 'undici'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { spread } from '../load/fixedRateSchedule.ts'
import { IdFile } from '../load/idFile.ts'
import { StampedBody } from '../load/stamp.ts'
import { Latencies } from '../measure/latencies.ts'
import { Alarm } from './alarm.ts'
import type {
  FixedRatePublisherStart,
  FromFixedRatePublisher,
  Stream,
  ToFixedRatePublisher,
} from './fixedRatePublisher.ts'
import { trusting } from './trusting.ts'

const now = () => Number(process.hrtime.bigint())

const start = await startOf<FixedRatePublisherStart>()
const pool = new Pool(start.url, { connections: start.connections, pipelining: 1, ...trusting(start.ca) })
const ids = start.idsFile === null ? null : new IdFile(start.idsFile)
const latencies = new Latencies()
const lateness = new Latencies()
const bodies = new Map(start.streams.map((stream) => [stream, new StampedBody(stream.template)]))
const atFixedRate = start.streams.filter(({ requestsPerSecond }) => requestsPerSecond > 0)
const schedules = spread(
  atFixedRate.map(({ requestsPerSecond }) => requestsPerSecond),
  now(),
)

const failed = new Map<string, number>()

let measuredFromNs = Number.POSITIVE_INFINITY
let acknowledged = 0
let underWay = 0
let finishing = false

/** The service answered, but rejected the publish. */
class Refused extends Error {
  readonly code: string

  constructor(status: number, text: string) {
    super(`${status} ${text}`)
    this.code = String(status)
  }
}

async function publish(stream: Stream, dueNs: number): Promise<void> {
  underWay += 1
  const { path, key, group } = stream
  if (dueNs >= measuredFromNs) lateness.record(group, now() - dueNs)
  try {
    const response = await pool.request({
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: bodies.get(stream)!.at(dueNs),
    })
    const text = await response.body.text()
    if (response.statusCode !== 202) throw new Refused(response.statusCode, text)
    if (dueNs >= measuredFromNs) latencies.record(group, now() - dueNs)
    acknowledged += stream.events
    if (ids !== null) noteIds(text)
  } catch (error) {
    fail(error as Error)
  }
  underWay -= 1
  await endIfDone()
}

function fail(error: NodeJS.ErrnoException): void {
  if (start.goesOn) {
    const cause = error.code ?? error.name
    failed.set(cause, (failed.get(cause) ?? 0) + 1)
    return
  }
  finishing = true
  tell({ kind: 'failed', reason: String(error) } satisfies FromFixedRatePublisher)
}

/** A single event is answered with its id, a batch with a list. */
function noteIds(answer: string): void {
  const { id, events } = JSON.parse(answer) as { id?: string; events?: { id: string }[] }
  for (const event of events ?? [{ id: id! }]) ids!.add(event.id)
}

async function endIfDone(): Promise<void> {
  if (!finishing || underWay > 0) return
  alarm.stop()
  await ids?.end()
  report('finished')
}

function report(kind: 'count' | 'finished'): void {
  const spreads = { latencies: latencies.spreads(), lateness: lateness.spreads() }
  tell({
    kind,
    acknowledged,
    ...spreads,
    failed: Object.fromEntries(failed),
  } satisfies FromFixedRatePublisher)
}

/** Publishes everything that is due, and waits for the next. */
function publishDue(): void {
  if (finishing) return
  const at = now()
  for (const [position, stream] of atFixedRate.entries()) {
    for (const dueNs of schedules[position]!.take(at)) void publish(stream, dueNs)
  }
  alarm.set(Math.min(...schedules.map(({ nextNs }) => nextNs)))
}

const alarm = new Alarm(publishDue)

onMessage<ToFixedRatePublisher>(({ kind }) => {
  switch (kind) {
    case 'once':
      for (const stream of start.streams) void publish(stream, now())
      return
    case 'begin':
      measuredFromNs = now()
      latencies.reset()
      lateness.reset()
      tell({ kind: 'begun' } satisfies FromFixedRatePublisher)
      return
    case 'count':
      report('count')
      return
    case 'finish':
      finishing = true
      void endIfDone()
  }
})

if (atFixedRate.length > 0) publishDue()
tell({ kind: 'ready' } satisfies FromFixedRatePublisher)
