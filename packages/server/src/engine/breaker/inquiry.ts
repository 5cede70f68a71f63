import type { EgressAgent, Target } from '../egress/index.ts'
import type { Origin } from './knownOrigins.ts'
import { type Asked, judgeWayOut, type WayOut } from './verdict.ts'

/** One answer is enough, so one is asked first. */
const FIRST_MS = 800
const OTHERS_MS = 1_500

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

/** Asks one, and the others only if that one cannot be reached: within 2.3 s in all. */
export async function inquire(probe: Probe, [first, ...others]: readonly ToAsk[]): Promise<WayOut> {
  if (first === undefined) return 'unknown'
  const answer = await ask(probe, first, FIRST_MS)
  if (answer.fault === null) return 'open'
  const answers = await Promise.all(others.map((other) => ask(probe, other, OTHERS_MS)))
  return judgeWayOut([answer, ...answers])
}
