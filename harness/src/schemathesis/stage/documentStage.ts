export type Values = Readonly<Record<string, string>>

/** The setup of the run over one document. */
export interface DocumentStage {
  /** Sent as a bearer token. */
  readonly token: string
  /** Path parameters, by operation id. */
  readonly params: Readonly<Record<string, Values>>
  /** Replacements for `token`, by operation id, for operations that end the session of their caller. */
  readonly tokens: Values
  /**
   * Operations left out of request sequences: they delete resources that others use, or their `DELETE`
   * cancels a recovery, which stays readable, while Schemathesis expects a 404 after it.
   */
  readonly apart: readonly string[]
  /** For `hooks.py`: query parameters by method and path, and members of bodies. */
  readonly facts: {
    readonly query: Readonly<Record<string, Values>>
    readonly body: Readonly<Record<string, string | boolean | readonly string[]>>
    /** Whole bodies by method and path, for operations whose documents describe them too loosely. */
    readonly bodies?: Readonly<Record<string, object>>
  }
}

export type Stage = Readonly<Record<string, DocumentStage>>
