import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts'
import { startOf } from '../../../src/core/stats/units.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import { EVERYTHING } from '../../support/search.ts'

const ALL = { limit: 1000, before: null }

/** Everything readable in a store, through its interface. */
export async function readEverything(storage: FlatStorage): Promise<unknown> {
  const workspaces = await storage.listWorkspaces(ALL)
  return {
    idKey: storage.idKey,
    workspaces,
    operators: await storage.listOperators(ALL),
    adminTokens: await storage.listAdminTokens(ALL),
    browser: await storage.findBrowserSession({ hash: Buffer.from('browser') }),
    links: await Promise.all(
      ['link', 'portal'].map((hash) => storage.findSignInLink({ hash: Buffer.from(hash) })),
    ),
    audit: await storage.listAudit({ workspacePublicId: null, targetId: null, ...ALL }),
    notifications: await storage.listNotifications(ALL),
    samples: await storage.queuePeaks({ from: 0, to: Number.MAX_SAFE_INTEGER, stepMs: 60_000 }),
    stats: await Promise.all([
      readStats(storage, 'all', [0]),
      readStats(
        storage,
        'workspace',
        workspaces.map(({ id }) => id),
      ),
    ]),
    of: await Promise.all(workspaces.map(({ id }) => readWorkspace(storage, id))),
  }
}

/** Of the week before now. */
function readStats(storage: FlatStorage, scope: 'all' | 'workspace', ids: readonly number[]) {
  const to = startOf(Date.now(), DAY_MS) + DAY_MS
  const range = { unit: 'hour', stepMs: HOUR_MS, from: to - 7 * DAY_MS, to } as const
  return storage.readStats({ scope, ids, ...range })
}

async function readWorkspace(storage: FlatStorage, workspaceId: number) {
  const filter = {
    workspaceId,
    webhookId: null,
    statuses: ['dead'],
    eventTypes: [],
    from: null,
    to: null,
  } as const
  const webhooks = await storage.listWebhooks({ workspaceId, ...ALL })
  const { deliveries } = await storage.searchDeliveries({ ...EVERYTHING, workspaceId, ...ALL })
  const webhookIds = webhooks.map(({ id }) => id)
  return {
    members: await storage.listMembers({ workspaceId, ...ALL }),
    keys: await storage.listKeys({ workspaceId, ...ALL }),
    webhooks,
    consumers: await storage.listConsumers({ workspaceId, ...ALL }),
    targets: await storage.loadTargets({ webhookIds, now: Date.now() }),
    deliveries,
    requests: await Promise.all(
      // More at once than a store has connections would wait too long for one.
      deliveries.slice(0, 100).map(({ id }) => storage.getSentRequests({ workspaceId, deliveryId: id })),
    ),
    feed: await readFeed(storage, workspaceId),
    newest: await storage.latestEvents({ workspaceId, type: 'thing.happened' }),
    brought: await storage
      .getEvent({ workspaceId, broughtId: 'evt_own_1', rowId: null })
      .then(withoutPosition),
    replayable: await storage.countReplayable({ ...filter, after: null, now: Date.now() }),
  }
}

async function readFeed(storage: FlatStorage, workspaceId: number) {
  const { events } = await storage.listEvents({ workspaceId, eventTypes: null, after: null, limit: 1000 })
  return events.map(withoutPosition)
}

/** The position of an event in a feed is a number of each store. */
function withoutPosition(event: object | null): object | null {
  return event === null ? null : { ...event, position: null }
}
