import { randomFrom, weighted, wholeNumber } from '../support/random.ts'
import type { Fault, FaultKind } from './kinds/kind.ts'

/** The faults of one round. */
export interface RoundPlan {
  readonly chaosMs: number
  readonly faults: readonly { readonly atMs: number; readonly kind: string; readonly fault: Fault }[]
  /** For webhooks, receivers and publishes. */
  readonly sceneSeed: number
}

const CHAOS_MS = { min: 2_500, max: 4_000 }
const FAULTS = { min: 1, max: 3 }
/**
 * Alternates this many rounds in which processes may end with as many in which they survive, so that leaks
 * add up.
 */
const TURN_ROUNDS = 10
/** A quiet time before the first and after the last fault. */
const EDGE_MS = 300

/** The same seed and round give the same plan, independent of earlier rounds. */
export function planRound(
  seed: number,
  round: number,
  kinds: readonly FaultKind[],
  nodes: number,
): RoundPlan {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) + round)
  const all = Math.floor((round - 1) / TURN_ROUNDS) % 2 === 0
  const gentle = kinds.filter(({ sparesProcesses }) => sparesProcesses)
  const choice = all || gentle.length === 0 ? kinds : gentle
  const chaosMs = wholeNumber(random, CHAOS_MS.min, CHAOS_MS.max)
  const faults = Array.from({ length: wholeNumber(random, FAULTS.min, FAULTS.max) }, () => {
    const kind = weighted(random, choice)
    const atMs = wholeNumber(random, EDGE_MS, chaosMs - EDGE_MS)
    return { atMs, kind: kind.name, fault: kind.draw(random, nodes) }
  })
  return {
    chaosMs,
    faults: faults.sort((a, b) => a.atMs - b.atMs),
    sceneSeed: wholeNumber(random, 0, 0x7fffffff),
  }
}
