/** An applied migration. */
export interface AppliedMigration {
  readonly version: number
  readonly name: string
  /** Unix ms. */
  readonly appliedAt: number
}

/** Facts about a store, whatever release created it. */
export interface SchemaFacts {
  /** Such as `SQLite 3.53.0`. */
  readonly engine: string
  /** In order; empty when the schema was never created. */
  readonly applied: readonly AppliedMigration[]
}
