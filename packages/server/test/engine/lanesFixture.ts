import { type LaneLimits, Lanes } from '../../src/engine/schedule/lanes.ts'
import type { LeasedDelivery } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'

/** Lanes with calls that name webhooks by id and take the next at once. */
export class TestLanes extends Lanes {
  readonly clock: ManualClock

  constructor(limits: LaneLimits, clock = new ManualClock()) {
    super({ limits, hangMs: () => 15_000, clock })
    this.clock = clock
  }

  /** Adds deliveries that must fit. */
  put(...deliveries: readonly LeasedDelivery[]): void {
    if (this.add(deliveries, 'claim').length > 0) throw new Error('there is no room')
  }

  takeNext(): LeasedDelivery | null {
    const lane = this.next()
    return lane === null ? null : this.take(lane)
  }

  /** Webhooks of everything that may be sent now, in order. */
  takeAll(): number[] {
    const taken: number[] = []
    for (let next = this.takeNext(); next !== null; next = this.takeNext()) taken.push(next.webhookId)
    return taken
  }

  end(webhookId: number, fast: boolean): void {
    this.finished(this.find(webhookId)!, fast)
  }

  slow(webhookId: number): void {
    this.markSlow(this.find(webhookId)!)
  }

  dropOf(webhookId: number): LeasedDelivery[] {
    return this.drop(this.find(webhookId)!)
  }

  speedOf(webhookId: number) {
    return this.find(webhookId)?.speed ?? 'unknown'
  }
}
