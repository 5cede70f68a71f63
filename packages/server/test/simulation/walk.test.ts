import { describe, expect, test } from 'vitest'
import { failureOf } from './chaosRun.ts'
import { PATIENCE_MS } from './seeds.ts'
import { STEPS, type StepKind, stepsOf, tellStory } from './walk.ts'

/**
 * These are always walked through; all of them with `POSTHORN_SIMULATION_WALK=all`, or the one that it names.
 */
const BY_DEFAULT: readonly StepKind[] = [
  'killed before the call',
  'killed after the call',
  'answer lost',
  'killed by the request',
  'killed by the answer',
]

/** `<kind>:<n>` repeats a single step. */
const wanted = process.env.POSTHORN_SIMULATION_WALK

function chosen(): readonly { readonly kind: StepKind; readonly only: number | null }[] {
  const all = Object.keys(STEPS) as StepKind[]
  if (wanted === undefined) return BY_DEFAULT.map((kind) => ({ kind, only: null }))
  if (wanted === 'all') return all.map((kind) => ({ kind, only: null }))
  const [name, step] = wanted.split(':')
  const kind = all.find((one) => one === name)
  if (kind === undefined) throw new Error(`POSTHORN_SIMULATION_WALK names none of: ${all.join(', ')}`)
  return [{ kind, only: step === undefined ? null : Number(step) }]
}

describe('a node with this fault, at each step in turn', () => {
  test.each(chosen())(
    'leaves nothing unfinished: $kind',
    async ({ kind, only }) => {
      const steps = (await stepsOf(kind)).filter((step) => only === null || step === only)
      const failures: string[] = []
      for (const step of steps) {
        const repeat = `POSTHORN_SIMULATION_WALK='${kind}:${step}' npx vitest run --project main packages/server/test/simulation/walk.test.ts`
        const failure = failureOf(await tellStory(STEPS[kind](step)), repeat)
        if (failure === '') continue
        failures.push(failure)
        break
      }
      expect(failures.join('\n')).toBe('')
      expect(steps.length).toBeGreaterThan(0)
      process.stdout.write(`${steps.length} steps: ${kind}\n`)
    },
    PATIENCE_MS,
  )
})
