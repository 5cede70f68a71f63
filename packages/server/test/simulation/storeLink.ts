import type { Storage } from '../../src/storage/storage.ts'
import { storageOf } from '../engine/fakes.ts'
import type { MemoryStore } from './memoryStore.ts'
import type { VirtualClock } from './virtualClock.ts'

/** What a commit takes, in simulated time. */
const COMMIT_MS = 3

/** A store behind a link: each call takes effect, and is answered, a commit's time after it was made. */
export interface StoreLink {
  readonly storage: Storage
  /** Whether calls are being carried out. */
  readonly busy: boolean
  /** Hands out the answers, in the order of the calls, once all of them are there. Until then the clock must stand still. */
  answer(): Promise<void>
}

export function linkTo(storage: Storage, clock: VirtualClock): StoreLink {
  const verbs = new Map<string, unknown>()
  let underWay: Promise<() => void>[] = []
  const linked = (carryOut: (params: unknown) => Promise<unknown>) => (params: unknown) =>
    new Promise((resolve, reject) => {
      clock.after(COMMIT_MS, () => {
        const answered = carryOut(params).then(
          (result) => () => resolve(result),
          (error) => () => reject(error),
        )
        underWay.push(answered)
      })
    })
  return {
    storage: new Proxy(storage, {
      get(target, name: keyof Storage & string) {
        const verb = target[name]
        if (typeof verb !== 'function' || name === 'onWebhooksChanged') return verb
        if (!verbs.has(name)) verbs.set(name, linked(verb as () => Promise<unknown>))
        return verbs.get(name)
      },
    }),
    get busy() {
      return underWay.length > 0
    },
    async answer() {
      const answers = await Promise.all(underWay)
      underWay = []
      for (const answer of answers) answer()
    },
  }
}

/** The store as an engine sees it. One node on its own never finds anything to rescue, cancel later or delete, and
 * nobody asks it for figures. */
export function storageOver(store: MemoryStore): Storage {
  const nothing = async () => 0
  type Change = (params: unknown) => unknown
  return storageOf({
    idKey: [1, 2, 3, 4],
    onWebhooksChanged() {},
    registerNode: async () => ({ nodeId: 1 }),
    renewNode: async () => true,
    retireNode: async () => store.retireNode(),
    reserveEventIds: async (params) => store.reserveEventIds(params),
    publish: async (params) => store.publish(params),
    claimDue: async (params) => store.claimDue(params),
    recordAttempts: async (params) => store.recordAttempts(params),
    releaseDeliveries: async (params) => store.releaseDeliveries(params),
    loadTargets: async (params) => store.loadTargets(params),
    createWorkspace: async (params) => store.createWorkspace(params),
    getDelivery: async (params) => store.getDelivery(params),
    change: (async ({ verb, params }: { verb: keyof MemoryStore; params: unknown }) => ({
      result: (store[verb] as Change).call(store, params),
      repeated: false,
      memo: null,
    })) as Storage['change'],
    rescueDeliveries: nothing,
    cancelDeliveries: nothing,
    stepFanouts: async () => ({ looked: 0, workspaceIds: [] }),
    readClock: async () => ({ steadyAt: null, leaptAt: null }),
    noteClock: async () => {},
    pullInDue: async () => ({ pulled: 0, nextAfterWebhookId: 0 }),
    stepReplays: nothing,
    deleteExpired: async () => ({ handled: 0, expired: 0 }),
    foldFigures: async () => false,
    hasQueueSample: async () => false,
    readQueue: async () => ({ pending: 0, due: 0, unmade: 0, oldestDueAt: null, next: null }),
    keepQueueSample: async () => {},
  })
}
