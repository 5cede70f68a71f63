export interface FanoutStep {
  readonly looked: number
  readonly workspaceIds: readonly number[]
}

/**
 * Fan-out after the acknowledgement. An event that goes to many webhooks is stored with the set of them; its deliveries
 * follow in bounded steps. Docs: `docs/adr/0022-fan-out.md`.
 */
export interface FanoutVerbs {
  /**
   * Makes deliveries that accepted events still lack, due now and leased to no node. Workspaces take turns; within one
   * the oldest event goes first. A delivery goes to the webhook as it is now: none is made if it was deleted, and a
   * canceled one if it was disabled since the event was accepted.
   * @param params.limit most webhooks to look at
   * @returns how many it looked at, and of which workspaces; 0: nothing is left, or other nodes are working on
   *   the workspaces that it tried
   */
  stepFanouts(params: { now: number; limit: number }): Promise<FanoutStep>
}
