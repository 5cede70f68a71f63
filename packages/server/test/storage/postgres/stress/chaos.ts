import type { DeliveryRecord, Webhook, Workspace } from '../../../../src/storage/rows.ts'
import {
  type AttemptToRecord,
  type LeasedRef,
  StoreUnavailableError,
} from '../../../../src/storage/storage.ts'
import type { FlatStorage } from '../../../support/flatStorage.ts'
import { EVERYTHING } from '../../../support/search.ts'
import { STRICT, World } from '../../conformance/world.ts'

/** The state of a webhook as known to those who change it. */
interface Known {
  readonly webhook: Webhook
  /**
   * `null` if it is uncertain: while it is being changed, and while it is enabled, since a 410 may disable
   * it.
   */
  status: 'off' | 'paused' | null
  /** Incremented by each change. */
  changes: number
  underWay: number
}

/** The answers to publishers. */
export interface Acknowledged {
  readonly eventId: number
  readonly webhookIds: readonly number[]
}

/** Shared by all workers. */
export class Scene {
  readonly workspaces: Workspace[] = []
  readonly webhooks: Known[] = []
  readonly acknowledged: Acknowledged[] = []
  readonly contradictions: string[] = []

  static async make(world: World): Promise<Scene> {
    const scene = new Scene()
    for (let i = 0; i < 2; i++) {
      const workspace = await world.workspace()
      scene.workspaces.push(workspace)
      for (let j = 0; j < 3; j++)
        scene.webhooks.push({
          webhook: await world.webhook(workspace),
          status: null,
          changes: 0,
          underWay: 0,
        })
    }
    return scene
  }
}

/** One process: a store, a node, and its leases. */
export class ChaosNode {
  readonly #world: World
  readonly #scene: Scene
  readonly #random: () => number
  readonly #leased = new Map<number, LeasedRef & { readonly attempts: number }>()
  #nodeId = 0

  constructor(storage: FlatStorage, scene: Scene, random: () => number) {
    this.#world = new World(storage)
    this.#scene = scene
    this.#random = random
  }

  async start(): Promise<void> {
    this.#nodeId = await this.#world.node(60_000)
  }

  /** Does a number of random actions. */
  async work(times: number): Promise<void> {
    const acts = [
      () => this.#publish(),
      () => this.#publish(),
      () => this.#claim(),
      () => this.#record(),
      () => this.#record(),
      () => this.#release(),
      () => this.#resend(),
      () => this.#setStatus(),
      () => this.#maintain(),
      () => this.#losesItsLease(),
    ]
    for (let i = 0; i < times; i++) {
      // Different nodes' attempts are due at slightly different times.
      this.#world.now += Math.floor(this.#random() * 20)
      await this.#tolerant(this.#pick(acts))
    }
  }

