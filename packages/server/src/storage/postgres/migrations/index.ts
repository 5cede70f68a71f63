import { initial } from './0001_initial/index.ts'

/** One step of the schema. Never edited once released: a change is a new migration. */
export interface Migration {
  readonly version: number
  readonly name: string
  /**
   * The oldest schema version whose programs still work once this step is made: nodes of two versions run side by side
   * during an upgrade as long as the older knows this one.
   */
  readonly worksFrom: number
  /** Why programs of the version before cannot work on once this step is made; `null` where they can. */
  readonly whyBreaking: string | null
  readonly sql: string
}

export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', worksFrom: 1, whyBreaking: 'there was no schema before', sql: initial },
]
