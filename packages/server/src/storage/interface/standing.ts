import type { PendingFacts } from '../../core/waiting.ts'

/** How the webhooks of a workspace, or of all, stand. */
export interface WebhookCounts {
  /** Webhooks that are on, in workspaces that are not suspended. */
  readonly on: number
  /** Those of them that fail now. */
  readonly failing: number
  /** Those that were disabled since a time because they failed or were gone, and still are. */
  readonly disabled: number
}

/** Where a list of failing webhooks has come to. */
export interface FailingPosition {
  readonly failingSince: number
  readonly id: number
}

/** A delivery that is to be attempted still, and what tells why it waits. */
export interface PendingDelivery extends PendingFacts {
  readonly id: number
  readonly webhookId: number
  readonly webhookPublicId: string
  readonly workspaceId: number
  /** Name of the workspace's service. */
  readonly dialect: string
  /** When its event was accepted. */
  readonly createdAt: number
}

/**
 * How things stand at this moment. A webhook fails now if it is on and its newest attempts failed: `failing_since` is set by the first
 * failed attempt after a success and cleared by the next success.
 */
export interface StandingReads {
  /** @param workspaceId `null`: of all @param disabledSince Unix ms */
  countWebhooks(params: { workspaceId: number | null; disabledSince: number }): Promise<WebhookCounts>
  /** Webhooks that fail now, those that have failed longest first. @param workspaceId `null`: of all */
  listFailing(params: {
    workspaceId: number | null
    limit: number
    after: FailingPosition | null
  }): Promise<readonly FailingPosition[]>
  /**
   * The oldest delivery that is to be attempted still, by the time of its event, of one webhook, of a workspace or of all. A part of the
   * webhooks is looked at by each call: take the oldest of all parts.
   * @param webhookId `null`: of the whole workspace @param workspaceId `null`: of all
   * @param from where the last call ended; 0 at first
   */
  oldestPending(params: { workspaceId: number | null; webhookId: number | null; from: number }): Promise<{
    readonly oldest: PendingDelivery | null
    /** For the next call; `null`: all were looked at. */
    readonly next: number | null
  }>
}
