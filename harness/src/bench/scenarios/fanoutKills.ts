import type { PosthornProcess } from '../../support/posthorn.ts'
import { randomFrom } from '../../support/random.ts'
import { createWorkspace, type WorkspaceClient } from '../../support/workspaces.ts'
import { deliveryComplaints, type ExpectedDeliveries, nonePending } from '../fanout/deliveriesOnce.ts'
import { countComplaints, gridComplaints } from '../fanout/grid.ts'
import { killNodes } from '../fanout/kills.ts'
import { createEndpoints, type FanoutBatch, publishBatch } from '../fanout/publish.ts'
import { arrivedAt, fanoutBatches, type GridReceiver, startGridReceiver } from '../fanout/receiver.ts'
import { BenchError } from '../frame/benchError.ts'
import { decimals, whole } from '../frame/metrics.ts'
import { NOTHING_OPEN } from '../frame/prepared.ts'
import type { Goal, Prepared, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import type { Stage } from '../stage/stage.ts'

const FLAGS = {
  endpoints: { kind: 'count', help: 'endpoints that each event reaches', usual: 5_000, quick: 1_000 },
  events: { kind: 'count', help: 'events published at the same time', usual: 200, quick: 50 },
  batch: { kind: 'count', help: 'events in each publish request', usual: 50, quick: 25 },
  kills: {
    kind: 'count',
    help: 'kills, one after the other, while deliveries are created',
    usual: 20,
    quick: 5,
  },
  drain: { kind: 'count', help: 'maximum seconds to wait for the last arrival', usual: 900 },
  seed: { kind: 'count', help: 'seed for the times of the kills', usual: 1 },
} as const
type KillSettings = Settings<typeof FLAGS>

interface Moments extends Prepared {
  readonly random: () => number
}

const GROUP = 'fan'
const ONE_NODE = '1 node'
const TWO_NODES = '2 nodes'
const SERVICE = {
  // On PostgreSQL another node takes over a node's deliveries when its lease expires.
  POSTHORN_LEASE: '5s',
  // Longer than the receiver delays an answer while a node starts: a timeout would repeat a delivery without
  // a kill.
  POSTHORN_ADS_TIMEOUT: '2m',
}
const RECORDED_WITHIN_MS = 60_000
const TAKES_MORE = 'use more --events or --endpoints'

const variantOf = ({ store }: Pick<KillSettings, 'store'>) => (store === 'sqlite' ? ONE_NODE : TWO_NODES)

export const fanoutKills: Scenario<typeof FLAGS, Moments> = {
  name: 'fanout-kills',
  summary: 'events to many endpoints; nodes are killed and restarted while their deliveries are created',
  flags: FLAGS,
  // On PostgreSQL two nodes share the work, and one at a time is killed.
  ...USUAL,
  seconds: null,
  variants: (settings) => [variantOf(settings)],
  metrics: {
    endpointsPerSecond: whole('endpoints created/s'),
    acknowledgedMs: decimals('all acknowledged ms', 1),
    killsOver: decimals('all kills over after s', 1),
    whileCreating: whole('kills before all deliveries existed'),
    arrivedSeconds: decimals('all arrived after s', 1),
    repeated: whole('arrived again after kills'),
    readSeconds: decimals('reading the whole log, s', 1),
  },
  derived: {},
  headline: 'arrivedSeconds',
  goals: (settings): Goal[] => [{ variant: variantOf(settings), metric: 'acknowledgedMs', atMost: 1_000 }],
  soundness: 'each delivery exists once and arrived; none arrived again without a kill',

  // Each round continues with the random numbers of the previous one.
  prepare: async ({ flags }) => ({ ...NOTHING_OPEN, random: randomFrom(flags.seed) }),

  round:
    (settings, { random }) =>
    () =>
      measureOnStage(settings, async (stage) => {
        const { endpoints, events, batch, kills, drain } = settings.flags
        const deliveries = endpoints * events
        const { receiver, origin } = await startGridReceiver(stage, { rows: events, columns: endpoints })
        const nodes = await startNodes(stage, settings)
        const baseUrl = () => nodes[0]!.url
        const workspace = await createWorkspace(baseUrl, 'ads', GROUP)
        const { ids: endpointIds, perSecond } = await createEndpoints(workspace, origin, GROUP, endpoints)

        const startedAt = performance.now()
        const secondsSince = (at: number) => (performance.now() - at) / 1000
        const eventIds = await publishAll(baseUrl(), workspace, fanoutBatches(events, batch))
        const acknowledgedMs = performance.now() - startedAt
        const killing = { stage, nodes, environment: SERVICE, receiver, kills, deliveries, random }
        const { whileCreating, late } = await killNodes(killing)
        const killsOver = secondsSince(startedAt)
        await arrivedAt(receiver, deliveries, drain * 1000)
        const arrivedSeconds = secondsSince(startedAt)

        const log = { baseUrl, key: workspace.key, eventIds, endpointIds }
        const inLog = await readLog(log)
        await Promise.all(nodes.map((node) => node.stop()))
        const arrivals = await readGrid(receiver, endpoints)
        return {
          metrics: {
            endpointsPerSecond: perSecond,
            acknowledgedMs,
            killsOver,
            whileCreating,
            arrivedSeconds,
            repeated: arrivals.repeated,
            readSeconds: inLog.seconds,
          },
          complaints: [
            ...(whileCreating > 0 ? [] : [`no kill came before all deliveries existed: ${TAKES_MORE}`]),
            ...(late === 0 ? [] : [`${late} kills came after the last arrival: ${TAKES_MORE}`]),
            ...inLog.complaints,
            ...arrivals.complaints,
          ],
        }
      }),
}

async function startNodes(stage: Stage, { store }: KillSettings): Promise<PosthornProcess[]> {
  const nodes = [await stage.startService(SERVICE)]
  if (store === 'postgres') nodes.push(await stage.startService(SERVICE))
  return nodes
}

/** Publishes all batches concurrently. @returns the ids of the events */
async function publishAll(
  url: string,
  workspace: WorkspaceClient,
  batches: readonly FanoutBatch[],
): Promise<string[]> {
  const answers = await Promise.all(batches.map((batch) => publishBatch(url, workspace, batch)))
  return answers.flatMap((answer) => {
    if ('ids' in answer) return answer.ids
    throw new BenchError('a publish request got 429 or 503, although its workspace has no work yet')
  })
}

async function readLog(log: ExpectedDeliveries) {
  const settled = await nonePending(log, RECORDED_WITHIN_MS)
  const startedAt = performance.now()
  const complaints = await deliveryComplaints(log)
  return {
    seconds: (performance.now() - startedAt) / 1000,
    complaints: [
      ...(settled ? [] : ['deliveries are pending though all of them have arrived or should have']),
      ...complaints,
    ],
  }
}

async function readGrid(receiver: GridReceiver, endpoints: number) {
  const counts = await receiver.ask({ kind: 'count' }, 'count')
  const { rows } = await receiver.ask({ kind: 'rows' }, 'rows')
  return {
    repeated: counts.repeated,
    complaints: [...gridComplaints(rows, endpoints, () => true), ...countComplaints(counts)],
  }
}
