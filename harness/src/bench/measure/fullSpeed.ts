import type { PosthornProcess } from '../../support/posthorn.ts'
import { decimals, whole } from '../frame/metrics.ts'
import type { Measurements, Metric, Outcome } from '../frame/scenario.ts'
import { compareIds, complaintsOf } from '../load/idFile.ts'
import type { Hook } from '../load/prepareLoad.ts'
import type { Stage, StageOptions } from '../stage/stage.ts'
import { countDuring, countOf, drain, WARM_UP_DELIVERIES } from './counting.ts'
import type { FullSpeedPublisher } from './fullSpeedPublisher.ts'
import { type Load, openLoad, publishLoad } from './loads.ts'
import { measureOnStage } from './measureOnStage.ts'
import { readMetrics, type ServiceMetrics } from './metrics.ts'
import { bytesWritten, cpuMicroseconds, peakRssBytes } from './proc.ts'
import { connectionBytes, type Ports, trafficBetween } from './traffic.ts'

/** CPU and bytes are per event with its delivery. */
export const FULL_SPEED_METRICS = {
  deliveriesPerSecond: whole('deliveries/s'),
  acknowledgedPerSecond: whole('acknowledged/s'),
  cpuMicrosPerDelivery: decimals('CPU µs', 1),
  databaseCpuMicrosPerDelivery: decimals('database CPU µs', 1),
  peakRssMb: whole('peak RSS MB'),
  /** Delay of the service's event loop. */
  loopDelayP99Ms: decimals('loop p99 ms', 1),
  loopDelayMaxMs: decimals('loop max ms', 1),
  /** Kept after it stopped. */
  diskBytesPerDelivery: whole('disk B'),
  /** From the first publish to the last delivery, including the warm-up: the store's log and its pages. */
  writtenBytesPerDelivery: whole('written B'),
  /** Payload of the service's connections, both directions. */
  publisherBytesPerDelivery: whole('publisher B'),
  receiverBytesPerDelivery: whole('receiver B'),
  databaseBytesPerDelivery: whole('database B'),
  statementsPerDelivery: decimals('statements', 4),
  /** Each is at most one sync to disk. */
  commitsPerDelivery: decimals('commits', 4),
} as const satisfies Readonly<Record<string, Metric>>

interface FullSpeedOptions {
  readonly seconds: number
  /** Publishers, each with its own receiver and webhooks; 1 if omitted. */
  readonly loads?: number
  /** How many to create for each load, or the existing ones of the only load. */
  readonly webhooks: number | readonly Hook[]
}

/** Measures {@link runFullSpeed} on a stage with idle nodes, each with its own load. */
export function measureFullSpeed(
  options: StageOptions,
  { nodes = 1, ...load }: Omit<FullSpeedOptions, 'loads'> & { readonly nodes?: number },
): Promise<Outcome> {
  return measureOnStage(options, async (stage) => {
    const services: PosthornProcess[] = []
    while (services.length < nodes) services.push(await stage.startService())
    return runFullSpeed(stage, services, { ...load, loads: nodes })
  })
}

/**
 * Publishes batches to services as fast as they deliver them, then stops the services. Each event reaches one
 * webhook.
 */
