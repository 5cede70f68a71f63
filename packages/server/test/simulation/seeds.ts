import { SECOND_MS } from '../../src/core/duration.ts'

/**
 * A simulation is determined by its seed. To repeat a failed one: `POSTHORN_SIMULATION_SEED=<seed> npx vitest
 * run packages/server/test/simulation`
 */
export function seedsOr(first: number, ...others: readonly number[]): readonly [number, ...number[]] {
  const wanted = process.env.POSTHORN_SIMULATION_SEED
  return wanted === undefined ? [first, ...others] : [Number(wanted)]
}

/** Seeds from 1 on: the number requested for a long run, or else a few. */
export function manySeedsOr(few: number): readonly number[] {
  const { POSTHORN_SIMULATION_SEED: seed, POSTHORN_SIMULATION_RUNS: runs = few } = process.env
  if (seed !== undefined) return [Number(seed)]
  return Array.from({ length: Number(runs) }, (_, position) => position + 1)
}

/** Far more than a simulation takes, however busy the machine is. */
export const PATIENCE_MS = 600 * SECOND_MS
