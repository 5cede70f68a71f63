import type { Webhook } from '../../src/storage/rows.ts'

import { TwoNodes } from '../storage/postgres/twoNodes.ts'
import type { FlatStorage } from '../support/flatStorage.ts'
import type { ManualClock } from '../support/manualClock.ts'
import { BY, startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'

type EngineOptions = Omit<Parameters<typeof startTestEngine>[0], 'clock' | 'store'>

/** Two nodes on one PostgreSQL store, with one clock. */
export class TwoEngines {
  readonly near: TestEngine
  readonly far: TestEngine
  readonly store: TwoNodes
  readonly #clock: ManualClock
  /** Webhooks whose changes the far node has received. */
  readonly #heard: ReadonlySet<number>

  private constructor(params: {
    readonly near: TestEngine
    readonly far: TestEngine
    readonly store: TwoNodes
    readonly clock: ManualClock
    readonly heard: ReadonlySet<number>
  }) {
    this.near = params.near
    this.far = params.far
    this.store = params.store
    this.#clock = params.clock
    this.#heard = params.heard
  }

  static async start(clock: ManualClock, options: EngineOptions = {}): Promise<TwoEngines> {
    const store = await TwoNodes.open()
    const [first, second] = store.stores
    const heard = new Set<number>()
    const near = await startTestEngine({ clock, ...options, store: first })
    const storage = noting(second.storage, heard)
    const far = await startTestEngine({ clock, ...options, store: { ...second, storage } })
    return new TwoEngines({ near, far, store, clock, heard })
  }

  get both(): readonly [TestEngine, TestEngine] {
    return [this.near, this.far]
  }

  /** Attempts that either has recorded. */
  recorded(): number {
    return this.near.recorded() + this.far.recorded()
  }

  /** Resolves once the far node has received all changes of the near one. */
  async heard(): Promise<void> {
    const workspace = await this.near.createWorkspace('ads')
    // The last change is received with or after all others; it is paused, so it takes part in nothing.
    const marker: Webhook = await this.near.createWebhook(workspace, 'https://hooks.example.com/', [])
    await this.near.engine.updateWebhook(workspace, marker, { paused: true }, null, BY)
    await until(this.#clock, 'the other node to hear of a change', () => this.#heard.has(marker.id))
  }

  /** Resolves once no node has a delivery. */
  idle(): Promise<void> {
    return until(this.#clock, 'the nodes to hold nothing', async () => {
      const [leased] = await this.store.values('SELECT count(*)::int FROM held_deliveries')
      return leased === 0
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.both.map((node) => node.stop()))
    await this.store.close()
  }
}

function noting(storage: FlatStorage, heard: Set<number>): FlatStorage {
  return {
    ...storage,
    onWebhooksChanged(listener, looked) {
      storage.onWebhooksChanged((webhookIds) => {
        listener(webhookIds)
        for (const id of webhookIds) heard.add(id)
      }, looked)
    },
  }
}
