import { initial } from './0001_initial.ts'
import { management } from './0002_management.ts'
import { moved } from './0003_moved.ts'
import { emails } from './0004_emails.ts'
import { stopped } from './0005_stopped.ts'
import { browserSessions } from './0006_browser_sessions.ts'
import { retrying } from './0007_retrying.ts'
import { figures } from './0008_figures.ts'
import { bounds } from './0009_bounds.ts'
import { fanouts } from './0010_fanouts.ts'
import { expired } from './0011_expired.ts'
import { memos } from './0012_memos.ts'
import { clock } from './0013_clock.ts'

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
  { version: 4, name: 'emails', sql: emails },
  { version: 5, name: 'stopped', sql: stopped },
  { version: 6, name: 'browser_sessions', sql: browserSessions },
  { version: 7, name: 'retrying', sql: retrying },
  { version: 8, name: 'figures', sql: figures },
  { version: 9, name: 'bounds', sql: bounds },
  { version: 10, name: 'fanouts', sql: fanouts },
  { version: 11, name: 'expired', sql: expired },
  { version: 12, name: 'memos', sql: memos },
  { version: 13, name: 'clock', sql: clock },
]
