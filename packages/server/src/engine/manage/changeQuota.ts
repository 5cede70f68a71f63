import { BoundedMap } from '../../core/boundedMap.ts'
import type { Clock } from '../../core/clock.ts'
import { MINUTE_MS } from '../../core/duration.ts'
import { CHANGE_BURST_MINUTES, type QuotaExceeded, quotaExceeded } from '../../core/quotas.ts'
import { TokenBucket } from '../../core/tokenBucket.ts'
import type { Workspace } from '../../storage/rows.ts'
import type { By } from '../engine.ts'

/** A workspace has used up a quota; nothing was done. */
export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError'
  readonly exceeded: QuotaExceeded

  constructor(exceeded: QuotaExceeded) {
    super(`the quota ${exceeded.quota} is used up`)
    this.exceeded = exceeded
  }
}

/** Beyond this, the workspace that changed something longest ago is forgotten, and starts with a full quota. */
const MAX_WORKSPACES = 10_000

/** Applies the quota of changes to keys and members: most changes add a row to the audit log. */
export class ChangeQuota {
  readonly #perMinute: () => number
  readonly #clock: Clock
  /** By public id, so that changes to the operational webhook of a workspace count too. */
  readonly #buckets = new BoundedMap<string, TokenBucket>(MAX_WORKSPACES)

  constructor(perMinute: () => number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** Operators have no quota. @throws QuotaExceededError */
  use({ publicId }: Workspace, { actor }: By): void {
    if (actor.type === 'operator') return
    const now = this.#clock.monotonic()
    const bucket = this.#bucketOf(publicId, now)
    const retryAfterMs = bucket.waitMs(now)
    if (retryAfterMs > 0) {
      const max = this.#perMinute()
      throw new QuotaExceededError(quotaExceeded('changesPerMinute', max, max, retryAfterMs))
    }
    bucket.use(1, now)
  }

  #bucketOf(publicId: string, now: number): TokenBucket {
    const perMinute = this.#perMinute()
    const rate = { perMs: perMinute / MINUTE_MS, capacity: perMinute * CHANGE_BURST_MINUTES }
    const bucket = this.#buckets.get(publicId) ?? new TokenBucket(rate, now)
    bucket.setRate(rate.perMs, rate.capacity, now)
    // Set again, so that it counts as used now.
    this.#buckets.set(publicId, bucket)
    return bucket
  }
}