export async function runFullSpeed(
  stage: Stage,
  services: readonly PosthornProcess[],
  { webhooks, seconds, loads: count = 1 }: FullSpeedOptions,
): Promise<Outcome> {
  const loads: Load[] = []
  while (loads.length < count)
    loads.push(await openLoad(stage, () => services[0]!.url, webhooks, loads.length))
  const receivers = loads.map(({ receiver }) => receiver)
  const bytesAtStart = await stage.store.bytes()
  const writtenAtStart = await writtenBy(stage, services)
  const publishers = loads.map((load, number) => publishLoad(stage, services, load, number))
  const ports = portsOf(services, loads, stage)
  const measured = await countDuring(
    () => countOf(receivers),
    // Each publisher and each node compiles its own code.
    { seconds, warmUpDeliveries: WARM_UP_DELIVERIES * count },
    () => sample(stage, services, publishers, ports),
    () => {
      for (const publisher of publishers) publisher.check()
    },
  )
  await Promise.all(
    publishers.map(async (publisher, number) => {
      const { acknowledged } = await publisher.finish()
      await drain(receivers[number]!, acknowledged)
    }),
  )
  // The database writes its pages now, and must not do so while throughput and CPU are measured.
  const writtenBytes = (await writtenBy(stage, services)) - writtenAtStart
  const peakRssMb = sum(services, ({ pid }) => peakRssBytes(pid) / 1e6)
  await Promise.all(services.map((service) => service.stop()))
  await Promise.all(receivers.map((receiver) => receiver.ask({ kind: 'finish' }, 'finished')))
  const ids = loads.map(({ files }) => compareIds(files.acknowledged, files.received))
  const keptBytes = (await stage.store.bytes()) - bytesAtStart
  const events = sum(ids, ({ acknowledged }) => acknowledged)
  return {
    metrics: {
      ...metricsOf(measured),
      peakRssMb,
      diskBytesPerDelivery: keptBytes / events,
      writtenBytesPerDelivery: writtenBytes / events,
    },
    complaints: ids.flatMap(complaintsOf),
  }
}

async function writtenBy({ store }: Stage, services: readonly PosthornProcess[]): Promise<number> {
  return sum(services, ({ pid }) => bytesWritten(pid)) + (await store.written())
}

interface Sample extends ServiceMetrics {
  readonly acknowledged: number
  readonly cpu: number
  readonly databaseCpu: number
  readonly connections: ReturnType<typeof connectionBytes>
}

async function sample(
  { store }: Stage,
  services: readonly PosthornProcess[],
  publishers: readonly FullSpeedPublisher[],
  ports: Ports,
): Promise<Sample> {
  const metrics = await Promise.all(services.map(({ url }) => readMetrics(url)))
  const counts = await Promise.all(publishers.map((publisher) => publisher.count()))
  return {
    acknowledged: sum(counts, ({ acknowledged }) => acknowledged),
    cpu: sum(services, ({ pid }) => cpuMicroseconds(pid)),
    databaseCpu: store.cpuMicros(),
    connections: connectionBytes(ports),
    loopDelayP99Ms: Math.max(...metrics.map(({ loopDelayP99Ms }) => loopDelayP99Ms)),
    loopDelayMaxMs: Math.max(...metrics.map(({ loopDelayMaxMs }) => loopDelayMaxMs)),
    statements: sum(metrics, ({ statements }) => statements),
    commits: sum(metrics, ({ commits }) => commits),
  }
}

function metricsOf({
  deliveries,
  seconds,
  before,
  after,
}: {
  readonly deliveries: number
  readonly seconds: number
  readonly before: Sample
  readonly after: Sample
}): Measurements {
  const traffic = trafficBetween(before.connections, after.connections)
  return {
    deliveriesPerSecond: deliveries / seconds,
    acknowledgedPerSecond: (after.acknowledged - before.acknowledged) / seconds,
    cpuMicrosPerDelivery: (after.cpu - before.cpu) / deliveries,
    databaseCpuMicrosPerDelivery: (after.databaseCpu - before.databaseCpu) / deliveries,
    statementsPerDelivery: (after.statements - before.statements) / deliveries,
    commitsPerDelivery: (after.commits - before.commits) / deliveries,
    publisherBytesPerDelivery: traffic.publishers / deliveries,
    receiverBytesPerDelivery: traffic.receivers / deliveries,
    databaseBytesPerDelivery: traffic.database / deliveries,
    loopDelayP99Ms: after.loopDelayP99Ms,
    loopDelayMaxMs: after.loopDelayMaxMs,
  }
}

const portOf = (url: string) => Number(new URL(url).port)

const portsOf = (services: readonly PosthornProcess[], loads: readonly Load[], { store }: Stage): Ports => ({
  services: services.map(({ url }) => portOf(url)),
  receivers: loads.map(({ origin }) => portOf(origin)),
  database: store.port,
})

const sum = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((total, one) => total + of(one), 0)
