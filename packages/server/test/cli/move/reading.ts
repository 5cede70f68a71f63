import type { Storage } from '../../../src/storage/storage.ts'

const ALL = { limit: 1000, before: null }

/** Everything that can be read of a store, in the words of its interface. */
export async function readEverything(storage: Storage): Promise<unknown> {
  const workspaces = await storage.listWorkspaces(ALL)
  return {
    idKey: storage.idKey,
    workspaces,
    audit: await storage.listAudit({ workspacePublicId: null, targetId: null, ...ALL }),
    notifications: await storage.listNotifications(ALL),
    unsent: await storage.unsentNotifications({ limit: 100 }),
    of: await Promise.all(workspaces.map(({ id }) => readWorkspace(storage, id))),
  }
}

async function readWorkspace(storage: Storage, workspaceId: number) {
  const filter = { workspaceId, webhookId: null, eventType: null, from: null, to: null }
  const webhooks = await storage.listWebhooks({ workspaceId, ...ALL })
  const { deliveries } = await storage.searchDeliveries({ ...filter, status: null, ...ALL })
  const webhookIds = webhooks.map(({ id }) => id)
  return {
    members: await storage.listMembers({ workspaceId, ...ALL }),
    keys: await storage.listKeys({ workspaceId, ...ALL }),
    webhooks,
    targets: await storage.loadTargets({ webhookIds, now: Date.now() }),
    deliveries,
    requests: await Promise.all(
      deliveries.map(({ id }) => storage.getSentRequests({ workspaceId, deliveryId: id })),
    ),
    feed: await readFeed(storage, workspaceId),
    newest: await storage.latestEvents({ workspaceId, type: 'thing.happened' }),
    brought: await storage
      .getEvent({ workspaceId, broughtId: 'evt_own_1', rowId: null })
      .then(withoutPosition),
    replayable: await storage.countReplayable({ ...filter, max: 1000, now: Date.now() }),
  }
}

async function readFeed(storage: Storage, workspaceId: number) {
  const { events } = await storage.listEvents({ workspaceId, eventType: null, after: null, limit: 1000 })
  return events.map(withoutPosition)
}

/** Where an event is in a feed is said in each store's own numbers. */
function withoutPosition(event: object | null): object | null {
  return event === null ? null : { ...event, position: null }
}
