import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { LeasedDelivery } from '../storage/rows.ts'
import type { HeldDelivery, Storage } from '../storage/storage.ts'
import { Loop } from './loop.ts'
import type { Troubles } from './troubles.ts'

/** Gives leases on deliveries back to the store, and keeps at it until the store has taken them. */
export class Releaser {
  readonly #storage: Storage
  readonly #nodeId: () => number
  readonly #loop: Loop
  #waiting: HeldDelivery[] = []

  constructor(params: {
    readonly storage: Storage
    readonly clock: Clock
    readonly troubles: Troubles
    readonly nodeId: () => number
  }) {
    this.#storage = params.storage
    this.#nodeId = params.nodeId
    this.#loop = new Loop({
      name: 'return of leases',
      clock: params.clock,
      troubles: params.troubles,
      intervalMs: SECOND_MS,
      work: () => this.#release(),
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  add(deliveries: readonly LeasedDelivery[]): void {
    for (const { id: deliveryId, createdAt, lease } of deliveries)
      this.#waiting.push({ deliveryId, createdAt, lease })
    this.#loop.wake()
  }

  async #release(): Promise<null> {
    if (this.#waiting.length === 0) return null
    const deliveries = this.#waiting
    this.#waiting = []
    try {
      await this.#storage.releaseDeliveries({ nodeId: this.#nodeId(), deliveries })
    } catch (error) {
      this.#waiting.push(...deliveries)
      throw error
    }
    return null
  }
}
