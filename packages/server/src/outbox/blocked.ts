import type { Clock } from '../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../core/duration.ts'

/** Why a row waits whose workspace publishes its earlier rows again. */
const BEHIND_OTHERS = 'waits behind earlier events of the workspace'
/** Whatever Posthorn asks for. */
const SHORTEST_WAIT_MS = 20
const FIRST_WAIT_MS = SECOND_MS
const LONGEST_WAIT_MS = MINUTE_MS

interface Block {
  readonly reason: string
  readonly waitMs: number
  /** In monotonic time. */
  readonly until: number
}

/**
 * Workspaces that cannot publish now. Their rows are held outside of the order, so that the rows of others go on, until the
 * last of them was published.
 */
export class BlockedWorkspaces {
  readonly #clock: Clock
  readonly #blocks = new Map<string, Block>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(workspace: string): boolean {
    return this.#blocks.has(workspace)
  }

  get size(): number {
    return this.#blocks.size
  }

  reasonOf(workspace: string): string {
    return this.#blocks.get(workspace)?.reason ?? BEHIND_OTHERS
  }

  /** Those whose rows may be tried again now. */
  due(): string[] {
    const now = this.#clock.monotonic()
    return [...this.#blocks].filter(([, { until }]) => until <= now).map(([workspace]) => workspace)
  }

  /**
   * A workspace could not publish. Each time in a row it waits longer, unless Posthorn says how long.
   * @returns whether it was not blocked before, or for another reason
   */
  block(workspace: string, reason: string, retryAfterMs: number | null): boolean {
    const before = this.#blocks.get(workspace)
    const waitMs = Math.min((before?.waitMs ?? FIRST_WAIT_MS / 2) * 2, LONGEST_WAIT_MS)
    const until = this.#clock.monotonic() + Math.max(retryAfterMs ?? waitMs, SHORTEST_WAIT_MS)
    this.#blocks.set(workspace, { reason, waitMs, until })
    return before?.reason !== reason
  }

  /** Rows of a workspace wait in the outbox: they are published before any new ones. */
  markWaiting(workspace: string): void {
    if (this.#blocks.has(workspace)) return
    this.#dueNow(workspace, BEHIND_OTHERS)
  }

  /** Some of its waiting rows were published. */
  resetBackoff(workspace: string): void {
    this.#dueNow(workspace, this.reasonOf(workspace))
  }

  #dueNow(workspace: string, reason: string): void {
    this.#blocks.set(workspace, { reason, waitMs: FIRST_WAIT_MS / 2, until: this.#clock.monotonic() })
  }

  unblock(workspace: string): void {
    this.#blocks.delete(workspace)
  }

  clear(): void {
    this.#blocks.clear()
  }
}
