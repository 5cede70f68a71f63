import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RoundPlan } from './plan.ts'
import type { RoundResult } from './round.ts'

/** Saves everything known about a failed round. The nodes' logs are already there. */
export function keepEvidence(
  directory: string,
  plan: RoundPlan,
  { hooks, losses, published }: RoundResult,
  contradictions: readonly string[],
): void {
  const write = (name: string, content: unknown) =>
    writeFileSync(path.join(directory, name), `${JSON.stringify(content, null, 2)}\n`)
  writeFileSync(
    path.join(directory, 'contradictions.txt'),
    contradictions.map((line) => `${line}\n`).join(''),
  )
  write('plan.json', {
    ...plan,
    faults: plan.faults.map(({ atMs, kind, fault }) => [atMs, kind, fault.text]),
  })
  write('losses.json', losses)
  write('publishes.json', published.publishes)
  for (const { name, publishes: _, ...hook } of hooks) write(`hook-${name}.json`, hook)
}
