import type { Clock } from '../../core/clock.ts'
import type { EgressAgent, Target } from '../egress/index.ts'
import { type Asked, judgeWayOut, type WayOut } from './verdict.ts'

/** One answer is enough, so one origin is asked first, and the others only if it does not answer soon. */
const FIRST_MS = 800
/** A slow network must not look down: a probe has nearly as much time as a result may wait. */
export const INQUIRY_MS = 4_000

/** An origin that can show whether our network works. */
export interface ToAsk {
  /** Key of the origin; the host for targets that the operator named. */
  readonly name: string
  readonly target: Target
  /** The workspace of the receiver; `null`: the operator named it. */
  readonly workspaceIds: readonly number[] | null
}

type Probe = EgressAgent['probe']

/** Resolves to the result of one probe; never rejects. */
export function ask(probe: Probe, toAsk: ToAsk, timeoutMs: number): Promise<Asked> {
  const { name, target, workspaceIds } = toAsk
  return new Promise((resolve) => {
    probe(target, timeoutMs, (probed) => resolve({ ...probed, name, workspaceIds }))
  })
}

/** The result of an inquiry. */
export interface Finding {
  readonly wayOut: WayOut
  /** The results of the probes so far, when it ended. */
  readonly answers: readonly Asked[]
}

/** Probes one origin, and the others if it does not answer soon: within 4 s in total. */
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
      // Later answers have no effect: a promise resolves once.
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
