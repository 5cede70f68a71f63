import type { Clock } from '../../core/clock.ts'
import { HOUR_MS, SECOND_MS } from '../../core/duration.ts'
import { type Summary, summaryOf } from '../../core/stats/summary.ts'
import { addTally, type Tally } from '../../core/stats/tally.ts'
import { startOf, UNIT_MS } from '../../core/stats/units.ts'
import { QUEUE_COUNTED } from '../../storage/interface/stats.ts'
import type { PendingDelivery, QueuePart, QueueState, Storage, WebhookCounts } from '../../storage/storage.ts'
import { CachedRead } from '../cachedRead.ts'
import { StoppingError } from '../engine.ts'

/** Counting a long queue stops after this time: at most a tenth of the time, however many callers there are. */
const COUNTING_MS = SECOND_MS / 2
/** The same for the search for the oldest pending delivery of all webhooks. */
const SEARCHING_MS = SECOND_MS / 4

interface WatchParams<Group extends 'maintenance' | 'stats'> {
  readonly storage: Storage[Group]
  readonly clock: Clock
}

/** Counts the whole store's queue. */
export class QueueWatch {
  readonly #storage: Storage['maintenance']
  readonly #clock: Clock
  /** Of `null` if the count was not finished. */
  readonly #state: CachedRead<QueueState | null>
  #stopped = false

  constructor({ storage, clock }: WatchParams<'maintenance'>) {
    this.#storage = storage
    this.#clock = clock
    this.#state = new CachedRead(clock, () => this.#count(clock.now()))
  }

  /** @throws StoppingError (rejects) after {@link stop}; whatever the store throws */
  async current(): Promise<QueueState> {
    const state = await this.unlessStopped()
    if (state === null) throw new StoppingError('this node is stopping')
    return state
  }

  /** @returns `null` after {@link stop}; it rejects when the store does */
  unlessStopped(): Promise<QueueState | null> {
    return this.#state.current()
  }

  /** Stops a count after its current step, so that counting a long queue does not delay the stop. */
  stop(): void {
    this.#stopped = true
  }

  async #count(now: number): Promise<QueueState | null> {
    let [pending, due, limited, unmade] = [0, 0, 0, 0]
    let oldestDueAt: number | null = null
    const until = this.#clock.monotonic() + COUNTING_MS
    for (let part: QueuePart | null = null; part === null || part.next !== null; ) {
      if (this.#stopped) return null
      part = await (part === null
        ? this.#storage.readQueue({ now })
        : this.#storage.readQueueLater({ now, from: part.next! }))
      pending += part.pending
      due += part.due
      limited += part.limited
      unmade += part.unmade
      if (part.oldestDueAt !== null) oldestDueAt = Math.min(oldestDueAt ?? part.oldestDueAt, part.oldestDueAt)
      if (pending >= QUEUE_COUNTED || this.#clock.monotonic() >= until) break
    }
    return { pending, due, limited, unmade, oldestDueAt }
  }
}

/** The state of all publishing and sending, for `/metrics`, the API and the console's banner. */
export interface Overview {
  readonly webhooks: WebhookCounts
  /** The stats of the last hour. */
  readonly lastHour: Summary
  readonly oldestPending: PendingDelivery | null
}

/** Webhooks that failed or were gone and were disabled within this time count as recently disabled. */
export const DISABLED_LATELY_MS = HOUR_MS

export function createOverviewWatch({ storage, clock }: WatchParams<'stats'>): CachedRead<Overview> {
  return new CachedRead(clock, async () => {
    const now = clock.now()
    const disabledSince = now - DISABLED_LATELY_MS
    const [webhooks, lastHour, oldestPending] = await Promise.all([
      storage.countWebhooks({ workspaceId: null, disabledSince }),
      readLastHour(storage, now),
      findOldestPending({ storage, clock }, { workspaceId: null, webhookId: null }),
    ])
    return { webhooks, lastHour, oldestPending }
  })
}

/** Of the whole service. */
async function readLastHour(storage: Storage['stats'], now: number): Promise<Summary> {
  const to = startOf(now, UNIT_MS.minute) + UNIT_MS.minute
  const minutes = { unit: 'minute', stepMs: HOUR_MS, from: to - HOUR_MS, to } as const
  const sum: Tally = new Map()
  for (const { counts } of await storage.readStats({ scope: 'all', ids: [0], ...minutes }))
    addTally(sum, counts)
  return summaryOf(sum, 'all')
}

/** Checks all webhooks, part by part, within the time of a search. */
export async function findOldestPending(
  { storage, clock }: WatchParams<'stats'>,
  of: { readonly workspaceId: number | null; readonly webhookId: number | null },
): Promise<PendingDelivery | null> {
  const until = clock.monotonic() + SEARCHING_MS
  let found: PendingDelivery | null = null
  for (let from: number | null = 0; from !== null && clock.monotonic() < until; ) {
    const part: Awaited<ReturnType<typeof storage.oldestPending>> = await storage.oldestPending({
      ...of,
      from,
    })
    if (part.oldest !== null && (found === null || part.oldest.createdAt < found.createdAt))
      found = part.oldest
    from = part.next
  }
  return found
}
