import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'

/** How SQLite executes a statement: each of these steps is part of the plan, and it scans nothing else. */
export type Plan = readonly [name: string, statement: string, steps: readonly string[]]

/** Each must find its rows by a key: on a table of millions, anything else blocks every later commit. */
export function testPlans(plans: readonly Plan[]): void {
  test.each(plans)('%s: found by a key, in order, without sorting', (_, statement, steps) => {
    const plan = openDatabase()
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
      .all(...bindingsOf(statement))
      .map(({ detail }) => detail)
    for (const step of steps) expect(plan.join('\n')).toContain(step)
    expect(plan.join('\n')).not.toContain('TEMP B-TREE')
    // The members of a list are the only table that is not stored.
    const kept = plan.filter((line) => !line.includes('VIRTUAL TABLE'))
    const scans = kept.filter((line) => line.startsWith('SCAN ') && !line.startsWith('SCAN ('))
    for (const scan of scans) expect(steps.filter((step) => scan.includes(step))).not.toEqual([])
  })
}

function bindingsOf(statement: string): unknown[] {
  const named = [...statement.matchAll(/[@$](\w+)/g)].map(([, name]) => [name!, 1] as const)
  if (named.length > 0) return [Object.fromEntries(named)]
  return Array.from(statement.matchAll(/\?/g), () => 1)
}
