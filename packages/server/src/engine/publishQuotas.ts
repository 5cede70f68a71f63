import type { Clock } from '../core/clock.ts'
import { DAY_MS, SECOND_MS } from '../core/duration.ts'
import { EVENT_BURST_S, type QuotaExceeded, type Quotas } from '../core/quotas.ts'
import { TokenBucket } from '../core/tokenBucket.ts'
import type { QueuePosition, Storage } from '../storage/storage.ts'
import type { Troubles } from './troubles.ts'

/** As the log calls it. */
const COUNTING = 'count of pending deliveries'
/** A workspace's pending deliveries are counted again once this node has added one part in so many of its quota. */
const PART = 100
/** For how long a count is good, at least. */
const RECOUNT_MS = SECOND_MS
/** A step of counting is followed by a rest of so many times its length. */
const REST = 20
/** Those who published longest ago are forgotten beyond this, which gives them a new start. */
const MAX_WORKSPACES = 10_000

interface Usage {
  readonly events: TokenBucket
  readonly bytes: TokenBucket
  /** Pending deliveries when they were counted last; those of a count are told up to the quota. */
  counted: number
  countedAt: number
  /** Deliveries that came of publishes on this node since then. */
  since: number
  counting: boolean
}

/**
 * What workspaces publish, held against their quotas. Each node keeps its own account in memory. Pending deliveries, which
 * many nodes add to and work off, are counted in the store, seldom and in small steps.
 */
export class PublishQuotas {
  readonly #quotas: Quotas
  readonly #storage: Pick<Storage, 'countPending'>
  readonly #clock: Clock
  readonly #troubles: Troubles
  readonly #usages = new Map<number, Usage>()
  #counting: Promise<void> = Promise.resolve()
  #endRest = () => {}
  #stopped = false

  constructor(params: {
    readonly quotas: Quotas
    readonly storage: Pick<Storage, 'countPending'>
    readonly clock: Clock
    readonly troubles: Troubles
  }) {
    this.#quotas = params.quotas
    this.#storage = params.storage
    this.#clock = params.clock
    this.#troubles = params.troubles
  }

  /** The quota that forbids a workspace to publish now; `null`: none does. */
  exceeded(workspaceId: number): QuotaExceeded | null {
    const usage = this.#usages.get(workspaceId)
    if (usage === undefined) return null
    const now = this.#clock.monotonic()
    const { eventsPerSecond, bytesPerDay, pendingDeliveries } = this.#quotas
    const eventsMs = usage.events.waitMs(now)
    if (eventsMs > 0) return exceeded('eventsPerSecond', eventsPerSecond, eventsPerSecond, eventsMs)
    const bytesMs = usage.bytes.waitMs(now)
    if (bytesMs > 0) return exceeded('bytesPerDay', bytesPerDay, bytesPerDay, bytesMs)
    const pending = usage.counted + usage.since
    if (pending < pendingDeliveries) return null
    this.#recount(workspaceId, usage, now)
    return exceeded('pendingDeliveries', pending, pendingDeliveries, RECOUNT_MS)
  }

  /** What was published. @param bytes of the events' bodies @param deliveries that came of it */
  published(workspaceId: number, what: { events: number; bytes: number; deliveries: number }): void {
    const now = this.#clock.monotonic()
    const usage = this.#usageOf(workspaceId, now)
    usage.events.use(what.events, now)
    usage.bytes.use(what.bytes, now)
    usage.since += what.deliveries
    if (usage.since >= this.#quotas.pendingDeliveries / PART) this.#recount(workspaceId, usage, now)
  }

  /** Resolves once nothing is counted any more. */
  stop(): Promise<void> {
    this.#stopped = true
    this.#endRest()
    return this.#counting
  }

  #usageOf(workspaceId: number, now: number): Usage {
    const known = this.#usages.get(workspaceId)
    const { eventsPerSecond, bytesPerDay } = this.#quotas
    const usage = known ?? {
      events: new TokenBucket(
        { perMs: eventsPerSecond / SECOND_MS, capacity: eventsPerSecond * EVENT_BURST_S },
        now,
      ),
      bytes: new TokenBucket({ perMs: bytesPerDay / DAY_MS, capacity: bytesPerDay }, now),
      counted: 0,
      countedAt: Number.NEGATIVE_INFINITY,
      since: 0,
      counting: false,
    }
    // Last in the map is who published last.
    this.#usages.delete(workspaceId)
    this.#usages.set(workspaceId, usage)
    if (this.#usages.size > MAX_WORKSPACES) this.#usages.delete(this.#usages.keys().next().value!)
    return usage
  }

  /** One workspace is counted at a time. */
  #recount(workspaceId: number, usage: Usage, now: number): void {
    if (usage.counting || this.#stopped || now < usage.countedAt + RECOUNT_MS) return
    usage.counting = true
    this.#counting = this.#counting.then(() => this.#count(workspaceId, usage))
  }

  async #count(workspaceId: number, usage: Usage): Promise<void> {
    const before = usage.since
    try {
      const counted = await this.#pendingOf(workspaceId)
      if (counted !== null) {
        usage.counted = counted
        usage.since -= before
      }
      this.#troubles.worked(COUNTING)
    } catch (error) {
      this.#troubles.failed(COUNTING, error)
    }
    usage.countedAt = this.#clock.monotonic()
    usage.counting = false
  }

  /** Counts no further than the quota. @returns `null`: this node is stopping */
  async #pendingOf(workspaceId: number): Promise<number | null> {
    let pending = 0
    let from: QueuePosition | null = null
    for (;;) {
      if (this.#stopped) return null
      const askedAt = this.#clock.monotonic()
      const part: Awaited<ReturnType<Storage['countPending']>> = await this.#storage.countPending({
        workspaceId,
        from,
      })
      pending += part.pending
      from = part.next
      if (from === null || pending >= this.#quotas.pendingDeliveries) return pending
      await this.#rest((this.#clock.monotonic() - askedAt) * REST)
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, resolve)
      this.#endRest = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}

function exceeded(quota: QuotaExceeded['quota'], used: number, max: number, ms: number): QuotaExceeded {
  return { outcome: 'quota_exceeded', quota, used, max, retryAfterMs: ms }
}
