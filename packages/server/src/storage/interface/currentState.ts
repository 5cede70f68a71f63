import type { PendingFacts } from '../../core/waiting.ts'

/** The state of the webhooks of a workspace, or of all. */
export interface WebhookCounts {
  /** Webhooks that are on, in workspaces that are not suspended. */
  readonly on: number
  /** Of these, webhooks that fail now. */
  readonly failing: number
  /** Webhooks that were disabled since a time because they failed or were gone, and still are. */
  readonly disabled: number
}

/** The position in a list of failing webhooks. */
export interface FailingPosition {
  readonly failingSince: number
  readonly id: number
}

/** A pending delivery, and the facts that explain why it waits. */
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
 * The present state. A webhook fails now if it is on and its newest attempts failed: `failing_since` is set by the first failed
 * attempt after a success and cleared by the next success.
 */
export interface CurrentStateReads {
  /** @param workspaceId `null`: of all @param disabledSince Unix ms */
  countWebhooks(params: { workspaceId: number | null; disabledSince: number }): Promise<WebhookCounts>
  /** Webhooks that fail now, longest failing first. @param workspaceId `null`: of all */
  listFailing(params: {
    workspaceId: number | null
    limit: number
    after: FailingPosition | null
  }): Promise<readonly FailingPosition[]>
  /**
   * The oldest pending delivery, by the time of its event, of one webhook, of a workspace or of all. Each call looks at a part
   * of the webhooks: take the oldest of all parts.
   * @param webhookId `null`: of the whole workspace @param workspaceId `null`: of all
   * @param from where the last call ended; 0 at first
   */
  oldestPending(params: { workspaceId: number | null; webhookId: number | null; from: number }): Promise<{
    readonly oldest: PendingDelivery | null
    /** For the next call; `null`: that was the last part. */
    readonly next: number | null
  }>
}
