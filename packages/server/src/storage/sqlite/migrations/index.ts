import { initial } from './0001_initial.ts'
import { management } from './0002_management.ts'
import { moved } from './0003_moved.ts'

/** One step of the schema. Never edited once released: a change is a new migration. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial },
  { version: 2, name: 'management', sql: management },
  { version: 3, name: 'moved', sql: moved },
]
