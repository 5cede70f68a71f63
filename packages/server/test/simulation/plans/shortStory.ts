import { SECOND_MS } from '../../../src/core/duration.ts'
import { adsProfile, adsService, contentProfile, contentService } from '../../../src/profiles/builtIn.ts'
import { BY } from '../../support/testEngine.ts'
import type { Fate, StoreCall } from '../nodes/fates.ts'
import { NORMAL } from '../nodes/fates.ts'
import { scaled } from '../oracle/contract.ts'
import { answer, type RequestSeen } from '../receivers/receivers.ts'
import type { MemoryStore } from '../store/memoryStore.ts'
import { toRecord, toWebhook, toWorkspace } from '../store/rows.ts'
import { Draws } from './draws.ts'
import { NO_FAULTS, type RequestMade } from './faults.ts'
import type { Plan, Publication, World } from './plan.ts'

/** Waits are this much shorter than by default: a whole schedule takes seconds. */
const FASTER = 4_000
const faster = (waitsMs: readonly number[]) => waitsMs.map((waitMs) => waitMs / FASTER)
const TIMEOUT_MS = 2 * SECOND_MS
const LEASE_MS = 6 * SECOND_MS
/** Longer than others take to notice that a node is gone. */
const AWAY_MS = 11 * SECOND_MS
const LASTS_MS = 45 * SECOND_MS

const SERVICE = {
  dialects: [
    contentService({
      waitsMs: faster(contentProfile.policy.waitsMs),
      timeoutMs: TIMEOUT_MS,
      disableAfterMs: contentProfile.policy.disableAfterMs! / FASTER,
    }),
    adsService({ waitsMs: faster(adsProfile.policy.waitsMs), timeoutMs: TIMEOUT_MS }),
  ],
  contracts: scaled(4_000, { content: 2_000, ads: 2_000 }),
}

const [HEALTHY, LATE_TO_RECOVER, GONE, ADS_HEALTHY, ADS_DOWN, ADS_HANGING] = [0, 1, 2, 3, 4, 5]

const WORKSPACES = [
  { dialect: 'content', webhooks: [[], [], ['publication.published']] },
  { dialect: 'ads', webhooks: [[], [], []] },
] as const

const PUBLICATIONS: readonly Publication[] = [
  { at: 1_000, workspace: 0, type: 'version.approved', events: 1, repeatable: 'by idempotency key' },
  { at: 2_000, workspace: 1, type: 'report.ready.v1', events: 1, repeatable: 'by event ids' },
  { at: 3_000, workspace: 0, type: 'publication.published', events: 4 },
  { at: 5_500, workspace: 0, type: 'version.approved', events: 2, repeatable: 'by event ids' },
  { at: 9_000, workspace: 1, type: 'report.ready.v1', events: 2, repeatable: 'by idempotency key' },
  { at: 16_000, workspace: 0, type: 'version.approved', events: 1 },
]

function answerTo({ receiver, at, event }: RequestSeen) {
  if (receiver === LATE_TO_RECOVER) return answer(at < 7_000 ? 500 : 204, 40)
  if (receiver === GONE) return answer(410, 60)
  if (receiver === ADS_DOWN) return answer(503, 30)
  if (receiver === ADS_HANGING && at < 6_000) return answer('none')
  return answer(receiver === HEALTHY || receiver === ADS_HEALTHY ? 200 : 202, 50 + (event % 3) * 20)
}

/** Actions of people, second by second, on the node with faulty calls. */
const ACTS: Readonly<Record<number, (world: World, store: MemoryStore) => Promise<unknown> | undefined>> = {
  4: (world, store) => change(world, store, HEALTHY!, { paused: true }),
  6: (world, store) => change(world, store, HEALTHY!, { paused: false }),
  7: (world, store) => change(world, store, ADS_HEALTHY!, { url: 'https://r3.example.com/hooks/moved' }),
  8: (world, store) => change(world, store, LATE_TO_RECOVER!, { enabled: false }),
  10: (world, store) => change(world, store, LATE_TO_RECOVER!, { enabled: true }),
  12: (world, store) => sendAgain(world, store, 'redeliver', ['delivered', 'canceled']),
  20: (world, store) => sendAgain(world, store, 'replay', ['dead']),
  22: ({ engine }, { workspaces }) => {
    const all = {
      trigger: 'replay',
      webhookId: null,
      webhookPublicId: null,
      statuses: ['dead'],
      eventTypes: [],
      from: null,
      to: null,
    } as const
    return engine.startReplay(toWorkspace(workspaces[1]!), all, 100, BY)
  },
}

function change(
  { engine }: World,
  { webhooks }: MemoryStore,
  receiver: number,
  changes: Parameters<World['engine']['updateWebhook']>[2],
) {
  const webhook = webhooks[receiver]!
  return engine.updateWebhook(toWorkspace(webhook.workspace), toWebhook(webhook), changes, null, BY)
}

function sendAgain(
  { engine }: World,
  { deliveries }: MemoryStore,
  by: 'redeliver' | 'replay',
  from: readonly string[],
) {
  const dialect = by === 'redeliver' ? 'content' : 'ads'
  const delivery = deliveries.find(
    ({ status, webhook }) => webhook.workspace.made.dialect === dialect && from.includes(status),
  )
  return delivery && engine[by](toWorkspace(delivery.webhook.workspace), toRecord(delivery), BY)
}

/** The fault of one call or one request of the first process. */
export interface OneFault {
  readonly fateOf?: (call: StoreCall) => Fate | null
  readonly killsAt?: (request: RequestMade) => 'request' | 'answer' | null
}

/** Three nodes with a little of everything within seconds. */
export function shortStory({ fateOf = () => null, killsAt = () => null }: OneFault = {}): Plan {
  return {
    draws: new Draws(1),
    workspaces: WORKSPACES,
    publications: PUBLICATIONS,
    answerTo,
    lastsMs: LASTS_MS,
    service: SERVICE,
    faults: {
      ...NO_FAULTS,
      nodes: 3,
      clocks: 'store',
      leaseMs: LEASE_MS,
      sizes: { atOnce: 2, canceledAtOnce: 1, leasesFreed: 1 },
      fateOf: (call) => (call.process === 1 ? fateOf(call) : null) ?? NORMAL,
      killsAt: (request) => (request.process === 1 ? killsAt(request) : null),
      announceMs: () => 20,
      awayMs: () => AWAY_MS,
      disturbances: [[0, LASTS_MS]],
    },
  }
}

/** @returns the actions of people in the story */
export function peopleOfStory(store: MemoryStore): (world: World, second: number) => void {
  return (world, second) => {
    if (world.cluster.living.length > 0) ACTS[second]?.(world, store)?.catch(() => {})
  }
}
