import { createHash } from 'node:crypto'
import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { MemoryStore } from './memoryStore.ts'
import { type Judgement, judgeRun } from './oracle.ts'
import { peopleOver } from './people.ts'
import type { Plan } from './plan.ts'
import { type Simulated, simulate } from './simulation.ts'
import { storageOver } from './storeLink.ts'

export interface Run extends Simulated, Judgement {
  readonly store: MemoryStore
}

/**
 * Simulates a plan on a store in memory and judges what came of it.
 * @param overdueMs how late attempts may be that were not made by the end
 * @param peopleEveryMs how often people look after their webhooks; absent: never
 */
export async function runInMemory(
  plan: Plan,
  { overdueMs, peopleEveryMs }: { readonly overdueMs: number; readonly peopleEveryMs?: number },
): Promise<Run> {
  const store = new MemoryStore()
  const act = peopleOver(store, plan.draws)
  const people = peopleEveryMs === undefined ? {} : { people: { everyMs: peopleEveryMs, act } }
  const simulated = await simulate({ ...plan, ...people }, storageOver(store))
  const { workspaces } = plan
  const { history, deliveries } = store
  return { ...simulated, ...judgeRun({ ...simulated, workspaces, history, deliveries, overdueMs }), store }
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

/** @returns a hash of all that receivers saw and the store was told, each with its time */
export function traceOf({ arrivals, store }: Run): string {
  const hash = createHash('sha256')
  for (const { at, receiver, event, answer, endedAt } of arrivals)
    hash.update(`${at} ${receiver} ${event} ${answer.status} ${endedAt}\n`)
  for (const entry of store.history) {
    const what =
      'webhook' in entry
        ? `webhook ${entry.webhook.id}`
        : 'delivery' in entry
          ? `delivery ${entry.delivery.id} ${entry.kind === 'attempted' ? entry.next.nextAttemptAt : ''}`
          : `event ${entry.event.id} ${entry.deliveries.length}`
    hash.update(`${entry.at} ${entry.kind} ${what}\n`)
  }
  return hash.digest('hex')
}
