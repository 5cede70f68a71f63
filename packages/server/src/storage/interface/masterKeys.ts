/** How much is sealed under a master key. */
export interface SealedCount {
  /** `null`: sealed without the id of the key. */
  readonly keyId: string | null
  readonly count: number
}

/** A signing secret of the store. */
export interface StoredSecret {
  readonly id: number
  readonly sealed: Uint8Array
  /** Under whose public id it is sealed. */
  readonly owner: string
}

/** A walk through all signing secrets, in bounded steps. */
interface WalkStep {
  /** Where the last step ended; 0 at first. */
  readonly afterId: number
  /** Secrets of one step. */
  readonly limit: number
}

export interface MasterKeyVerbs {
  /** Tells under which key secrets without the id of a key are sealed; `null`: not noted yet. */
  readKeyCheck(params: Record<string, never>): Promise<Uint8Array | null>
  /** Notes it unless it is noted. @returns what is noted then */
  keepKeyCheck(params: { check: Uint8Array }): Promise<Uint8Array>
  /** To be called once nothing is sealed under another key. */
  replaceKeyCheck(params: { check: Uint8Array }): Promise<void>
  /** From now on the store holds secrets that programs of release 0.1 cannot open: none of them may work on it. */
  requireKeyIds(params: Record<string, never>): Promise<void>
  /** Counts signing secrets by key. */
  countSealed(params: WalkStep): Promise<{
    readonly counts: readonly SealedCount[]
    /** For the next call; 0: that was the last part. */
    readonly nextAfterId: number
  }>
  /** Counts, by key, what is sealed for minutes only: secrets kept for repeated requests, and links that wait to be e-mailed. */
  countShortLived(params: { now: number }): Promise<readonly SealedCount[]>
  readSealed(params: WalkStep): Promise<{
    readonly secrets: readonly StoredSecret[]
    readonly nextAfterId: number
  }>
  /**
   * Replaces what is stored of secrets, each only where it is still what it was. Those that another transaction is changing are
   * passed over. @returns how many it replaced
   */
  reseal(params: {
    secrets: readonly { readonly id: number; readonly from: Uint8Array; readonly to: Uint8Array }[]
  }): Promise<number>
}
