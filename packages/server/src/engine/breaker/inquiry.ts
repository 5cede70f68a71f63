import type { Clock } from '../../core/clock.ts'
import type { EgressAgent, Target } from '../egress/index.ts'
import { type Asked, judgeWayOut, type WayOut } from './verdict.ts'

/** One answer is enough, so one is asked first, and the others only if that takes longer. */
const FIRST_MS = 800
/** A way that is slow must not look closed: a probe has nearly as much time as a result may wait. */
export const INQUIRY_MS = 4_000

/** Whom to ask whether our way out is open. */
export interface ToAsk {
  /** Of the origin; the host of what the operator named. */
  readonly name: string
  readonly target: Target
  /** Whose receiver it is; `null`: it is what the operator named. */
  readonly workspaceIds: readonly number[] | null
}

type Probe = EgressAgent['probe']

/** Resolves to what came of one probe; never rejects. */
export function ask(probe: Probe, toAsk: ToAsk, timeoutMs: number): Promise<Asked> {
  const { name, target, workspaceIds } = toAsk
  return new Promise((resolve) => {
    probe(target, timeoutMs, (probed) => resolve({ ...probed, name, workspaceIds }))
  })
}

/** What came of an inquiry. */
export interface Finding {
  readonly wayOut: WayOut
  /** What is known of those that were asked, when it ended. */
  readonly answers: readonly Asked[]
}

/** Asks one, and the others once that one does not answer soon: within 4 s in all. */
export function inquire(probe: Probe, clock: Clock, toAsk: readonly ToAsk[]): Promise<Finding> {
  const [first, ...others] = toAsk
  if (first === undefined) return Promise.resolve({ wayOut: 'unknown', answers: [] })
  const beganAt = clock.monotonic()
  const answers: Asked[] = []
  return new Promise((resolve) => {
    let othersAsked = false
    const take = (asked: Asked): void => {
      answers.push(asked)
      if (asked.fault !== null) askOthers()
      // Later answers change nothing: a promise is resolved once.
      if (asked.fault === null || answers.length === toAsk.length) {
        patience.cancel()
        resolve({ wayOut: judgeWayOut(answers), answers: [...answers] })
      }
    }
    const askOthers = (): void => {
      if (othersAsked) return
      othersAsked = true
      const leftMs = INQUIRY_MS - (clock.monotonic() - beganAt)
      for (const other of others) void ask(probe, other, leftMs).then(take)
    }
    const patience = clock.after(FIRST_MS, askOthers)
    void ask(probe, first, INQUIRY_MS).then(take)
  })
}
