import type { Clock } from '../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import { startOf } from '../../core/figures/units.ts'
import { QUEUE_COUNTED } from '../../storage/interface/figures.ts'
import type { QueuePosition, QueueState, Storage } from '../../storage/storage.ts'
import { StoppingError } from '../engine.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Loop } from '../loop.ts'

interface LoopParams {
  readonly storage: Storage['maintenance']
  readonly clock: Clock
  readonly failureLog: FailureLog
}

/** Adds pending counts to the time buckets. Nobody waits for it: each reading adds the counts that are still pending. */
export function createFigureRollup({ storage, clock, failureLog }: LoopParams): Loop {
  return new Loop({
    name: 'rollup of figures',
    clock,
    failureLog,
    intervalMs: 5 * SECOND_MS,
    work: async () => ((await storage.rollUpFigures({ now: clock.now() })) ? 0 : null),
  })
}

/** Stores a sample of the queue once a minute; the first node to do so does it for all. */
export function createQueueSampler(params: LoopParams & { readonly queue: QueueWatch }): Loop {
  const { storage, clock, failureLog, queue } = params
  return new Loop({
    name: 'sampling of the queue',
    clock,
    failureLog,
    intervalMs: MINUTE_MS,
    async work() {
      const at = startOf(clock.now(), MINUTE_MS)
      const state = (await storage.hasQueueSample({ at })) ? null : await queue.unlessStopped()
      if (state !== null) await storage.keepQueueSample({ at, ...state })
      return null
    },
  })
}

/** A count of the queue is valid for at least this long. */
const FRESH_MS = 5 * SECOND_MS
/** Counting takes at most one part in this many of the time, as long as results stay younger than `OLDEST_MS`. */
const SHARE = 100
/** Alerts watch the queue, so a result should not be older than this. */
const OLDEST_MS = MINUTE_MS
/** To keep it younger, counting may take up to one part in this many of the time. */
const MOST_SHARE = 10

/** Counts the whole store's queue, so seldom that it costs little however often the result is asked for. */
export class QueueWatch {
  readonly #storage: Storage['maintenance']
  readonly #clock: Clock
  /** Resolves to `null` if the count was not finished. */
  #counting: Promise<QueueState | null> | null = null
  #stopped = false
  #freshUntil = Number.NEGATIVE_INFINITY

  constructor({ storage, clock }: { readonly storage: Storage['maintenance']; readonly clock: Clock }) {
    this.#storage = storage
    this.#clock = clock
  }

  /** @throws StoppingError (rejects) after {@link stop}; whatever the store throws */
  async current(): Promise<QueueState> {
    const state = await this.unlessStopped()
    if (state === null) throw new StoppingError('this node is stopping')
    return state
  }

  /** @returns `null` after {@link stop}; it rejects when the store does */
  async unlessStopped(): Promise<QueueState | null> {
    if (this.#counting === null || this.#clock.monotonic() >= this.#freshUntil) this.#counting = this.#count()
    return this.#counting
  }

  /** Ends a count after its current step, so that counting a long queue does not delay the stop. */
  stop(): void {
    this.#stopped = true
  }

  async #count(): Promise<QueueState | null> {
    this.#freshUntil = Number.POSITIVE_INFINITY
    const askedAt = this.#clock.monotonic()
    try {
      const state = await this.#read(this.#clock.now())
      const took = this.#clock.monotonic() - askedAt
      const longest = Math.max(OLDEST_MS, took * MOST_SHARE)
      this.#freshUntil = askedAt + Math.max(FRESH_MS, Math.min(took * SHARE, longest))
      return state
    } catch (error) {
      this.#freshUntil = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  async #read(now: number): Promise<QueueState | null> {
    let [pending, due, unmade] = [0, 0, 0]
    let oldestDueAt: number | null = null
    let from: QueuePosition | null = null
    do {
      if (this.#stopped) return null
      const part: QueueState & { next: QueuePosition | null } = await this.#storage.readQueue({ now, from })
      pending += part.pending
      due += part.due
      unmade += part.unmade
      if (part.oldestDueAt !== null) oldestDueAt = Math.min(oldestDueAt ?? part.oldestDueAt, part.oldestDueAt)
      from = part.next
    } while (from !== null && pending < QUEUE_COUNTED)
    return { pending, due, unmade, oldestDueAt }
  }
}
