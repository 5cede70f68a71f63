import type { Suite } from './mutant.ts'

const simulation = (file: string): Suite => ({ files: [`packages/server/test/simulation/${file}.test.ts`] })

/** Nodes with all kinds of faults. */
export const FAULTS = simulation('faults')
/** Two days of many webhooks on one node. */
export const MIXED_HEALTH = simulation('mixedHealth')
/** The egress of nodes is blocked for days. */
export const OUTAGES = simulation('outages')
export const NEIGHBORS = simulation('neighbors')

/** Tests of one part of the engine. */
export function ofEngine(name: string): Suite {
  return { files: [`packages/server/test/engine/${name}.test.ts`], needs: 'build' }
}

/** @param tests part of the test names */
export function onSqlite(tests: string): Suite {
  return { files: ['packages/server/test/storage/sqlite.conformance.test.ts'], tests, needs: 'build' }
}

/** @param tests part of the test names */
export function onPostgres(tests: string): Suite {
  return { files: ['packages/server/test/storage/postgres.conformance.test.ts'], tests, needs: 'postgres' }
}

/** Tests of only one driver. */
export function ofDriver(driver: 'sqlite' | 'postgres', name: string): Suite {
  const needs = driver === 'postgres' ? 'postgres' : 'build'
  return { files: [`packages/server/test/storage/${driver}/${name}.test.ts`], needs }
}

// Files in which there are mutants.
export const engine = (file: string) => `packages/server/src/engine/${file}.ts`
export const core = (file: string) => `packages/server/src/core/${file}.ts`
