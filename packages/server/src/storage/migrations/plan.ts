import type { Clock } from '../../core/clock.ts'
import type { Migration } from './migration.ts'

/** A migration that a store still needs. */
export interface PlannedStep {
  readonly migration: Migration
  /** Rows that it reads or rewrites, by table. */
  readonly rows: ReadonlyMap<string, number>
  /** How long one read of these rows took, in ms. */
  readonly readMs: number
}

/** The effect of `posthorn migrate` on a store. */
export interface MigrationPlan {
  /** The schema version of the store; 0: there is no store yet. */
  readonly from: number
  /** The schema version that this program knows. */
  readonly to: number
  /** In order; empty when the store is up to date. */
  readonly steps: readonly PlannedStep[]
  /** Nodes with a valid lease. 0 for the embedded store, which belongs to one process. */
  readonly liveNodes: number
}

/** Counts the rows that each migration would read or rewrite, once for each table. */
export async function planSteps(params: {
  readonly missing: readonly Migration[]
  readonly store: keyof Migration['goesThrough']
  readonly clock: Pick<Clock, 'monotonic'>
  /** Counts the rows of a table by reading them all. */
  readonly count: (table: string) => Promise<number>
}): Promise<readonly PlannedStep[]> {
  const { missing, store, clock, count } = params
  const counted = new Map<string, { readonly rows: number; readonly ms: number }>()
  const steps: PlannedStep[] = []
  for (const migration of missing) {
    const rows = new Map<string, number>()
    let readMs = 0
    for (const table of migration.goesThrough[store]) {
      const begun = clock.monotonic()
      const known = counted.get(table) ?? { rows: await count(table), ms: clock.monotonic() - begun }
      counted.set(table, known)
      rows.set(table, known.rows)
      readMs += known.ms
    }
    steps.push({ migration, rows, readMs })
  }
  return steps
}

/** Migrations after which programs of the present schema version cannot use the store any more. @param version of its schema */
export const breakingSteps = (missing: readonly Migration[], version: number): readonly Migration[] =>
  missing.filter(({ worksFrom }) => worksFrom > version)
