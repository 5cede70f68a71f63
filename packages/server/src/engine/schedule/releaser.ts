import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { LeasedDelivery, WebhookRef } from '../../storage/rows.ts'
import type { HeldDelivery, Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Loop } from '../loop.ts'

interface Waiting extends WebhookRef {
  readonly held: HeldDelivery
}

/** Gives leases on deliveries back to the store, and keeps at it until the store has taken them. */
export class Releaser {
  readonly #storage: Storage
  readonly #nodeId: () => number
  readonly #onReleased: (webhooks: readonly WebhookRef[]) => void
  readonly #loop: Loop
  #waiting: Waiting[] = []

  constructor(params: {
    readonly storage: Storage
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly nodeId: () => number
    /** The store holds deliveries of these webhooks again. */
    readonly onReleased: (webhooks: readonly WebhookRef[]) => void
  }) {
    this.#storage = params.storage
    this.#nodeId = params.nodeId
    this.#onReleased = params.onReleased
    this.#loop = new Loop({
      name: 'return of leases',
      clock: params.clock,
      failureLog: params.failureLog,
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
    for (const { id: deliveryId, createdAt, lease, webhookId, workspaceId } of deliveries)
      this.#waiting.push({ held: { deliveryId, createdAt, lease }, webhookId, workspaceId })
    this.#loop.wake()
  }

  async #release(): Promise<null> {
    if (this.#waiting.length === 0) return null
    const waiting = this.#waiting
    this.#waiting = []
    try {
      const deliveries = waiting.map(({ held }) => held)
      await this.#storage.releaseDeliveries({ nodeId: this.#nodeId(), deliveries })
    } catch (error) {
      this.#waiting.push(...waiting)
      throw error
    }
    this.#onReleased(waiting)
    return null
  }
}
