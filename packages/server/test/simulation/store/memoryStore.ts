import { storageOf } from '../../engine/fakes.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import type { StoreEntry } from '../trace.ts'
import { cancelCalls } from './canceling.ts'
import { changeCall } from './changing.ts'
import { claimCalls } from './claiming.ts'
import { fanoutCalls } from './fanouts.ts'
import { maintenanceCalls } from './maintenance.ts'
import { manualSendCalls } from './manualSends.ts'
import { freeDoubtful, nodeCalls } from './nodes.ts'
import { publishCalls } from './publishing.ts'
import { readCalls } from './reading.ts'
import { recordCalls } from './recording.ts'
import type { StoredDelivery, StoredReplay, StoredWebhook, StoredWorkspace } from './rows.ts'
import { REAL_SIZES, type StoreSizes, StoreState } from './state.ts'
import { webhookCalls } from './webhooks.ts'
import { workspaceCalls } from './workspaces.ts'

/**
 * The part of a store that nodes need to deliver, over plain objects and synchronously: a simulation makes
 * millions of calls. It follows the rules of the PostgreSQL store, which many nodes share. The suites of all
 * stores run on it as well.
 */
export class MemoryStore {
  readonly #state: StoreState
  readonly #listeners = new Set<(webhookIds: readonly number[]) => void>()
  /** As engines see it, without a simulated connection. */
  readonly storage: FlatStorage

  /**
   * @param params.now the store's own clock, Unix ms
   * @param params.note gets everything that takes effect, in order
   */
  constructor(params: {
    readonly now: () => number
    readonly note?: (entry: StoreEntry) => void
    readonly sizes?: StoreSizes
  }) {
    const state = new StoreState({
      sizes: params.sizes ?? REAL_SIZES,
      now: params.now,
      note: params.note ?? (() => {}),
      onChanged: (webhookIds) => {
        for (const listener of this.#listeners) listener(webhookIds)
      },
    })
    this.#state = state
    const changes = {
      ...publishCalls(state),
      ...webhookCalls(state),
      ...workspaceCalls(state),
      ...manualSendCalls(state),
    }
    const calls = {
      ...changes,
      ...nodeCalls(state),
      ...claimCalls(state),
      ...recordCalls(state),
      ...fanoutCalls(state),
      ...cancelCalls(state),
      ...maintenanceCalls(state),
      ...readCalls(state),
    }
    const called = Object.entries(calls).map(([name, call]) => [
      name,
      async (given: never) => (call as (given: never) => unknown)(given),
    ])
    this.storage = storageOf({
      ...(Object.fromEntries(called) as Partial<FlatStorage>),
      change: changeCall(changes),
      idKey: [1, 2, 3, 4],
      onWebhooksChanged: (listener) => void this.#listeners.add(listener),
    })
  }

  get workspaces(): readonly StoredWorkspace[] {
    return this.#state.workspaces
  }

  get webhooks(): readonly StoredWebhook[] {
    return this.#state.webhooks
  }

  get deliveries(): readonly StoredDelivery[] {
    return this.#state.deliveries
  }

  get replays(): readonly StoredReplay[] {
    return this.#state.replays
  }

  /** Deliveries leased to a node, as far as the store knows. */
  get leased(): readonly StoredDelivery[] {
    return [...this.#state.leases.values()].flatMap(({ deliveries }) => [...deliveries])
  }

  /** The latest lease; they are numbered from 1 on. */
  get lastLease(): number {
    return this.#state.lastLease
  }

  /** Ends leases whose node never learned of them. */
  freeDoubtful(leases: Iterable<number>): void {
    freeDoubtful(this.#state, leases)
  }

  removeListener(listener: (webhookIds: readonly number[]) => void): void {
    this.#listeners.delete(listener)
  }
}
