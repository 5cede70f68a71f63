import { setTimeout as sleep } from 'node:timers/promises'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { within } from '../../support/waiting.ts'
import { FixedRateSchedule } from '../load/fixedRateSchedule.ts'
import { IdFile } from '../load/idFile.ts'
import { Latencies } from '../measure/latencies.ts'
import { BandwidthLimit } from './bandwidthLimit.ts'
import { type RawAnswer, RawConnection } from './rawConnection.ts'
import type { FromRawSender, RawRequest, RawSenderStart, ToRawSender } from './rawSender.ts'

const LOOK_EVERY_MS = 5

const now = () => Number(process.hrtime.bigint())

const start = await startOf<RawSenderStart>()
const bandwidth = new BandwidthLimit(start.bytesPerSecond)
const ids = start.idsFile === null ? null : new IdFile(start.idsFile)
const times = new Latencies()
const answers = new Map<string, Map<string, number>>()
const underWay = new Set<Promise<void>>()
const stopsAtMs = performance.now() + start.maxSeconds * 1000
let begun = 0
let unsent = 0
let accepted = 0
let isEnding = false

const mayGoOn = () => !isEnding && begun + unsent < start.maxRequests && performance.now() < stopsAtMs

function nextRequest(): RawRequest {
  const request = start.requests[begun % start.requests.length]!
  begun += 1
  return request
}

async function send(connection: RawConnection, { name, bytes }: RawRequest): Promise<void> {
  const sentNs = now()
  note(name, await connection.exchange(bytes, bandwidth), sentNs)
}

function note(name: string, answer: RawAnswer, sentNs: number): void {
  const status = answer === null ? 'closed' : String(answer.status)
  times.record(status, now() - sentNs)
  count(name, status)
  if (answer?.status !== 202) return
  const { id, events } = JSON.parse(answer.body) as { id?: string; events?: { id: string }[] }
  for (const event of events ?? [{ id: id! }]) {
    accepted += 1
    ids?.add(event.id)
  }
}

function count(name: string, status: string): void {
  const byStatus = answers.get(name) ?? new Map<string, number>()
  answers.set(name, byStatus)
  byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
}

/** One request after the other, over one connection at a time. */
async function keepSending(): Promise<void> {
  let connection = new RawConnection(start.port)
  while (mayGoOn()) {
    await track(send(connection, nextRequest()))
    if (connection.isOpen) continue
    await sleep(start.reconnectMs)
    if (mayGoOn()) connection = new RawConnection(start.port)
  }
}

const free: RawConnection[] = []
/** Connections in use, and slots of those that ended recently. */
let taken = 0

function sendDue(schedule: FixedRateSchedule): void {
  for (const _ of schedule.take(now())) {
    if (!mayGoOn()) return
    const connection = takeConnection()
    if (connection === null) unsent += 1
    else void track(sendAndReturn(connection))
  }
}

function takeConnection(): RawConnection | null {
  for (let known = free.pop(); known !== undefined; known = free.pop()) {
    if (known.isOpen) return known
    taken -= 1
  }
  if (taken >= start.connections) return null
  taken += 1
  return new RawConnection(start.port)
}

async function sendAndReturn(connection: RawConnection): Promise<void> {
  await send(connection, nextRequest())
  if (connection.isOpen) {
    free.push(connection)
    return
  }
  setTimeout(() => {
    taken -= 1
  }, start.reconnectMs)
}

function track(work: Promise<void>): Promise<void> {
  underWay.add(work)
  return work.finally(() => underWay.delete(work))
}

async function finish(): Promise<void> {
  isEnding = true
  await within(Promise.all(underWay), start.endWithinMs, 'end of requests').catch(() => undefined)
  const byName = [...answers].map(([name, byStatus]) => [name, Object.fromEntries(byStatus)] as const)
  const report = {
    answers: Object.fromEntries(byName),
    unsent,
    open: underWay.size,
    accepted,
    times: times.spreads(),
  }
  await ids?.end()
  tell({ kind: 'finished', ...report } satisfies FromRawSender)
}

onMessage<ToRawSender>(() => void finish())

if (start.perSecond === null) for (let n = 0; n < start.connections; n++) void keepSending()
else {
  const schedule = new FixedRateSchedule(start.perSecond, now())
  setInterval(() => sendDue(schedule), LOOK_EVERY_MS)
}
tell({ kind: 'ready' } satisfies FromRawSender)
