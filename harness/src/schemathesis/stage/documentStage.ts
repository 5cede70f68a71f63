export type Values = Readonly<Record<string, string>>

/** What the run over one document works on. */
export interface DocumentStage {
  /** Sent as a bearer token. */
  readonly token: string
  /** Of paths, by operation id. */
  readonly params: Readonly<Record<string, Values>>
  /** Tokens in place of `token`, by operation id, where an operation ends the session that it is called in. */
  readonly tokens: Values
  /**
   * Operations that take no part in sequences of requests: they delete what others work on, or their `DELETE` cancels a
   * recovery, which stays readable, while Schemathesis expects a 404 after it.
   */
  readonly apart: readonly string[]
  /** For `hooks.py`: query parameters by method and path, and members of bodies. */
  readonly facts: {
    readonly query: Readonly<Record<string, Values>>
    readonly body: Readonly<Record<string, string | boolean | readonly string[]>>
    /** Whole bodies by method and path, for operations whose documents say too little of them. */
    readonly bodies?: Readonly<Record<string, object>>
  }
}

export type Stage = Readonly<Record<string, DocumentStage>>
