import type { CallName } from '../../../src/storage/callGroups.ts'
import type { ChangeName } from '../../../src/storage/storage.ts'

export type LinkCall = CallName | 'onWebhooksChanged'

/** The fate of one call of the store. Milliseconds from the call on. */
export interface Fate {
  /** When it takes effect; `null`: it never does. */
  readonly effectMs: number | null
  /** When its caller gets the answer. */
  readonly answerMs: number
  /** Whether the caller gets the result, or a connection error; `nothing`: the caller is killed before. */
  readonly answers: 'result' | 'error' | 'nothing'
  /** Whether it takes effect twice: a driver repeated it silently. */
  readonly twice: boolean
  /** For readers of a trace; empty: nothing unusual. */
  readonly text: string
}

/** A call of the store, as an input for choosing faults. */
export interface StoreCall {
  readonly process: number
  readonly node: number
  readonly call: LinkCall
  /** The kind of a `change`. */
  readonly change: ChangeName | null
  /** Index among the calls of its process, from 0 on. */
  readonly number: number
  /** Milliseconds from the start of the simulation. */
  readonly at: number
}

/** Simulated duration of a commit. */
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

/** It takes effect, and its caller gets a connection error, perhaps even before. */
export function losingAnswer(effectMs: number, answerMs: number): Fate {
  const text =
    effectMs > answerMs ? `takes effect ${effectMs - answerMs} ms after its failure` : 'loses its answer'
  return { ...NORMAL, effectMs, answerMs, answers: 'error', text }
}

/** It takes effect, and the answer is delayed. */
export function answeringLate(effectMs: number, answerMs: number): Fate {
  return { ...NORMAL, effectMs, answerMs, text: `is answered after ${answerMs} ms` }
}

/** It takes effect twice, and its caller gets the second result. */
export const REPEATED: Fate = { ...NORMAL, twice: true, text: 'takes effect twice' }

/** Its caller is killed, before or after it took effect. */
export function killing(when: 'before' | 'after'): Fate {
  const effectMs = when === 'before' ? null : COMMIT_MS
  return { ...NORMAL, effectMs, answers: 'nothing', text: `kills its caller, ${when} it takes effect` }
}
