import type { Backlog, HeldState, Stored } from './source.ts'

/** What a relay reports, for metrics. */
export interface RelayObserver {
  /** @param lagMs between the emit of each row and its publication */
  published(lagsMs: readonly number[]): void
  /** Events were stored outside of the order. */
  held(state: HeldState, count: number): void
  /** How many workspaces cannot publish. */
  blockedWorkspaces(count: number): void
  /** `null`: the outbox cannot be reached. */
  backlog(backlog: Backlog | null): void
  stored(stored: Stored): void
  /** Whether Posthorn accepts events. */
  reachable(yes: boolean): void
}
