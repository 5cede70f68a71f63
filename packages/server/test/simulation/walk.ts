import type { StoreCall } from './nodes/fates.ts'
import { answeringLate, COMMIT_MS, type Fate, failing, killing, losingAnswer } from './nodes/fates.ts'
import { type OneFault, peopleOfStory, shortStory } from './plans/shortStory.ts'
import { type Run, runInMemory } from './run.ts'

/** Possible faults of one call of the store, or one request, of the story's first process. */
export const STEPS = {
  'killed before the call': (n: number) => atCall(n, killing('before')),
  'killed after the call': (n: number) => atCall(n, killing('after')),
  'call fails': (n: number) => atCall(n, failing()),
  'answer lost': (n: number) => atCall(n, losingAnswer(COMMIT_MS, 50)),
  'effect after the failure': (n: number) => atCall(n, losingAnswer(1_500, 50)),
  'answer beyond the lease': (n: number) => atCall(n, answeringLate(COMMIT_MS, 9_000)),
  'killed by the request': (n: number) => atRequest(n, 'request'),
  'killed by the answer': (n: number) => atRequest(n, 'answer'),
} satisfies Record<string, (n: number) => OneFault>

export type StepKind = keyof typeof STEPS

const isOfRequest = (kind: StepKind) => kind === 'killed by the request' || kind === 'killed by the answer'

function atCall(n: number, fate: Fate): OneFault {
  return { fateOf: ({ number }: StoreCall) => (number === n ? fate : null) }
}

function atRequest(n: number, moment: 'request' | 'answer'): OneFault {
  return { killsAt: ({ number }) => (number === n ? moment : null) }
}

/** Faults start once everything is set up, */
const FROM_MS = 500
/** and are made up for by the end: leases expire, others take over, failed calls are retried. */
const UNTIL_MS = 27_000
/** Nodes look for due deliveries once a second. */
const OVERDUE_MS = 1_200

/** Runs the story with one fault; `null`: without any. */
export function tellStory(fault: OneFault | null): Promise<Run> {
  return runInMemory(shortStory(fault ?? {}), {
    overdueMs: OVERDUE_MS,
    people: { everyMs: 1_000, over: peopleOfStory },
  })
}

/** Indexes of the calls, or requests, of the first process where a kind of fault is possible. */
export async function stepsOf(kind: StepKind): Promise<readonly number[]> {
  counted ??= countSteps()
  const { calls, requests } = await counted
  return isOfRequest(kind) ? requests : calls
}

interface Steps {
  readonly calls: readonly number[]
  readonly requests: readonly number[]
}

let counted: Promise<Steps> | null = null

async function countSteps(): Promise<Steps> {
  const [calls, requests]: [number[], number[]] = [[], []]
  const noteIn = (steps: number[], at: number, number: number) => {
    if (at >= FROM_MS && at < UNTIL_MS && !steps.includes(number)) steps.push(number)
    return null
  }
  const run = await tellStory({
    // Polls for changes do not count as calls.
    fateOf: ({ at, number }) => (number < 0 ? null : noteIn(calls, at, number)),
    killsAt: ({ at, number }) => noteIn(requests, at, number),
  })
  if (run.faults.length > 0) throw new Error(`the story goes wrong: ${run.faults[0]}`)
  return { calls, requests }
}
