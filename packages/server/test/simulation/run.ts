import { createHash } from 'node:crypto'
import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { CONTRACTS } from './oracle/contract.ts'
import { type Judgement, judgeRun } from './oracle/oracle.ts'
import { NO_FAULTS } from './plans/faults.ts'
import type { Plan, World } from './plans/plan.ts'
import { type Simulated, type SimulatedStore, type StoreSurroundings, simulate } from './simulation.ts'
import { MemoryStore } from './store/memoryStore.ts'
import type { StoreSizes } from './store/state.ts'
import { lineOf } from './traceText.ts'

export interface Run extends Simulated, Judgement {
  readonly store: MemoryStore
}

interface RunOptions {
  /** How late requests may be that were not made by the end; of all receivers, or of each. */
  readonly overdueMs: number | ((receiver: number) => number)
  /** Actions of people who see the store; absent: as in the plan. */
  readonly people?: {
    readonly everyMs: number
    readonly over: (store: MemoryStore) => (world: World, round: number) => void
  }
}

/** Simulates a plan on a store in memory and judges the result. */
export async function runInMemory(plan: Plan, { overdueMs, people: wanted }: RunOptions): Promise<Run> {
  const { workspaces, service, faults = NO_FAULTS } = plan
  const opened: { store: MemoryStore | null } = { store: null }
  const openStore = (surroundings: StoreSurroundings) => {
    const simulated = memoryStore(faults.sizes)(surroundings)
    opened.store = simulated.model
    return simulated
  }
  const act = (world: World, round: number) => wanted?.over(opened.store!)(world, round)
  const people = wanted === undefined ? {} : { people: { everyMs: wanted.everyMs, act } }
  const simulated = await simulate({ ...plan, ...people }, openStore)
  const store = opened.store!
  const { disturbances, clockErrorMs } = faults
  const { maxInFlight = 512, maxInFlightPerWebhook = 10, isolation = null } = plan
  const judgement = judgeRun({
    ...simulated,
    ...{ workspaces, contracts: service?.contracts ?? CONTRACTS, deliveries: store.deliveries },
    overdueMs: typeof overdueMs === 'number' ? () => overdueMs : overdueMs,
    ...{ entries: simulated.trace.entries, disturbances, clockErrorMs, isolation },
    limits: { inAll: maxInFlight, toOne: maxInFlightPerWebhook },
  })
  return { ...simulated, ...judgement, store }
}

/** @returns a function that opens a store in memory for {@link simulate} */
export function memoryStore(sizes?: StoreSizes): (surroundings: StoreSurroundings) => SimulatedStore {
  return (surroundings) => {
    const model = new MemoryStore(sizes === undefined ? surroundings : { ...surroundings, sizes })
    return { storage: model.storage, model }
  }
}

/** Prints one line about a run. */
export function report(
  { startedAt, endedAt, store, arrivals, cpuMs }: Run,
  seed: number,
  result: string,
): void {
  const minutes = (endedAt - startedAt) / MINUTE_MS
  const much = `${store.webhooks.length} webhooks, ${store.deliveries.length} deliveries, ${arrivals.length} attempts`
  const took = `${(cpuMs / SECOND_MS).toFixed(1)} s of a processor`
  process.stdout.write(`Simulated ${minutes} min of ${much} in ${took}, seed ${seed}: ${result}\n`)
}

/** @returns a hash of everything that happened, with times */
export function hashOf({ trace }: Pick<Run, 'trace'>): string {
  const hash = createHash('sha256')
  for (const entry of trace.entries) hash.update(`${lineOf(entry)}\n`)
  return hash.digest('hex')
}
