import type { Dialect } from '../core/dialect.ts'
import type { LeasedDelivery } from '../storage/rows.ts'
import type { EventToStore, PublishResult, Storage } from '../storage/storage.ts'
import type { Claimer } from './claimer.ts'
import type { PublishOutcome } from './engine.ts'
import type { EventRows } from './eventRows.ts'
import type { MemoryBudget } from './memoryBudget.ts'
import type { EngineObserver } from './observer.ts'

interface Batch {
  readonly dialect: Dialect
  readonly events: readonly EventToStore[]
  readonly ids: readonly string[]
  readonly resolve: (outcome: PublishOutcome) => void
  readonly reject: (error: unknown) => void
}

/** Memory promised to one call of the store; enough for any group of batches in practice. */
const ROOM_PER_CALL = 2_000

/**
 * Stores events and their deliveries. All batches that arrive in one turn of the event loop go to the store as one
 * call; the store groups such calls into commits.
 */
export class Publisher {
  readonly #storage: Storage
  readonly #budget: MemoryBudget
  readonly #claimer: Pick<Claimer, 'withheld' | 'addBacklog'>
  readonly #observer: EngineObserver
  readonly #nodeId: () => number
  readonly #onLeased: (deliveries: readonly LeasedDelivery[]) => void
  #waiting: Batch[] = []
  #calls = new Set<Promise<void>>()

  constructor(params: {
    readonly storage: Storage
    readonly budget: MemoryBudget
    readonly claimer: Pick<Claimer, 'withheld' | 'addBacklog'>
    readonly observer: EngineObserver
    readonly nodeId: () => number
    readonly onLeased: (deliveries: readonly LeasedDelivery[]) => void
  }) {
    this.#storage = params.storage
    this.#budget = params.budget
    this.#claimer = params.claimer
    this.#observer = params.observer
    this.#nodeId = params.nodeId
    this.#onLeased = params.onLeased
  }

  /** Resolves once the batch survives a power cut; its first attempts start at about the same time. */
  publish(dialect: Dialect, { rows, ids }: EventRows): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush())
      this.#waiting.push({ dialect, events: rows, ids, resolve, reject })
    })
  }

  /** Resolves once every publish taken so far is answered. */
  async drain(): Promise<void> {
    this.#flush()
    await Promise.all(this.#calls)
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    const batches = this.#waiting
    this.#waiting = []
    const call = this.#store(batches).finally(() => this.#calls.delete(call))
    this.#calls.add(call)
  }

  async #store(batches: readonly Batch[]): Promise<void> {
    const room = Math.min(this.#budget.room, ROOM_PER_CALL)
    const nodeId = this.#nodeId()
    this.#budget.promise(room)
    try {
      const results = await this.#storage.publish({
        nodeId,
        batches: batches.map((batch) => batch.events),
        room,
        withhold: this.#claimer.withheld(),
      })
      this.#budget.keepPromise(room)
      batches.forEach((batch, position) => {
        this.#answer(batch, results[position]!, nodeId)
      })
    } catch (error) {
      this.#budget.keepPromise(room)
      for (const batch of batches) batch.reject(error)
    }
  }

  #answer(batch: Batch, result: PublishResult, nodeId: number): void {
    if (result.outcome === 'id_conflict') {
      batch.resolve(result)
      return
    }
    const leased = result.leased.map((ref) => toDelivery(ref, batch.events[ref.event]!))
    // Under a lease that was lost meanwhile, they are for others to attempt.
    if (nodeId === this.#nodeId()) this.#onLeased(leased)
    this.#claimer.addBacklog(result.unleased)
    this.#observer.published(batch.dialect.name, batch.events.length, result.deliveries)
    batch.resolve({
      outcome: 'accepted',
      events: batch.ids.map((id, position) => {
        const earlier = result.repeats[position] ?? null
        return { id, repeated: earlier !== null }
      }),
    })
  }
}

type LeasedByPublish = Extract<PublishResult, { outcome: 'accepted' }>['leased'][number]

function toDelivery(ref: LeasedByPublish, event: EventToStore): LeasedDelivery {
  return {
    id: ref.deliveryId,
    webhookId: ref.webhookId,
    webhookVersion: ref.webhookVersion,
    eventId: event.id,
    broughtEventId: event.broughtId,
    eventType: event.type,
    body: event.body,
    createdAt: event.createdAt,
    attempts: 0,
    trigger: 'schedule',
    runStart: 0,
  }
}
