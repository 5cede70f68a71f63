import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { eventually, within } from '../support/waiting.ts'
import { keepEvidence } from './evidenceFiles.ts'
import { Lives } from './nodes/lives.ts'
import type { Resources } from './nodes/resources.ts'
import { planRound, type RoundPlan } from './plan.ts'
import { playRound } from './round.ts'
import { LEASE_MS, Stage } from './stage.ts'
import { postgresStore } from './stores/postgres.ts'
import { sqliteStore } from './stores/sqlite.ts'
import { Tally, type Totals } from './tally.ts'
import { leasesNotKept } from './verdict/leasesNotKept.ts'

export type StoreName = 'sqlite' | 'postgres'

export interface RunOptions {
  readonly store: StoreName
  readonly nodes: number
  readonly rounds: number
  /** The first round to play; plans do not depend on earlier rounds. */
  readonly first: number
  readonly seed: number
  /** Kinds of faults to inject; empty: all. */
  readonly kinds: readonly string[]
  /** For logs and, if a check fails, the evidence. */
  readonly directory: string
  readonly onRound?: (round: number, totals: Totals) => void
}

export interface RunReport {
  readonly totals: Totals
  /** The most that any node's process used after a round. */
  readonly most: Resources
  /** Empty when all checks pass. */
  readonly contradictions: readonly string[]
  /** The round that failed; `null`: none, or the final checks. */
  readonly failedRound: number | null
  /** Faults that this machine does not allow, and why. */
  readonly untried: readonly string[]
}

const ROUND_WITHIN_MS = 300_000
const TIDY_WITHIN_MS = 30_000

/** Plays rounds until the first failure. */
export async function runFaults(options: RunOptions): Promise<RunReport> {
  const { directory, rounds, first, seed, nodes, onRound } = options
  const storeDirectory = path.join(directory, 'store')
  mkdirSync(storeDirectory, { recursive: true })
  const store =
    options.store === 'sqlite'
      ? sqliteStore(storeDirectory)
      : await postgresStore(storeDirectory, nodes, LEASE_MS)
  const stage = await Stage.setUp(store, nodes, directory)
  const kinds = stage.kindsNamed(options.kinds)
  const tally = new Tally()
  const lives = new Lives()
  const report = (contradictions: readonly string[], failedRound: number | null): RunReport => ({
    totals: tally.totals,
    most: lives.most,
    contradictions,
    failedRound,
    untried: store.untried,
  })
  let keepIn: string | null = directory
  try {
    for (let round = first; round < first + rounds; round++) {
      const plan = planRound(seed, round, kinds, nodes)
      const contradictions = await within(
        playAndJudge(stage, round, plan, { tally, lives, directory }),
        ROUND_WITHIN_MS,
        `round ${round}`,
      ).catch((error: unknown) => [String((error as Error).stack)])
      onRound?.(round, tally.totals)
      if (contradictions.length > 0) return report(contradictions, round)
    }
    const contradictions = await stopAll(stage)
    if (contradictions.length === 0) keepIn = null
    return report(contradictions, null)
  } finally {
    await stage.tearDown(keepIn)
  }
}

async function playAndJudge(
  stage: Stage,
  round: number,
  plan: RoundPlan,
  { tally, lives, directory }: { readonly tally: Tally; readonly lives: Lives; readonly directory: string },
): Promise<string[]> {
  const { journal, nodes } = stage.world
  journal.note(`round ${round}`)
  for (const { fault } of plan.faults) await fault.prepare?.(stage.world)
  const result = await playRound(stage, plan, await stage.setScene(`round${round}`, plan.sceneSeed))
  tally.add(plan, result)
  const contradictions = [
    ...result.contradictions,
    ...leasesNotKept(tally.totals, nodes.length, stage.store.shared),
    ...(await leftovers(stage)),
    ...(await lives.measure(nodes)),
  ]
  if (contradictions.length > 0) keepEvidence(directory, plan, result, contradictions)
  return contradictions
}

/** Rows that should have been deleted. */
async function leftovers({ store }: Stage): Promise<string[]> {
  let left: string | null = null
  return eventually(
    async () => {
      left = await store.leftovers()
      return left === null ? [] : null
    },
    { withinMs: TIDY_WITHIN_MS, everyMs: 200, what: 'a tidy store' },
  ).catch((error: unknown) => [`${String(error)}: it has ${left}`])
}

/** Every node must end cleanly. */
async function stopAll({ world }: Stage): Promise<readonly string[]> {
  await Promise.all(world.nodes.map((node) => node.stop()))
  return world.journal.take().complaints
}
