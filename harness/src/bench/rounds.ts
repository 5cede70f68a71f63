import path from 'node:path'
import { type PosthornProcess, startService } from '../support/posthorn.ts'
import { Program } from '../support/program.ts'
import { makeDirectory, removeDirectory } from '../support/tempDirectory.ts'
import { eventually } from '../support/waiting.ts'
import { compareIds, type IdComparison } from './idFile.ts'
import { type Load, prepareLoad } from './load.ts'
import { bytesWritten, cpuMicroseconds, peakRssBytes } from './proc.ts'
import { BARE_LOOP, type BareLoopStart } from './programs/bareLoop.ts'
import {
  COUNTING_RECEIVER,
  type CountingReceiverStart,
  type FromCountingReceiver,
  type ToCountingReceiver,
} from './programs/countingReceiver.ts'
import { type FromPublisher, PUBLISHER, type PublisherStart, type ToPublisher } from './programs/publisher.ts'
import { type BenchStore, openBenchStore, type StoreName } from './stores.ts'
import { connectionBytes, type Ports, trafficBetween } from './traffic.ts'

export interface RoundOptions {
  readonly store: StoreName
  readonly webhooks: number
  readonly warmUpDeliveries: number
  readonly seconds: number
  /** The temporary data directories are made in here. */
  readonly dataParent: string
}

export interface PosthornRound extends IdComparison {
  readonly deliveriesPerSecond: number
  readonly acknowledgedPerSecond: number
  /** Of the service, and of the database beside it. */
  readonly cpuMicrosPerDelivery: number
  readonly databaseCpuMicrosPerDelivery: number
  readonly peakRssBytes: number
  /** As the service's metrics have it; its timer's 10 ms are in it. */
  readonly loopDelayP99Ms: number
  /** Kept, once stopped, for an event with its delivery. */
  readonly diskBytesPerDelivery: number
  /** Written while measured, the store's log included. */
  readonly writtenBytesPerDelivery: number
  /** Sent to the database, whose answers are waited for; NaN for a store that is not asked by statements. */
  readonly statementsPerDelivery: number
  /** Writing transactions; each is one sync to disk at most. NaN where the store does not count. */
  readonly commitsPerDelivery: number
  /** Payload of the service's connections, both ways; NaN where it cannot be counted. */
  readonly publisherBytesPerDelivery: number
  readonly receiverBytesPerDelivery: number
  readonly databaseBytesPerDelivery: number
}

export interface BareRound {
  readonly deliveriesPerSecond: number
  readonly cpuMicrosPerDelivery: number
}

const BATCH_EVENTS = 500
const BATCHES_IN_FLIGHT = 4
const MAX_OUTSTANDING = 5_000
const BARE_IN_FLIGHT = 64
const WARM_UP_WITHIN_MS = 120_000
const DRAIN_WITHIN_MS = 60_000

type Receiver = Program<ToCountingReceiver, FromCountingReceiver>

async function startReceiver(idsFile: string): Promise<{ receiver: Receiver; origin: string }> {
  const start: CountingReceiverStart = { idsFile }
  const receiver: Receiver = new Program(COUNTING_RECEIVER, start)
  const { port } = await receiver.next('listening')
  return { receiver, origin: `http://127.0.0.1:${port}` }
}

/** Waits for the warm-up, then measures for a while. The sample is taken at both ends. */
async function measure<S>(receiver: Receiver, options: RoundOptions, sample: () => Promise<S> | S) {
  const count = () => receiver.ask({ kind: 'count' }, 'count')
  await eventually(async () => ((await count()).deliveries >= options.warmUpDeliveries ? true : null), {
    withinMs: WARM_UP_WITHIN_MS,
    everyMs: 50,
    what: 'warm-up',
  })
  const before = { ...(await count()), sample: await sample() }
  await new Promise((resolve) => setTimeout(resolve, options.seconds * 1000))
  const after = { ...(await count()), sample: await sample() }
  const deliveries = after.deliveries - before.deliveries
  return {
    deliveries,
    seconds: (after.atMs - before.atMs) / 1000,
    before: before.sample,
    after: after.sample,
  }
}

export async function runBareRound(options: RoundOptions, load: Load): Promise<BareRound> {
  const directory = makeDirectory(options.dataParent)
  const { receiver, origin } = await startReceiver(path.join(directory, 'received'))
  const { paths, bodies, secret } = load
  const start: BareLoopStart = { origin, paths, bodies, secret, inFlight: BARE_IN_FLIGHT }
  const loop = new Program<never, never>(BARE_LOOP, start)
  try {
    const { deliveries, seconds, before, after } = await measure(receiver, options, () =>
      cpuMicroseconds(loop.pid),
    )
    return {
      deliveriesPerSecond: deliveries / seconds,
      cpuMicrosPerDelivery: (after - before) / deliveries,
    }
  } finally {
    await Promise.all([loop.stop(), receiver.stop()])
    removeDirectory(directory)
  }
}

