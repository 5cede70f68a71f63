/** What the relay inside of this service saw last of its outbox. */
export interface OutboxState {
  /** Where it is, without a password. */
  readonly outbox: string
  /** `null`: the relay has not looked yet. */
  readonly readable: boolean | null
  readonly publishing: boolean
  readonly blockedWorkspaces: number
  readonly pending: number
  readonly oldestPendingMs: number
  readonly failed: number
  readonly storedBytes: number
}
