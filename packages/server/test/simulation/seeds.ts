import { SECOND_MS } from '../../src/core/duration.ts'

/**
 * What a simulation does follows from its seed alone. To repeat one that failed:
 * `POSTHORN_SIMULATION_SEED=<seed> npx vitest run packages/server/test/simulation`
 */
export function seedsOr(first: number, ...others: readonly number[]): readonly [number, ...number[]] {
  const wanted = process.env.POSTHORN_SIMULATION_SEED
  return wanted === undefined ? [first, ...others] : [Number(wanted)]
}

/** Far more than a simulation takes, however busy the machine is. */
export const PATIENCE_MS = 600 * SECOND_MS
