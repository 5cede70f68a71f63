import type { AttemptDelta } from '../../rowMappers/figureDeltas.ts'
import type { Tx } from '../transaction.ts'

export const INSERT_DELTA = 'INSERT INTO figures_deltas (at, scope, data)'

/** Counts attempts that are recorded in the transaction. */
export async function insertAttempts(tx: Tx, delta: AttemptDelta, now: number): Promise<void> {
  if (!delta.empty) await tx.run(`${INSERT_DELTA} VALUES ($1, 'webhook', $2)`, [now, delta.data()])
}
