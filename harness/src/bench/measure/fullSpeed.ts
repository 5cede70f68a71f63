import type { PosthornProcess } from '../../support/posthorn.ts'
import { decimals, whole } from '../frame/figures.ts'
import type { Figure, Figures, Outcome } from '../frame/scenario.ts'
import { compareIds, complaintsOf } from '../load/idFile.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import type { Stage } from '../stage/stage.ts'
import { countDuring, drain, startCountingReceiver, type Window } from './counting.ts'
import { FullSpeedPublisher } from './fullSpeedPublisher.ts'
import { readMetrics, type ServiceMetrics } from './metrics.ts'
import { bytesWritten, cpuMicroseconds, peakRssBytes } from './proc.ts'
import { connectionBytes, type Ports, trafficBetween } from './traffic.ts'

/** Until the code is compiled and connections are open. */
export const WARM_UP_DELIVERIES = 50_000

/** CPU and bytes are those of one event with its delivery. */
export const FULL_SPEED_FIGURES = {
  deliveriesPerSecond: whole('deliveries/s'),
  acknowledgedPerSecond: whole('acknowledged/s'),
  cpuMicrosPerDelivery: decimals('CPU µs', 1),
  databaseCpuMicrosPerDelivery: decimals('database CPU µs', 1),
  peakRssMb: whole('peak RSS MB'),
  /** As the service's metrics have it; its timer's 10 ms are in it. */
  loopDelayP99Ms: decimals('loop p99 ms', 1),
  /** Kept, once stopped. */
  diskBytesPerDelivery: whole('disk B'),
  /** While measured, the store's log included. */
  writtenBytesPerDelivery: whole('written B'),
  /** Payload of the service's connections, both ways. */
  publisherBytesPerDelivery: whole('publisher B'),
  receiverBytesPerDelivery: whole('receiver B'),
  databaseBytesPerDelivery: whole('database B'),
  statementsPerDelivery: decimals('statements', 4),
  /** Each is one sync to disk at most. */
  commitsPerDelivery: decimals('commits', 4),
} as const satisfies Readonly<Record<string, Figure>>

export interface FullSpeed {
  readonly outcome: Outcome
  readonly hooks: readonly Hook[]
}

/** Publishes batches to services, which then are stopped, as fast as they deliver them. Each event reaches one webhook. */
export async function runFullSpeed(
  stage: Stage,
  services: readonly PosthornProcess[],
  { webhooks, ...window }: Window & { readonly webhooks: number },
): Promise<FullSpeed> {
  const files = { received: stage.file('received'), acknowledged: stage.file('acknowledged') }
  const { receiver, origin } = await startCountingReceiver(stage, files.received)
  const hooks = await prepareLoad(() => services[0]!.url, { webhooks, receiverOrigin: origin })
  const bytesAtStart = await stage.store.bytes()
  const publisher = FullSpeedPublisher.start(stage, services, hooks, { idsFile: files.acknowledged })
  publisher.follow(receiver)
  const ports = portsOf(services, origin, stage)
  const measured = await countDuring(receiver, window, () => sample(stage, services, publisher, ports))
  const { acknowledged } = await publisher.finish()
  await drain(receiver, acknowledged)
  const peakRssMb = sum(services, ({ pid }) => peakRssBytes(pid) / 1e6)
  await Promise.all(services.map((service) => service.stop()))
  await receiver.ask({ kind: 'finish' }, 'finished')
  const ids = compareIds(files.acknowledged, files.received)
  const diskBytesPerDelivery = ((await stage.store.bytes()) - bytesAtStart) / ids.acknowledged
  return {
    hooks,
    outcome: {
      figures: { ...figuresOf(measured), peakRssMb, diskBytesPerDelivery },
      complaints: complaintsOf(ids),
    },
  }
}

interface Sample extends ServiceMetrics {
  readonly acknowledged: number
  readonly cpu: number
  readonly written: number
  readonly databaseCpu: number
  readonly connections: ReturnType<typeof connectionBytes>
}

async function sample(
  { store }: Stage,
  services: readonly PosthornProcess[],
  publisher: FullSpeedPublisher,
  ports: Ports,
): Promise<Sample> {
  const metrics = await Promise.all(services.map(({ url }) => readMetrics(url)))
  return {
    acknowledged: (await publisher.count()).acknowledged,
    cpu: sum(services, ({ pid }) => cpuMicroseconds(pid)),
    written: sum(services, ({ pid }) => bytesWritten(pid)) + store.written(),
    databaseCpu: store.cpuMicros(),
    connections: connectionBytes(ports),
    loopDelayP99Ms: Math.max(...metrics.map(({ loopDelayP99Ms }) => loopDelayP99Ms)),
    statements: sum(metrics, ({ statements }) => statements),
    commits: sum(metrics, ({ commits }) => commits),
  }
}

function figuresOf({
  deliveries,
  seconds,
  before,
  after,
}: {
  readonly deliveries: number
  readonly seconds: number
  readonly before: Sample
  readonly after: Sample
}): Figures {
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
  }
}

const portsOf = (services: readonly PosthornProcess[], origin: string, { store }: Stage): Ports => ({
  services: services.map(({ url }) => Number(new URL(url).port)),
  receiver: Number(new URL(origin).port),
  database: store.port,
})

const sum = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((total, one) => total + of(one), 0)
