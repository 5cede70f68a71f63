/**
 * What a simulation does follows from its seed alone. To repeat one that failed:
 * `POSTHORN_SIMULATION_SEED=<seed> npx vitest run packages/server/test/simulation`
 */
export function seedsOr(...seeds: readonly number[]): readonly number[] {
  const wanted = process.env.POSTHORN_SIMULATION_SEED
  return wanted === undefined ? seeds : [Number(wanted)]
}
