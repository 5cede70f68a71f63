/** What queries need of their store and each driver does in its own way. */
export interface Acts {
  /**
   * Until the transaction ends, nothing is published to these workspaces: what is published before goes by what their
   * webhooks were, and what is published afterwards by what they are then.
   */
  excludePublishes(workspaceIds: readonly number[]): void
  /** The set of webhooks that are on, or a version of one, is another from this commit on. The caller excludes publishes. */
  matchingChanged(workspaceIds: readonly number[]): void
  /** Cancels what is pending for webhooks that are off or deleted. */
  cancelPending(webhookIds: readonly number[], now: number): void
}
