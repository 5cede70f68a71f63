/** How much is encrypted under a master key. */
export interface SealedCount {
  /** `null`: encrypted without the id of the key. */
  readonly keyId: string | null
  readonly count: number
}

/** A signing secret of the store. */
export interface StoredSecret {
  readonly id: number
  readonly sealed: Uint8Array
  /** The public id that it is bound to. */
  readonly owner: string
}

/** A walk through all signing secrets, in bounded steps. */
interface WalkStep {
  /** Where the last step ended; 0 at first. */
  readonly afterId: number
  /** Secrets of one step. */
  readonly limit: number
}

export interface MasterKeyCalls {
  /** Identifies the key of secrets that do not name theirs; `null`: not recorded yet. */
  readKeyCheck(params: Record<string, never>): Promise<Uint8Array | null>
  /** Records it unless one is recorded. @returns what is recorded then */
  keepKeyCheck(params: { check: Uint8Array }): Promise<Uint8Array>
  /** Call this once nothing is encrypted under another key. */
  replaceKeyCheck(params: { check: Uint8Array }): Promise<void>
  /** From now on, programs of release 0.1 must not open the store: they could not read its secrets. */
  requireKeyIds(params: Record<string, never>): Promise<void>
  /** Counts signing secrets by key. */
  countSealed(params: WalkStep): Promise<{
    readonly counts: readonly SealedCount[]
    /** For the next call; 0: that was the last part. */
    readonly nextAfterId: number
  }>
  /** Counts, by key, secrets that are kept for minutes only: those for repeated requests, and links waiting to be e-mailed. */
  countShortLived(params: { now: number }): Promise<readonly SealedCount[]>
  readSealed(params: WalkStep): Promise<{
    readonly secrets: readonly StoredSecret[]
    readonly nextAfterId: number
  }>
  /**
   * Replaces secrets, each only if it is still `from`. Secrets that another transaction is changing are skipped.
   * @returns how many it replaced
   */
  reseal(params: {
    secrets: readonly { readonly id: number; readonly from: Uint8Array; readonly to: Uint8Array }[]
  }): Promise<number>
}
