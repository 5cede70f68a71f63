import type { AttemptDelta, Delta } from '../../rowMappers/figureDeltas.ts'
import type { Connection } from '../connection.ts'

/** Writes what is counted in the transaction under way. */
export function deltaRows(db: Connection) {
  const insert = db.prepare<[number, string, string]>(
    'INSERT INTO figures_deltas (at, scope, data) VALUES (?, ?, ?)',
  )
  return {
    events(deltas: readonly Delta[]): void {
      for (const { at, scope, data } of deltas) insert.run(at, scope, data)
    },
    attempts(delta: AttemptDelta, now: number): void {
      if (!delta.empty) insert.run(now, 'webhook', delta.data())
    },
  }
}
