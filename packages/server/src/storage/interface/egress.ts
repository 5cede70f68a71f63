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
   * @param params.notBefore Unix ms; an outage that ends now began no earlier, since nodes could send until then or the clock leapt;
   * `null`: that is not known
   */
  noteOpen(params: { now: number; waited: number; notBefore: number | null }): Promise<void>
  /** The newest outages, newest first. */
  listOutages(params: Record<string, never>): Promise<readonly Outage[]>
  /**
   * Webhooks that are on, from as many workspaces as possible: at most three of one workspace, at different origins. Looks at a
   * bounded number of webhooks.
   * @param params.since only those that received something since, to the hour, and that are not failing; `null`: all of them
   */
  recentlyReached(params: {
    since: number | null
    limit: number
  }): Promise<readonly { readonly webhookId: number; readonly workspaceId: number; readonly url: string }[]>
}
