import type { Fault } from '../../core/cause.ts'
import type { EgressAgent, Target } from '../egress/index.ts'
import type { Origin } from './knownOrigins.ts'
import { type Asked, judgeWayOut, type WayOut } from './verdict.ts'

/** One answer is enough, so one is asked first. */
const FIRST_MS = 800
const OTHERS_MS = 1_300

/** Whom to ask whether our way out is open. */
export interface ToAsk {
  readonly target: Target
  /** Whose receiver it is; `null`: it is what the operator named. */
  readonly workspaceId: number | null
}

export const receiverToAsk = ({ target, workspaceId }: Origin): ToAsk => ({ target, workspaceId })

type Probe = EgressAgent['probe']

/** Resolves to what came of one probe; never rejects. */
export function ask(probe: Probe, { target, workspaceId }: ToAsk, timeoutMs: number): Promise<Asked> {
  return new Promise((resolve) => {
    probe(target, timeoutMs, (probed) => resolve({ ...probed, workspaceId }))
  })
}

/** What came of an inquiry. */
export interface Finding {
  readonly wayOut: WayOut
  /** What was seen of those that could not be reached. */
  readonly faults: readonly Fault[]
}

/** Asks one, and the others only if that one cannot be reached: within 2.1 s in all. */
export async function inquire(probe: Probe, [first, ...others]: readonly ToAsk[]): Promise<Finding> {
  if (first === undefined) return { wayOut: 'unknown', faults: [] }
  const answer = await ask(probe, first, FIRST_MS)
  if (answer.fault === null) return { wayOut: 'open', faults: [] }
  const answers = [answer, ...(await Promise.all(others.map((other) => ask(probe, other, OTHERS_MS))))]
  return { wayOut: judgeWayOut(answers), faults: answers.flatMap(({ fault }) => fault ?? []) }
}