/** Starts everything afresh, so that no round inherits a warm process or a grown store from another. */
export async function runPosthornRound(
  options: RoundOptions,
): Promise<{ readonly round: PosthornRound; readonly load: Load }> {
  const directory = makeDirectory(options.dataParent)
  const dataDir = path.join(directory, 'data')
  const files = {
    received: path.join(directory, 'received'),
    acknowledged: path.join(directory, 'acknowledged'),
  }
  const { receiver, origin } = await startReceiver(files.received)
  const store = await openBenchStore(options.store, dataDir)
  const service = await startService({ dataDir, settings: store.settings })
  try {
    const load = await prepareLoad(() => service.url, {
      webhooks: options.webhooks,
      batchEvents: BATCH_EVENTS,
      receiverOrigin: origin,
    })
    const bytesAtStart = await store.bytes()
    const measured = await publishAndMeasure(service, store, receiver, options, load, files.acknowledged)
    await service.stop()
    await receiver.ask({ kind: 'finish' }, 'finished')
    const ids = compareIds(files.acknowledged, files.received)
    const diskBytesPerDelivery = ((await store.bytes()) - bytesAtStart) / ids.acknowledged
    return { round: { ...measured, ...ids, diskBytesPerDelivery }, load }
  } finally {
    await Promise.all([service.kill(), receiver.stop()])
    await store.remove()
    removeDirectory(directory)
  }
}

async function publishAndMeasure(
  service: PosthornProcess,
  store: BenchStore,
  receiver: Receiver,
  options: RoundOptions,
  load: Load,
  idsFile: string,
): Promise<Omit<PosthornRound, keyof IdComparison | 'diskBytesPerDelivery'>> {
  const start: PublisherStart = {
    url: service.url,
    batches: load.batches,
    batchesInFlight: BATCHES_IN_FLIGHT,
    maxOutstanding: MAX_OUTSTANDING,
    idsFile,
  }
  const publisher = new Program<ToPublisher, FromPublisher>(PUBLISHER, start)
  let failure: string | null = null
  publisher.on('failed', ({ reason }) => {
    failure ??= reason
  })
  receiver.on('progress', (progress) => publisher.send(progress))
  const ports: Ports = {
    service: portOf(service.url),
    receiver: portOf(load.receiverOrigin),
    database: store.port,
  }
  try {
    const { deliveries, seconds, before, after } = await measure(receiver, options, async () => ({
      acknowledged: (await publisher.ask({ kind: 'count' }, 'count')).acknowledged,
      cpu: cpuMicroseconds(service.pid),
      written: bytesWritten(service.pid) + store.written(),
      databaseCpu: store.cpuMicros(),
      connections: connectionBytes(ports),
      // Reading them also begins a new period of the loop's delay.
      ...(await readMetrics(service.url)),
    }))
    const { acknowledged } = await publisher.ask({ kind: 'finish' }, 'finished')
    if (failure !== null) throw new Error(`a publish failed: ${failure}`)
    await drain(receiver, acknowledged)
    const traffic = trafficBetween(before.connections, after.connections)
    return {
      deliveriesPerSecond: deliveries / seconds,
      acknowledgedPerSecond: (after.acknowledged - before.acknowledged) / seconds,
      cpuMicrosPerDelivery: (after.cpu - before.cpu) / deliveries,
      databaseCpuMicrosPerDelivery: (after.databaseCpu - before.databaseCpu) / deliveries,
      writtenBytesPerDelivery: (after.written - before.written) / deliveries,
      statementsPerDelivery: (after.statements - before.statements) / deliveries,
      commitsPerDelivery: (after.commits - before.commits) / deliveries,
      publisherBytesPerDelivery: traffic.publishers / deliveries,
      receiverBytesPerDelivery: traffic.receivers / deliveries,
      databaseBytesPerDelivery: traffic.database / deliveries,
      loopDelayP99Ms: after.loopDelayP99Ms,
      peakRssBytes: peakRssBytes(service.pid),
    }
  } finally {
    await publisher.stop()
  }
}

/** Waits for what is acknowledged but not received; what never comes is counted as lost by the ids. */
async function drain(receiver: Receiver, acknowledged: number): Promise<void> {
  await eventually(
    async () => ((await receiver.ask({ kind: 'count' }, 'count')).deliveries >= acknowledged ? true : null),
    { withinMs: DRAIN_WITHIN_MS, everyMs: 50, what: 'last deliveries' },
  ).catch(() => undefined)
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

async function readMetrics(url: string) {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  return {
    loopDelayP99Ms: read('nodejs_eventloop_lag_p99_seconds') * 1000,
    statements: read('posthorn_store_statements_total'),
    commits: read('posthorn_store_commits_total'),
  }
}
