/** One step of the schema, in the SQL of both stores. Never edited once released: a change is a new migration. */
export interface Migration {
  readonly version: number
  readonly name: string
  /** For operators, such as `adds limits of webhooks`. */
  readonly does: string
  /** Tables of which it reads or writes every row. All else that it does takes no longer in a large store. */
  readonly goesThrough: Readonly<Record<'sqlite' | 'postgres', readonly string[]>>
  /** Empty where nothing changes on this store. */
  readonly sqlite: string
  readonly postgres: string
  /**
   * The oldest schema version whose programs still work once this step is made: nodes of two versions run side by side on
   * one PostgreSQL during an upgrade as long as the older knows this one.
   */
  readonly worksFrom: number
  /** Why programs of the version before cannot work on once this step is made; `null` where they can. */
  readonly whyBreaking: string | null
}
