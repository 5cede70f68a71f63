import { initial } from './0001_initial.ts'
import { move } from './0002_move.ts'
import { emails } from './0003_emails.ts'
import { stopped } from './0004_stopped.ts'
import { browserSessions } from './0005_browser_sessions.ts'
import { retrying } from './0006_retrying.ts'
import { figures } from './0007_figures.ts'
import { bounds } from './0008_bounds.ts'
import { fanouts } from './0009_fanouts.ts'
import { expired } from './0010_expired.ts'
import { memos } from './0011_memos.ts'
import { clock } from './0012_clock.ts'

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
  { version: 3, name: 'emails', worksFrom: 1, sql: emails },
  { version: 4, name: 'stopped', worksFrom: 1, sql: stopped },
  { version: 5, name: 'browser_sessions', worksFrom: 1, sql: browserSessions },
  { version: 6, name: 'retrying', worksFrom: 1, sql: retrying },
  { version: 7, name: 'figures', worksFrom: 1, sql: figures },
  { version: 8, name: 'bounds', worksFrom: 1, sql: bounds },
  { version: 9, name: 'fanouts', worksFrom: 1, sql: fanouts },
  { version: 10, name: 'expired', worksFrom: 1, sql: expired },
  { version: 11, name: 'memos', worksFrom: 1, sql: memos },
  { version: 12, name: 'clock', worksFrom: 1, sql: clock },
]
