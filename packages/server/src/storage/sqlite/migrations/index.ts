import { initial } from './0001_initial/index.ts'

/** One step of the schema. Never edited once released: a change is a new migration. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

export const migrations: readonly Migration[] = [{ version: 1, name: 'initial', sql: initial }]
