import { setTimeout as sleep } from 'node:timers/promises'
import { Collector } from '../otlp/collector.ts'
import type { Behavior } from '../receivers/behavior.ts'
import { Api } from '../support/http.ts'
import { type MetricsText, readMetrics } from '../support/metricsText.ts'
import { ADMIN_TOKEN, type PosthornProcess } from '../support/posthorn.ts'
import { eventually } from '../support/waiting.ts'
import { createWorkspace } from '../support/workspaces.ts'
import { FAILING, HOOKS, type Hook, makeHooks, PER_SECOND, startSoakedService } from './cast.ts'
import { LogWatch } from './logWatch.ts'
import { FixedRateSingles } from './publisher.ts'
import type { Arrivals } from './receiver.ts'
import { type Sample, ServiceWatch, takeSample, workOf } from './serviceWatch.ts'
import { SoakReceiver } from './soakReceiver.ts'
import { Visitors } from './visitors.ts'

export interface SoakParams {
  readonly seconds: number
  /** A new directory for the service. */
  readonly dataDir: string
  /** Gets a line each minute, and a few extra ones. */
  readonly progress: (line: string) => void
}

/** The requests to a hook, next to the events acknowledged for it. */
export interface HookResult extends Arrivals {
  readonly name: string
  /** Numbers of the acknowledged events. */
  readonly acknowledged: readonly number[]
}

export interface SoakResult {
  readonly hooks: readonly HookResult[]
  /** Answered publish requests. */
  readonly publishes: number
  /** Events that were due while too many publishes waited for an answer. */
  readonly leftOut: number
  readonly visits: Readonly<Record<string, number>>
  /** Of publishes, visits and scrapes. */
  readonly failures: readonly string[]
  readonly log: LogWatch
  readonly samples: readonly Sample[]
  /** Before and after the load, when the service is idle and has closed idle connections. */
  readonly atStart: Sample
  readonly atEnd: Sample
  readonly metrics: MetricsText
  readonly collector: Pick<Collector, 'spans' | 'exports'>
}

const DOWN: Behavior = { kind: 'status', status: 503 }
/**
 * In each of this many parts of the time, the intermittent hook fails all requests for a tenth of the part.
 */
const PARTS = 6
const DOWN_PART = 0.1
/** When the collector stops and restarts, as shares of the time. */
const COLLECTOR_AWAY = { from: 0.35, to: 0.45 } as const
const COLLECTOR_USED_WITHIN_MS = 60_000

const SETTLES_WITHIN_MS = 300_000
/** Longer than the service and its clients keep idle connections. */
const CLOSES_WITHIN_MS = 120_000
/** Spans are sent every two seconds, in requests that end within three. */
const SPANS_ARRIVE_MS = 6_000
const MINUTE_MS = 60_000

interface Stage extends SoakParams {
  readonly receiver: SoakReceiver
  readonly collector: Collector
  readonly log: LogWatch
  readonly service: PosthornProcess
}

/** Resolves at a share of the time. */
type At = (part: number) => Promise<void>

/**
 * Runs a service on SQLite with traces and metrics enabled, under an even load, for a while.
 * @throws Error when the service exits on its own or does not become idle after the load
 */
export async function soak(params: SoakParams): Promise<SoakResult> {
  const { seconds, dataDir } = params
  const receiver = await SoakReceiver.start(Math.ceil(seconds * PER_SECOND.content) + 1_000)
  const collector = await Collector.start({ keep: false })
  const log = new LogWatch()
  let service: PosthornProcess | null = null
  try {
    service = await startSoakedService({ dataDir, receiver, collector, seconds, log })
    const ended = service.exited.then((exit) => {
      throw new Error(`the service ended with ${JSON.stringify(exit)}: ${log.complaints.join('\n')}`)
    })
    return await Promise.race([run({ ...params, receiver, collector, log, service }), ended])
  } finally {
    await Promise.all([service?.kill(), receiver.stop(), collector.stop()])
  }
}

