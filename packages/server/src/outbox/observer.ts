import type { Backlog } from './source.ts'

/** What a relay reports, for metrics. */
export interface RelayObserver {
  /** @param lagMs between the emit of each row and its publication */
  published(lagsMs: readonly number[]): void
  /** Posthorn rejected this many events. */
  rejected(count: number): void
  /** Events were stored outside of the order, since their workspace cannot publish. */
  held(count: number): void
  /** How many workspaces cannot publish. */
  blockedWorkspaces(count: number): void
  /** What waits; `null`: the outbox cannot be reached. */
  backlog(backlog: Backlog | null): void
  /** Whether Posthorn takes events. */
  reachable(yes: boolean): void
}
