import type { VerbName } from '../../../src/storage/areas.ts'
import type { ChangeVerb } from '../../../src/storage/storage.ts'

export type Verb = VerbName | 'onWebhooksChanged'

/** What becomes of one call of the store. Milliseconds from the call on. */
export interface Fate {
  /** When it takes effect; `null`: it never does. */
  readonly effectMs: number | null
  /** When its caller hears of it. */
  readonly answerMs: number
  /** Whether the caller hears the result, or that the way to the store broke; `nothing`: the caller is killed before. */
  readonly answers: 'result' | 'error' | 'nothing'
  /** Whether it takes effect twice: a driver repeated it without telling. */
  readonly twice: boolean
  /** For people who read a trace; empty: nothing unusual. */
  readonly text: string
}

/** A call of the store, as faults are chosen for it. */
export interface StoreCall {
  readonly process: number
  readonly node: number
  readonly verb: Verb
  /** What a `change` does. */
  readonly change: ChangeVerb | null
  /** Position among the calls of its process, from 0 on. */
  readonly number: number
  /** Milliseconds from the start of the simulation. */
  readonly at: number
}

/** What a commit takes, in simulated time. */
export const COMMIT_MS = 3

export const NORMAL: Fate = {
  effectMs: COMMIT_MS,
  answerMs: COMMIT_MS,
  answers: 'result',
  twice: false,
  text: '',
}

/** It fails before anything is done. */
export function failing(answerMs = COMMIT_MS): Fate {
  return { ...NORMAL, effectMs: null, answerMs, answers: 'error', text: 'fails' }
}

/** It takes effect, and its caller hears that the connection broke; perhaps even before. */
export function losingAnswer(effectMs: number, answerMs: number): Fate {
  const text =
    effectMs > answerMs ? `takes effect ${effectMs - answerMs} ms after its failure` : 'loses its answer'
  return { ...NORMAL, effectMs, answerMs, answers: 'error', text }
}

/** It takes effect, and the answer takes its time. */
export function answeringLate(effectMs: number, answerMs: number): Fate {
  return { ...NORMAL, effectMs, answerMs, text: `is answered after ${answerMs} ms` }
}

/** It takes effect twice, and its caller hears of the second time. */
export const REPEATED: Fate = { ...NORMAL, twice: true, text: 'takes effect twice' }

/** Its caller is killed, before it took effect or after. */
export function killing(when: 'before' | 'after'): Fate {
  const effectMs = when === 'before' ? null : COMMIT_MS
  return { ...NORMAL, effectMs, answers: 'nothing', text: `kills its caller, ${when} it takes effect` }
}
