import { BoundedMap } from '../../core/boundedMap.ts'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { TokenBucket } from '../../core/tokenBucket.ts'

const BURST_S = 10
/** The part of the budget that one workspace may use. */
const WORKSPACE_PART = 1 / 2
/** Beyond this, the workspace that was traced longest ago is forgotten, and starts with a full budget. */
const MAX_WORKSPACES = 1_000

/** Limits the spans that a node records: publishers decide what is sampled, and one event may have thousands of deliveries. */
export class SpanBudget {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #perSecond: number
  readonly #all: TokenBucket
  readonly #workspaces = new BoundedMap<number, TokenBucket>(MAX_WORKSPACES)

  constructor(clock: Pick<Clock, 'monotonic'>, perSecond: number) {
    this.#clock = clock
    this.#perSecond = perSecond
    this.#all = bucket(perSecond, clock.monotonic())
  }

  /** @returns whether more spans of a workspace may be recorded; if so, they are counted */
  take(workspaceId: number, spans = 1): boolean {
    const now = this.#clock.monotonic()
    const own = this.#workspaces.get(workspaceId) ?? bucket(this.#perSecond * WORKSPACE_PART, now)
    this.#workspaces.set(workspaceId, own)
    if (own.waitMs(now) > 0 || this.#all.waitMs(now) > 0) return false
    own.use(spans, now)
    this.#all.use(spans, now)
    return true
  }
}

const bucket = (perSecond: number, now: number) =>
  new TokenBucket({ perMs: perSecond / SECOND_MS, capacity: Math.max(1, perSecond * BURST_S) }, now)
