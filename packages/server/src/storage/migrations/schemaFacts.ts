/** A step of the schema that was made. */
export interface AppliedMigration {
  readonly version: number
  readonly name: string
  /** Unix ms. */
  readonly appliedAt: number
}

/** What a store says of itself, whatever program made it. */
export interface SchemaFacts {
  /** Such as `SQLite 3.53.0`. */
  readonly engine: string
  /** In order; none when the schema was never made. */
  readonly applied: readonly AppliedMigration[]
}
