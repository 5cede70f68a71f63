import { initial } from './0001_initial.ts'
import { move } from './0002_move.ts'

/** One step of the schema. Never edited once released: a change is a new migration. */
export interface Migration {
  readonly version: number
  readonly name: string
  /**
   * The oldest schema version whose programs still work once this step is made: nodes of two versions run side by side
   * during an upgrade as long as the older knows this one.
   */
  readonly worksFrom: number
  readonly sql: string
}

export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', worksFrom: 1, sql: initial },
  { version: 2, name: 'move', worksFrom: 1, sql: move },
]
