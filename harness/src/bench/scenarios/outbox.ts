import { setTimeout as sleep } from 'node:timers/promises'
import {
  FIXED_RATE_PRODUCER,
  type FixedRateProducerStart,
  type FromFixedRateProducer,
  type ToFixedRateProducer,
} from '../../outbox/fixedRateProducer.ts'
import { query } from '../../postgres/query.ts'
import { startPostgres } from '../../postgres/server.ts'
import { freePort } from '../../support/freePort.ts'
import { PosthornProcess, runPosthorn } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import { createWorkspace } from '../../support/workspaces.ts'
import { decimals, whole } from '../frame/metrics.ts'
import type { Goal, Outcome, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL, WEBHOOKS } from '../frame/usual.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { acceptedBy, startMeasuringReceiver } from '../measure/fixedRate.ts'
import { spreadIn } from '../measure/latencies.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import type { Stage } from '../stage/stage.ts'

const FLAGS = {
  webhooks: WEBHOOKS,
  rate: { kind: 'count', help: 'changes per second, at an even rate', usual: 2_000 },
  backlog: { kind: 'count', help: 'events that wait when the relay starts', usual: 200_000, quick: 50_000 },
} as const

const FIXED_RATE = 'paced'
const BACKLOG = 'backlog'
const GROUP = 'hooks'
const DATABASE = 'shop'
const CONNECTIONS = 16
const BACKLOG_WORKSPACES = 4
const EVENTS_PER_TRANSACTION = 10_000
const DRAIN_WITHIN_MS = 300_000

export const outbox: Scenario<typeof FLAGS> = {
  name: 'outbox',
  summary:
    'events that a producer emits in its own PostgreSQL: time from emitting to the receiver at an even rate, including the commit; then publishing a backlog',
  flags: FLAGS,
  ...USUAL,
  variants: () => [FIXED_RATE, BACKLOG],
  metrics: {
    committedP99Ms: decimals('committed p99 ms', 2),
    receivedP50Ms: decimals('received p50 ms', 2),
    receivedP99Ms: decimals('received p99 ms', 2),
    receivedMaxMs: decimals('received max ms', 1),
    changesPerSecond: whole('changes/s'),
  },
  derived: {},
  headline: 'changesPerSecond',
  goals: (): Goal[] => [
    { variant: FIXED_RATE, metric: 'receivedP99Ms', atMost: 20 },
    { variant: BACKLOG, metric: 'changesPerSecond', atLeast: 20_000 },
  ],

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const database = await startPostgres({ parent: settings.dataParent })
      try {
        const url = await database.createDatabase(DATABASE)
        await query(url, (await runPosthorn(['outbox', 'sql'])).stdout)
        return await (variant === FIXED_RATE ? atFixedRate : backlog)(stage, settings, url)
      } finally {
        await database.remove()
      }
    }),
}

async function atFixedRate(stage: Stage, settings: Settings<typeof FLAGS>, url: string): Promise<Outcome> {
  const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
  const service = await stage.startService()
  const { webhooks, rate } = settings.flags
  const hooks = await prepareLoad(() => service.url, { webhooks, receiverOrigin: origin, group: GROUP })
  const relay = startRelay(url, service.url, new Map(hooks.map((hook) => [workspaceOf(hook), hook.key])))
  const start: FixedRateProducerStart = {
    url,
    streams: hooks.map((hook) => ({ workspace: workspaceOf(hook), template: JSON.stringify(hook.event) })),
    connections: CONNECTIONS,
    perSecond: rate,
  }
  const producer = stage.start<ToFixedRateProducer, FromFixedRateProducer>(FIXED_RATE_PRODUCER, start)
  await producer.next('producing')
  await sleep(settings.seconds * 1000)
  await receiver.ask({ kind: 'begin' }, 'done')
  await producer.ask({ kind: 'measure' }, 'measuring')
  await sleep(settings.seconds * 1000)
  const { committed, commitP99Ms } = await producer.ask({ kind: 'finish' }, 'finished')
  const { accepted, latencies } = await acceptedBy(receiver, committed)
  await relay.stop()
  const received = accepted[GROUP] ?? 0
  const { p50Ms, p99Ms, maxMs, count } = spreadIn(latencies, GROUP)
  return {
    metrics: {
      committedP99Ms: commitP99Ms,
      receivedP50Ms: p50Ms,
      receivedP99Ms: p99Ms,
      receivedMaxMs: maxMs,
      changesPerSecond: count / settings.seconds,
    },
    complaints: received === committed ? [] : [`${committed} were committed, and ${received} received`],
  }
}

/** No webhook receives them: only the way into Posthorn is measured. */
async function backlog(stage: Stage, { flags }: Settings<typeof FLAGS>, url: string): Promise<Outcome> {
  const service = await stage.startService()
  const keys = new Map<string, string>()
  while (keys.size < BACKLOG_WORKSPACES) {
    const workspace = await createWorkspace(() => service.url, 'ads', `backlog-${keys.size}`)
    keys.set(workspace.id, workspace.key)
  }
  await emitMany(url, [...keys.keys()], flags.backlog)
  const port = await freePort()
  const relay = startRelay(url, service.url, keys, port)
  // The start of the process does not count.
  const first = await eventually(async () => (await published(port)) || null, {
    withinMs: DRAIN_WITHIN_MS,
    everyMs: 5,
    what: 'first event',
  })
  const startedAt = performance.now()
  await eventually(async () => ((await published(port)) >= flags.backlog ? true : null), {
    withinMs: DRAIN_WITHIN_MS,
    everyMs: 20,
    what: `${flags.backlog} published events`,
  })
  const seconds = (performance.now() - startedAt) / 1000
  await relay.stop()
  return { metrics: { changesPerSecond: (flags.backlog - first) / seconds }, complaints: [] }
}

/** Emits events for workspaces in turn, in a few large transactions. */
async function emitMany(url: string, workspaces: readonly string[], count: number): Promise<void> {
  for (let done = 0; done < count; done += EVENTS_PER_TRANSACTION)
    await query(
      url,
      `SELECT count(posthorn.emit(($1::text[])[1 + n % cardinality($1::text[])], jsonb_build_object(
        'type', 'campaign.status_changed.v1', 'entityType', 'campaign', 'entityId', gen_random_uuid(),
        'payload', jsonb_build_object('from', 'active', 'to', 'paused')))) FROM generate_series(1, $2::int) AS n`,
      [workspaces, Math.min(EVENTS_PER_TRANSACTION, count - done)],
    )
}

const workspaceOf = ({ batchPath }: Hook): string => batchPath.split('/')[3]!

function startRelay(
  source: string,
  service: string,
  keys: ReadonlyMap<string, string>,
  port = 0,
): PosthornProcess {
  const settings = {
    POSTHORN_OUTBOX_SOURCE: source,
    POSTHORN_OUTBOX_KEYS: [...keys].map(([workspace, key]) => `${workspace}=${key}`).join(),
  }
  return new PosthornProcess(
    ['outbox', 'relay', '--public-url', service, '--metrics-port', String(port)],
    settings,
  )
}

/** The relay's own count. */
async function published(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null)
  const text = (await response?.text()) ?? ''
  return Number(/^posthorn_outbox_published_total\S* (\d+)$/m.exec(text)?.[1] ?? 0)
}
