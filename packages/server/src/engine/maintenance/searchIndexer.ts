import type { Clock } from '../../core/clock.ts'
import type { Dialects } from '../../core/dialect.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { SearchableMembers, Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { EngineObserver } from '../log/observer.ts'
import { Loop } from '../loop.ts'
import { STEP_HOLDS_MS } from './loops.ts'

/** Rows of one step, of events and of terms. SQLite's writer adds them in about 4 ms at most. */
const STEP_ROWS = 1_000
/** Deliveries whose codes one step indexes. */
const STEP_CODES = 200
/** Workspaces of one step. */
const STEP_WORKSPACES = 32
/** Workspaces that one step checks for events that were never announced. */
const STEP_LOOKS = 200
/** How often all workspaces are checked: other nodes may have crashed before they indexed their events. */
const LOOK_AROUND_MS = 20 * SECOND_MS
/**
 * Events of a workspace are gathered for this long after the first one: a step for many events costs little more than for one.
 */
const GATHER_MS = 2 * SECOND_MS
const INTERVAL_MS = 5 * SECOND_MS
/** Rest after a step, as a multiple of its duration: usually, when a step left work, and while deliveries wait in memory. */
const RESTS = { usual: 4, behind: 2, busy: 19 } as const

/** The number of deliveries that wait in memory. */
interface Waiting {
  readonly memory: { readonly waiting: number }
}

/** Writes the search index, after the commit that stored the events. */
export class SearchIndexer {
  readonly #storage: Storage['maintenance']
  readonly #clock: Clock
  readonly #dialects: Dialects
  readonly #observer: Pick<EngineObserver, 'indexed'>
  readonly #lanes: Waiting
  readonly #loop: Loop
  /** Workspaces with events to index, in the order of their turns. */
  readonly #behind = new Set<number>()
  /** Workspaces whose events are being gathered, and until when, soonest first. */
  readonly #gathering = new Map<number, number>()
  /** Where the check of all workspaces continues; `null`: it is done. */
  #lookAfter: number | null = 0
  #lookAgainAt = 0

  constructor(params: {
    readonly storage: Storage['maintenance']
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly dialects: Dialects
    readonly observer: Pick<EngineObserver, 'indexed'>
    readonly lanes: Waiting
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#dialects = params.dialects
    this.#observer = params.observer
    this.#lanes = params.lanes
    this.#loop = new Loop({
      name: 'index of the search',
      clock: params.clock,
      failureLog: params.failureLog,
      intervalMs: INTERVAL_MS,
      keepsRests: true,
      work: () => this.#step(),
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Events of a workspace were stored. */
  published(workspaceId: number): void {
    if (this.#gathering.has(workspaceId) || this.#behind.has(workspaceId)) return
    if (this.#gathering.size === 0) this.#loop.wake(GATHER_MS)
    this.#gathering.set(workspaceId, this.#clock.monotonic() + GATHER_MS)
  }

  async #step(): Promise<number | null> {
    const startedAt = this.#clock.monotonic()
    await this.#lookAround(startedAt)
    this.#endGathering(startedAt)
    const workspaceIds = [...this.#behind].slice(0, STEP_WORKSPACES)
    const codes = await this.#storage.indexCodes({ limit: STEP_CODES, holdMs: STEP_HOLDS_MS })
    const events = await this.#index(workspaceIds)
    const now = this.#clock.monotonic()
    const tookMs = now - startedAt
    this.#observer.indexed(events.indexed + codes.indexed, tookMs)
    const restMs = tookMs * this.#rests(events.more || codes.more)
    if (this.#behind.size > 0 || this.#lookAfter !== null || codes.more) return restMs
    const [next] = this.#gathering.values()
    return next === undefined ? null : Math.max(restMs, next - now)
  }

  #rests(more: boolean): number {
    if (this.#lanes.memory.waiting > 0) return RESTS.busy
    return more ? RESTS.behind : RESTS.usual
  }

  #endGathering(now: number): void {
    for (const [workspaceId, until] of this.#gathering) {
      if (until > now) return
      this.#gathering.delete(workspaceId)
      this.#behind.add(workspaceId)
    }
  }

  /** @returns how many events it indexed, and whether there were more */
  async #index(
    workspaceIds: readonly number[],
  ): Promise<{ readonly indexed: number; readonly more: boolean }> {
    if (workspaceIds.length === 0) return { indexed: 0, more: false }
    // Events that are published from here on may be missing in this step.
    for (const id of workspaceIds) this.#behind.delete(id)
    try {
      const searchable = this.#searchable()
      const { parts, left } = await this.#storage.readUnindexed({
        workspaceIds,
        searchable,
        limit: STEP_ROWS,
      })
      for (const id of left) this.#behind.add(id)
      const more = left.length > 0
      if (parts.length === 0) return { indexed: 0, more }
      const { indexed, passedOver } = await this.#storage.indexEvents({ parts })
      for (const id of passedOver) this.#behind.add(id)
      return { indexed, more }
    } catch (error) {
      for (const id of workspaceIds) this.#behind.add(id)
      throw error
    }
  }

  async #lookAround(now: number): Promise<void> {
    if (this.#lookAfter === null) {
      if (now < this.#lookAgainAt) return
      this.#lookAfter = 0
    }
    const look = { afterWorkspaceId: this.#lookAfter, limit: STEP_LOOKS }
    const { workspaceIds, nextAfterWorkspaceId } = await this.#storage.findUnindexed(look)
    for (const id of workspaceIds) this.#behind.add(id)
    this.#lookAfter = nextAfterWorkspaceId === 0 ? null : nextAfterWorkspaceId
    if (this.#lookAfter === null) this.#lookAgainAt = now + LOOK_AROUND_MS
  }

  #searchable(): SearchableMembers {
    return Object.fromEntries([...this.#dialects.values()].map(({ name, searchable }) => [name, searchable]))
  }
}
