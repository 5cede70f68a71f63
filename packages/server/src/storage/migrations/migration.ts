/** One step of the schema, in the SQL of both stores. Never edited once released: a change is a new migration. */
export interface Migration {
  readonly version: number
  readonly name: string
  /** Shown to operators, such as `adds limits of webhooks`. */
  readonly does: string
  /** Tables that it reads or rewrites completely. Its other work takes no longer in a large store. */
  readonly goesThrough: Readonly<Record<'sqlite' | 'postgres', readonly string[]>>
  /** Empty if nothing changes on this store. */
  readonly sqlite: string
  readonly postgres: string
  /**
   * The oldest schema version whose programs still work after this migration: nodes of two versions run side by side on one
   * PostgreSQL during an upgrade as long as the older one's version is at least this.
   */
  readonly worksFrom: number
  /** Why programs of the version before cannot continue after this migration; `null` if they can. */
  readonly whyBreaking: string | null
}