  /** An unavailable store may be back at the next action; any other error is a mistake. */
  async #tolerant(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
    }
  }

  async #publish(): Promise<void> {
    const workspace = this.#pick(this.#scene.workspaces)
    const events = await this.#world.events(1 + Math.floor(this.#random() * 4), workspace)
    const before = this.#statuses(workspace)
    const room = Math.floor(this.#random() * 8)
    const nodeId = this.#nodeId
    const { leased, unleased, deliveries } = await this.#world.publish(nodeId, events, { room })
    const got = new Set([...leased.map(({ webhookId }) => webhookId), ...unleased])
    for (const [at, now] of this.#statuses(workspace).entries()) {
      const then = before[at]!
      if (then.status === null || then.changes !== now.changes) continue
      if (got.has(now.id))
        this.#scene.contradictions.push(`webhook ${now.id} is ${then.status} and got an event`)
    }
    if (deliveries !== got.size * events.length)
      this.#scene.contradictions.push(`${deliveries} deliveries to ${got.size} webhooks`)
    for (const { id } of events) this.#scene.acknowledged.push({ eventId: id, webhookIds: [...got] })
    if (nodeId === this.#nodeId) for (const ref of leased) this.#lease(ref, 0)
  }

  async #claim(): Promise<void> {
    const nodeId = this.#nodeId
    const { deliveries } = await this.#world.claim(nodeId, { limit: 20, perWebhook: 5 })
    if (nodeId !== this.#nodeId) return
    for (const { id, attempts, ...ref } of deliveries) this.#lease({ deliveryId: id, ...ref }, attempts)
  }

  #lease(ref: LeasedRef, attempts: number): void {
    if (this.#leased.has(ref.deliveryId))
      this.#scene.contradictions.push(`delivery ${ref.deliveryId} was leased to a node that holds it`)
    this.#leased.set(ref.deliveryId, { ...ref, attempts })
  }

  async #record(): Promise<void> {
    const some = [...this.#leased.values()].filter(() => this.#random() < 0.5)
    if (some.length === 0) return
    // Taken before the call: two of this node's actions may run concurrently.
    for (const { deliveryId } of some) this.#leased.delete(deliveryId)
    const results = some.map((ref) => this.#resultOf(ref))
    const nodeId = this.#nodeId
    for (;;) {
      try {
        await this.#world.record(nodeId, results, STRICT)
        return
      } catch (error) {
        // As the engine does, which keeps results until the store has them.
        if (!(error instanceof StoreUnavailableError)) throw error
        if (nodeId !== this.#nodeId) return
        await this.#tolerant(() => this.#renew())
      }
    }
  }

  #resultOf(ref: LeasedRef & { readonly attempts: number }): AttemptToRecord {
    const attempt = { number: ref.attempts + 1 }
    const chance = this.#random()
    if (chance < 0.5) return this.#world.success(ref, attempt)
    const soon = { status: 'pending' as const, nextAttemptAt: this.#world.now + 5 }
    if (chance < 0.85) return this.#world.failure(ref, { attempt, next: soon })
    const last = { status: 'failed' as const, nextAttemptAt: null }
    const signal = chance < 0.88 ? ('gone' as const) : ('failure' as const)
    return this.#world.failure(ref, { attempt, next: last, signal })
  }

  async #release(): Promise<void> {
    const deliveries = [...this.#leased.values()].filter(() => this.#random() < 0.3)
    if (deliveries.length === 0) return
    for (const { deliveryId } of deliveries) this.#leased.delete(deliveryId)
    const nodeId = this.#nodeId
    for (;;) {
      try {
        await this.#world.storage.releaseDeliveries({ nodeId, deliveries })
        return
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error
      }
    }
  }

  async #resend(): Promise<void> {
    const { webhook } = this.#pick(this.#scene.webhooks)
    const { workspaceId, id: webhookId } = webhook
    const filter = { ...EVERYTHING, workspaceId, webhookId }
    const page = await this.#world.storage.searchDeliveries({ ...filter, limit: 20, before: null })
    const finished = page.deliveries.filter(({ status }: DeliveryRecord) => status !== 'pending')
    if (finished.length === 0) return
    await this.#world.storage.resend({
      workspaceId,
      deliveryId: this.#pick(finished).id,
      trigger: 'redeliver',
      from: ['delivered', 'failed', 'canceled'],
      limit: null,
      now: this.#world.now,
    })
  }

  async #setStatus(): Promise<void> {
    const known = this.#pick(this.#scene.webhooks)
    const to = this.#pick(['on', 'on', 'off', 'paused'] as const)
    known.changes += 1
    known.underWay += 1
    known.status = null
    try {
      await this.#world.update(known.webhook, { status: to })
    } finally {
      known.underWay -= 1
    }
    // If another change is in progress, or starts during this read, the last one is unknown.
    const { changes } = known
    if (known.underWay > 0) return
    const after = await this.#world.reread(known.webhook)
    if (known.changes === changes && after.status !== 'on') known.status = after.status
  }

  async #maintain(): Promise<void> {
    const { storage } = this.#world
    await storage.cancelDeliveries({ now: this.#world.now, limit: 5 })
    await storage.rescueDeliveries({ byNodeId: this.#nodeId })
  }

  /** Sometimes it comes back in time, sometimes others were faster. */
  async #losesItsLease(): Promise<void> {
    if (this.#random() < 0.7) return
    await this.#world.storage.renewNode({ nodeId: this.#nodeId, leaseMs: 0 })
    if (this.#random() < 0.5) await this.#renew()
  }

  async #renew(): Promise<void> {
    if (await this.#world.storage.renewNode({ nodeId: this.#nodeId, leaseMs: 60_000 })) return
    const nodeId = await this.#world.node(60_000)
    this.#leased.clear()
    this.#nodeId = nodeId
  }

  #statuses(workspace: Workspace) {
    return this.#scene.webhooks
      .filter(({ webhook }) => webhook.workspaceId === workspace.id)
      .map(({ webhook, status, changes }) => ({ id: webhook.id, status, changes }))
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)]!
  }
}
