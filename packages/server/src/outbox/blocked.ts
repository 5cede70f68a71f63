import type { Clock } from '../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../core/duration.ts'
import { MOST_BLOCKED } from './limits.ts'

/** Why a row waits while its workspace publishes earlier rows again. */
const BEHIND_OTHERS = 'waits behind earlier events of the workspace'
/** The maximum, whatever Posthorn asks for. */
const SHORTEST_WAIT_MS = 20
const FIRST_WAIT_MS = SECOND_MS
const LONGEST_WAIT_MS = MINUTE_MS
/** All blocked workspaces together are tried some 100 times a second. */
const WAIT_FOR_EACH_MS = 10

interface Block {
  readonly reason: string
  readonly waitMs: number
  /** In monotonic time. */
  readonly until: number
}

/**
 * Workspaces that cannot publish now. Their rows are held outside of the order until the last of them was published, so that
 * the rows of others continue.
 */
export class BlockedWorkspaces {
  readonly #clock: Clock
  readonly #blocks = new Map<string, Block>()
  /** In monotonic time; none is due earlier. */
  #nextDue = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(workspace: string): boolean {
    return this.#blocks.has(workspace)
  }

  get size(): number {
    return this.#blocks.size
  }

  /** Whether there are so many that no more rows should be read: a producer that makes up names must not fill the memory. */
  get isFull(): boolean {
    return this.#blocks.size >= MOST_BLOCKED
  }

  reasonOf(workspace: string): string {
    return this.#blocks.get(workspace)?.reason ?? BEHIND_OTHERS
  }

  /** Workspaces whose rows may be tried again now. */
  due(): string[] {
    const now = this.#clock.monotonic()
    if (now < this.#nextDue) return []
    this.#nextDue = Number.POSITIVE_INFINITY
    const due: string[] = []
    for (const [workspace, { until }] of this.#blocks) {
      if (until <= now) due.push(workspace)
      this.#nextDue = Math.min(this.#nextDue, until)
    }
    return due
  }

  /**
   * A workspace could not publish. Each consecutive time it waits longer, unless Posthorn says how long.
   * @returns whether it was not blocked before, or for another reason
   */
  block(workspace: string, reason: string, retryAfterMs: number | null): boolean {
    const before = this.#blocks.get(workspace)
    const waitMs = Math.min((before?.waitMs ?? FIRST_WAIT_MS / 2) * 2, LONGEST_WAIT_MS)
    this.#set(workspace, reason, waitMs, Math.max(retryAfterMs ?? waitMs, SHORTEST_WAIT_MS, this.#turnMs))
    return before?.reason !== reason
  }

  /** Rows of a workspace wait in the outbox: they are published before any new ones. */
  markWaiting(workspace: string): void {
    if (!this.#blocks.has(workspace)) this.#set(workspace, BEHIND_OTHERS, FIRST_WAIT_MS / 2, this.#turnMs)
  }

  /** Some of its waiting rows were published. */
  resetBackoff(workspace: string): void {
    this.#set(workspace, this.reasonOf(workspace), FIRST_WAIT_MS / 2, 0)
  }

  /** How long it takes until each of them had a turn. */
  get #turnMs(): number {
    return this.#blocks.size * WAIT_FOR_EACH_MS
  }

  #set(workspace: string, reason: string, waitMs: number, inMs: number): void {
    const until = this.#clock.monotonic() + inMs
    this.#blocks.set(workspace, { reason, waitMs, until })
    this.#nextDue = Math.min(this.#nextDue, until)
  }

  unblock(workspace: string): void {
    this.#blocks.delete(workspace)
  }
}
