import { BoundedMap } from '../../core/boundedMap.ts'
import type { Clock } from '../../core/clock.ts'
import { DAY_MS, SECOND_MS } from '../../core/duration.ts'
import { EVENT_BURST_S, type QuotaExceeded, type Quotas, quotaExceeded } from '../../core/quotas.ts'
import { TokenBucket } from '../../core/tokenBucket.ts'
import { Turns } from '../../core/turns.ts'
import type { EventToStore, QueuePosition, Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'

/** Its name in the log. */
const COUNTING = 'count of pending deliveries'
/** A node counts a workspace's pending deliveries again once it has added this fraction of their quota. */
const RECOUNT_FRACTION = 1 / 100
/** A count is valid for at least this long. */
const RECOUNT_MS = SECOND_MS
/** After each step of counting it rests for this many times as long as the step took. */
const REST = 20
/** Beyond this, the workspace that published longest ago is forgotten, and starts with a full quota. */
const MAX_WORKSPACES = 10_000

type PublishedEvent = Pick<EventToStore, 'workspaceId' | 'body'>

interface Usage {
  readonly events: TokenBucket
  readonly bytes: TokenBucket
  /** Pending deliveries when they were counted last; a count ends at the quota. */
  counted: number
  countedAt: number
  /** Deliveries that came of publishes on this node since then. */
  since: number
  counting: boolean
}

/** A count of one workspace's pending deliveries, under way. */
interface Count {
  readonly workspaceId: number
  readonly usage: Usage
  /** Where the next step begins; `null`: none was made. */
  from: QueuePosition | null
  pending: number
  /** `usage.since` when the count began: the count includes these deliveries. */
  before: number
}

/**
 * Applies quotas to publishes. Each node keeps its own account in memory. Pending deliveries are counted in the store, rarely
 * and in small steps, since all nodes create and finish them.
 */
export class PublishQuotas {
  readonly #quotas: Quotas
  readonly #storage: Storage['sending']
  readonly #clock: Clock
  readonly #failureLog: FailureLog
  readonly #usages = new BoundedMap<number, Usage>(MAX_WORKSPACES)
  /** Workspaces take turns step by step, so that small ones do not wait for large ones. */
  readonly #counts = new Turns<Count>()
  #counting: Promise<void> | null = null
  #endRest = () => {}
  #stopped = false

  constructor(params: {
    readonly quotas: Quotas
    readonly storage: Storage['sending']
    readonly clock: Clock
    readonly failureLog: FailureLog
  }) {
    this.#quotas = params.quotas
    this.#storage = params.storage
    this.#clock = params.clock
    this.#failureLog = params.failureLog
  }

  /** The quota that forbids a workspace to publish now; `null`: none does. */
  exceeded(workspaceId: number): QuotaExceeded | null {
    const usage = this.#usages.get(workspaceId)
    if (usage === undefined) return null
    const now = this.#clock.monotonic()
    const { eventsPerSecond, bytesPerDay, pendingDeliveries } = this.#quotas
    // The operator may have changed them since the last use.
    usage.events.setRate(eventsPerSecond / SECOND_MS, eventsPerSecond * EVENT_BURST_S, now)
    usage.bytes.setRate(bytesPerDay / DAY_MS, bytesPerDay, now)
    const eventsMs = usage.events.waitMs(now)
    if (eventsMs > 0) return quotaExceeded('eventsPerSecond', eventsPerSecond, eventsPerSecond, eventsMs)
    const bytesMs = usage.bytes.waitMs(now)
    if (bytesMs > 0) return quotaExceeded('bytesPerDay', bytesPerDay, bytesPerDay, bytesMs)
    const pending = usage.counted + usage.since
    if (pending < pendingDeliveries) return null
    this.#recount(workspaceId, usage, now)
    return quotaExceeded('pendingDeliveries', pending, pendingDeliveries, RECOUNT_MS)
  }

  /**
   * Uses the rate quotas for events of one workspace before the store has them, so that calls in flight count too.
   * @returns the quota that forbids it; `null`: the events are accepted
   */
  use(events: readonly PublishedEvent[]): QuotaExceeded | null {
    if (events.length === 0) return null
    const { workspaceId } = events[0]!
    const forbidden = this.exceeded(workspaceId)
    if (forbidden !== null) return forbidden
    const now = this.#clock.monotonic()
    const usage = this.#usageOf(workspaceId, now)
    usage.events.use(events.length, now)
    usage.bytes.use(bytesOf(events), now)
    return null
  }

  /** Gives back the quota of events that were accepted but could not be stored. */
  release(events: readonly PublishedEvent[]): void {
    if (events.length === 0) return
    const usage = this.#usages.get(events[0]!.workspaceId)
    const now = this.#clock.monotonic()
    usage?.events.release(events.length, now)
    usage?.bytes.release(bytesOf(events), now)
  }

  /** Deliveries that a publish created. */
  addPending(workspaceId: number, deliveries: number): void {
    const now = this.#clock.monotonic()
    const usage = this.#usageOf(workspaceId, now)
    usage.since += deliveries
    if (usage.since >= this.#quotas.pendingDeliveries * RECOUNT_FRACTION) {
      this.#recount(workspaceId, usage, now)
    }
  }

  /** Resolves once the count under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#endRest()
    await this.#counting
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
    // Set again, so that it counts as used now.
    this.#usages.set(workspaceId, usage)
    return usage
  }

  #recount(workspaceId: number, usage: Usage, now: number): void {
    if (usage.counting || this.#stopped || now < usage.countedAt + RECOUNT_MS) return
    usage.counting = true
    this.#counts.add(workspaceId, { workspaceId, usage, from: null, pending: 0, before: 0 })
    this.#counting ??= this.#countAll()
  }

  /** One step at a time, each followed by its rest. */
  async #countAll(): Promise<void> {
    for (let count = this.#counts.next(); count !== undefined; count = this.#counts.next()) {
      const beganAt = this.#clock.monotonic()
      await this.#step(count)
      if (this.#stopped) return
      await this.#rest((this.#clock.monotonic() - beganAt) * REST)
      if (this.#stopped) return
    }
    this.#counting = null
  }

  /** Counts no further than the quota. */
  async #step(count: Count): Promise<void> {
    const { workspaceId, usage, from } = count
    if (from === null) count.before = usage.since
    try {
      const part = await this.#storage.countPending({ workspaceId, from })
      this.#failureLog.worked(COUNTING)
      count.pending += part.pending
      count.from = part.next
      if (count.from !== null && count.pending < this.#quotas.pendingDeliveries) {
        this.#counts.add(workspaceId, count)
        return
      }
      usage.counted = count.pending
      usage.since -= count.before
    } catch (error) {
      this.#failureLog.failed(COUNTING, error)
    }
    usage.countedAt = this.#clock.monotonic()
    usage.counting = false
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

function bytesOf(events: readonly PublishedEvent[]): number {
  return events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
}