async function run(stage: Stage): Promise<SoakResult> {
  const { dataDir, progress, receiver, service, collector, log } = stage
  const { publishers, webhookId, workspaces, api } = await prepare(stage)
  const member = await api.post<{ id: string }>(`/admin/v1/workspaces/${workspaces.content.id}/members`, {
    token: ADMIN_TOKEN,
    body: { email: 'soak@example.com', name: 'Soak', role: 'owner' },
  })
  const atStart = await takeSample(service, dataDir)
  const watch = new ServiceWatch(service, dataDir)
  for (const publisher of publishers.all) publisher.start()
  const visitors = new Visitors(
    { api, url: service.url, workspace: workspaces.content, receiver, webhookId },
    member.id,
  )
  await pass(stage, () => `${publishers.acknowledged()} events${watch.lastLine()}, ${collector.spans} spans`)
  await Promise.all([...publishers.all.map((publisher) => publisher.stop()), visitors.stop()])
  await watch.stop()
  progress('the load has ended; waiting for the last deliveries and for connections to close')
  await settled(service)
  await sleep(SPANS_ARRIVE_MS)
  const atEnd = await closed(service, dataDir, atStart)
  return {
    publishes: publishers.acknowledged(),
    leftOut: publishers.all.reduce((sum, { leftOut }) => sum + leftOut, 0),
    hooks: await Promise.all(HOOKS.map((hook) => resultOf(hook, receiver, publishers[hook.dialect]))),
    visits: visitors.visits,
    failures: [
      ...publishers.all.flatMap(({ failures }) => failures),
      ...visitors.failures,
      ...watch.failures,
    ],
    log,
    samples: watch.samples,
    atStart,
    atEnd,
    metrics: await readMetrics(service.url),
    collector: { spans: collector.spans, exports: collector.exports },
  }
}

async function prepare({ service, receiver }: Stage) {
  const url = () => service.url
  const workspaces = {
    content: await createWorkspace(url, 'content', 'soak'),
    ads: await createWorkspace(url, 'ads', 'soak-hanging'),
  }
  const [webhookId] = await makeHooks(receiver, workspaces)
  const content = new FixedRateSingles(workspaces.content, 'content', PER_SECOND.content)
  const ads = new FixedRateSingles(workspaces.ads, 'ads', PER_SECOND.ads)
  const all = [content, ads]
  const acknowledged = () => all.reduce((sum, publisher) => sum + publisher.acknowledged.length, 0)
  return {
    api: new Api(url),
    workspaces,
    webhookId: webhookId!,
    publishers: { content, ads, all, acknowledged },
  }
}

/** Waits for the time of the run, with its scheduled events. */
async function pass(stage: Stage, state: () => string): Promise<void> {
  const startedAt = performance.now()
  const totalMs = stage.seconds * 1000
  const at: At = (part) => sleep(Math.max(0, startedAt + part * totalMs - performance.now()))
  const report = () => stage.progress(`${Math.round((performance.now() - startedAt) / 1000)} s: ${state()}`)
  const clock = setInterval(report, Math.min(MINUTE_MS, totalMs / PARTS))
  try {
    await Promise.all([failAtTimes(stage.receiver, at), collectorLeaves(stage, at), at(1)])
  } finally {
    clearInterval(clock)
  }
}

async function failAtTimes(receiver: SoakReceiver, at: At): Promise<void> {
  for (let part = 0; part < PARTS; part++) {
    await at((part + 0.5) / PARTS)
    await receiver.behave(FAILING.path, DOWN)
    await at((part + 0.5 + DOWN_PART) / PARTS)
    await receiver.behave(FAILING.path, FAILING.behavior)
  }
}

async function collectorLeaves({ collector, log, progress }: Stage, at: At): Promise<void> {
  await at(COLLECTOR_AWAY.from)
  log.collectorMayBeAway = true
  await collector.stop()
  progress('the collector is away')
  await at(COLLECTOR_AWAY.to)
  const before = { ...collector.exports }
  await collector.restart()
  progress('the collector is back')
  await eventually(
    () => (collector.exports.traces > before.traces && collector.exports.metrics > before.metrics) || null,
    { withinMs: COLLECTOR_USED_WITHIN_MS, everyMs: 100, what: 'use of the collector that is back' },
  )
  log.collectorMayBeAway = false
}

/** Waits until nothing is pending or in flight. */
async function settled(service: PosthornProcess): Promise<void> {
  await eventually(
    async () => {
      const { pending, inFlight } = workOf(await readMetrics(service.url))
      return pending === 0 && inFlight === 0 ? true : null
    },
    { withinMs: SETTLES_WITHIN_MS, everyMs: 1_000, what: 'the last delivery' },
  )
}

/** The first sample with as few sockets as at the start, or the last one before the timeout. */
async function closed(service: PosthornProcess, dataDir: string, atStart: Sample): Promise<Sample> {
  let sample = await takeSample(service, dataDir)
  const isClosed = async () => {
    sample = await takeSample(service, dataDir)
    return sample.sockets <= atStart.sockets || null
  }
  const patience = { withinMs: CLOSES_WITHIN_MS, everyMs: 5_000, what: 'closing of connections' }
  await eventually(isClosed, patience).catch(() => undefined)
  return sample
}

async function resultOf(
  { name, path }: Hook,
  receiver: SoakReceiver,
  { acknowledged }: FixedRateSingles,
): Promise<HookResult> {
  return { ...(await receiver.arrivals(path)), name, acknowledged }
}
