import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { LeasedDelivery } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Loop } from '../loop.ts'
import type { Lanes } from './lanes.ts'
import type { Lease } from './lease.ts'

/** Released in one call: other writes wait meanwhile. */
const MAX_RELEASED = 1_000

/** Releases deliveries: the store may lease them again. Retries until the store has done so. */
export class Releaser {
  readonly #storage: Storage['sending']
  readonly #lanes: Pick<Lanes, 'of' | 'noteBacklog'>
  readonly #lease: Pick<Lease, 'nodeId'>
  readonly #loop: Loop
  #waiting: LeasedDelivery[] = []

  constructor(params: {
    readonly storage: Storage['sending']
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly lanes: Pick<Lanes, 'of' | 'noteBacklog'>
    readonly lease: Pick<Lease, 'nodeId'>
  }) {
    this.#storage = params.storage
    this.#lanes = params.lanes
    this.#lease = params.lease
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
    if (deliveries.length === 0) return
    for (const delivery of deliveries) this.#waiting.push(delivery)
    this.#loop.wake()
  }

  async #release(): Promise<number | null> {
    if (this.#waiting.length === 0) return null
    const waiting = this.#waiting.splice(0, MAX_RELEASED)
    try {
      const deliveries = waiting.map(({ id: deliveryId, createdAt, lease }) => ({
        deliveryId,
        createdAt,
        lease,
      }))
      await this.#storage.releaseDeliveries({ nodeId: this.#lease.nodeId, deliveries })
    } catch (error) {
      this.#waiting.push(...waiting)
      throw error
    }
    // A claim that ran before the release could not find them, and may have ended the lane's backlog.
    for (const delivery of waiting) this.#lanes.noteBacklog(this.#lanes.of(delivery))
    return this.#waiting.length > 0 ? 0 : null
  }
}
