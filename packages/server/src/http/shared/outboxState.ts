/** The last state of the outbox that this service relays. */
export interface OutboxState {
  /** Where it is, without a password. */
  readonly outbox: string
  /** `null`: not checked yet. */
  readonly readable: boolean | null
  readonly publishing: boolean
  readonly blockedWorkspaces: number
  readonly pending: number
  readonly oldestPendingMs: number
  readonly failed: number
  readonly storedBytes: number
}
