import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { type Chaos, planOfChaos, TYPES } from './plans/chaos.ts'
import type { FaultKind } from './plans/faultKinds.ts'
import { busyPeopleOver } from './plans/people.ts'
import { type Run, runInMemory } from './run.ts'
import { excerptOf } from './traceText.ts'

/** At the end no fault delays due deliveries, */
const OVERDUE_MS = 5 * SECOND_MS
/** except receivers that hang or are slow, with few requests in flight to each. */
const OVERDUE_AT_SLOW_MS = 6 * MINUTE_MS
/** Faults that are printed with their traces. */
const SHOWN = 3

export interface ChaosOptions {
  readonly nodes?: number
  readonly wanted?: readonly FaultKind[]
}

export async function runChaos(seed: number, options: ChaosOptions = {}): Promise<Run> {
  const plan: Chaos = planOfChaos(seed, options)
  const typesOf = (dialect: string) => TYPES[dialect as keyof typeof TYPES]
  return runInMemory(plan, {
    overdueMs: (receiver) => (plan.isolation?.isPrompt(receiver) ? OVERDUE_MS : OVERDUE_AT_SLOW_MS),
    people: {
      everyMs: plan.peopleEveryMs,
      over: (store) => busyPeopleOver(store, plan.draws, typesOf, plan.peopleUntilMs),
    },
  })
}

/** @returns the failures, their causes, and how to repeat them; empty: none */
export function failureOf({ findings, trace }: Run, repeat: string): string {
  if (findings.length === 0) return ''
  const shown = findings.slice(0, SHOWN).map((fault) => `${fault.text}\n${excerptOf(trace.entries, fault)}`)
  const rest = findings.slice(SHOWN).map(({ text }) => text)
  return `${[...shown, ...rest].join('\n')}\nTo repeat it: ${repeat}\n`
}

export const repeatSeed = (seed: number): string => `npm run simulate -- --seed ${seed}`

/** One line about a run. */
export function summaryOf({ startedAt, endedAt, store, arrivals, counts, cpuMs }: Run, seed: number): string {
  const minutes = Math.round((endedAt - startedAt) / MINUTE_MS)
  const lost = `${counts['results lost'] ?? 0} results lost, ${counts['results refused'] ?? 0} refused`
  return `Seed ${seed}: ${minutes} min, ${store.deliveries.length} deliveries, ${arrivals.length} requests, ${lost}, ${(cpuMs / SECOND_MS).toFixed(1)} s of a processor`
}
