import type { TimeClosed } from '../../core/health.ts'

/** A time in which no node could send. */
export interface Outage extends TimeClosed {
  /** Due deliveries at its end. */
  readonly waited: number
}

/** After this long without a note, no node could send. */
export const OUTAGE_AFTER_MS = 30_000

/** Only the newest outages are kept: older ones count as failing again. */
export const OUTAGES_KNOWN = 100

export interface EgressCalls {
  /** When a node last noted that it can send, Unix ms; `null`: none has yet. */
  readOpen(params: Record<string, never>): Promise<number | null>
  /**
   * Notes that a node can send. The time between this note and the last one of any node is an outage if it exceeds {@link
   * OUTAGE_AFTER_MS}.
   * @param params.waited due deliveries
   * @param params.notBefore Unix ms; the earliest start of an outage that ends now, since nodes could send until then or the
   *   clock jumped; `null`: not known
   */
  noteOpen(params: { now: number; waited: number; notBefore: number | null }): Promise<void>
  /** The newest outages, newest first. */
  listOutages(params: Record<string, never>): Promise<readonly Outage[]>
  /**
   * Webhooks that are on, from as many workspaces as possible: at most three of one workspace, at different origins. Looks at a
   * bounded number of webhooks.
   * @param params.since only webhooks that received something since then, to the hour, and are not failing; `null`: all
   */
  recentlyReached(params: {
    since: number | null
    limit: number
  }): Promise<readonly { readonly webhookId: number; readonly workspaceId: number; readonly url: string }[]>
}
