import type { TimeClosed } from '../../core/health.ts'

/** A time in which no node could send. */
export interface Outage extends TimeClosed {
  /** Deliveries that were due when it ended. */
  readonly waited: number
}

/** Without a note for longer than this, no node could send. */
export const OUTAGE_AFTER_MS = 30_000

/** Only the newest outages are kept: older ones count as failing again. */
export const OUTAGES_KNOWN = 100

export interface EgressVerbs {
  /** When a node last noted that it can send, Unix ms; `null`: none has yet. */
  readOpen(params: Record<string, never>): Promise<number | null>
  /**
   * A node can send. What lies between this note and the last one of any node is an outage if it is longer than
   * {@link OUTAGE_AFTER_MS}.
   * @param params.waited deliveries that are due
   * @param params.gapCounts false: the clock may have leapt, and what looks like an outage is none
   * @returns the newest outages, newest first
   */
  noteOpen(params: { now: number; waited: number; gapCounts: boolean }): Promise<readonly Outage[]>
  /** The newest outages, newest first. */
  listOutages(params: Record<string, never>): Promise<readonly Outage[]>
  /**
   * URLs of webhooks that received something since `since`, from as many workspaces as possible.
   * Looks at a bounded number of webhooks.
   */
  recentlyReached(params: {
    since: number | null
    limit: number
  }): Promise<readonly { readonly webhookId: number; readonly workspaceId: number; readonly url: string }[]>
}
