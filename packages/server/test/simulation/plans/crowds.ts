import { MINUTE_MS } from '../../../src/core/duration.ts'
import { type Answer, answer, type RequestSeen } from '../receivers/receivers.ts'
import type { Run } from '../run.ts'
import type { Draws } from './draws.ts'
import type { Plan, PlannedWorkspace, Publication } from './plan.ts'

/** Workspaces that behave alike. */
export interface Crowd {
  readonly dialect: PlannedWorkspace['dialect']
  readonly workspaces: number
  readonly webhooksEach: number
  readonly answerTo: (request: RequestSeen) => Answer
  /** @returns the publications of a workspace in it; `at` in milliseconds from the start */
  readonly publish: (workspace: number) => readonly { readonly at: number; readonly events: number }[]
}

export interface PlanOfCrowds extends Plan {
  /** Numbers of the receivers of each crowd: the first one, and the one after the last. */
  readonly receivers: readonly (readonly [first: number, end: number])[]
}

export function planOfCrowds(draws: Draws, crowds: readonly Crowd[], lastsMs: number): PlanOfCrowds {
  const workspaces: PlannedWorkspace[] = []
  const publications: Publication[] = []
  const receivers: (readonly [number, number])[] = []
  const crowdOf: Crowd[] = []
  for (const crowd of crowds) {
    const first = crowdOf.length
    for (let i = 0; i < crowd.workspaces; i++) {
      const workspace = workspaces.length
      const webhooks = Array.from({ length: crowd.webhooksEach }, () => [])
      workspaces.push({ dialect: crowd.dialect, webhooks })
      crowdOf.push(...webhooks.map(() => crowd))
      for (const { at, events } of crowd.publish(workspace))
        publications.push({ at, events, workspace, type: 'something.happened' })
    }
    receivers.push([first, crowdOf.length])
  }
  publications.sort((a, b) => a.at - b.at)
  const answerTo = (request: RequestSeen) => crowdOf[request.receiver]!.answerTo(request)
  return { draws, workspaces, publications, receivers, answerTo, lastsMs }
}

/** A healthy receiver: answers within 20 to 300 ms. */
export function promptly(draws: Draws): Crowd['answerTo'] {
  return ({ receiver, event, at }) => answer(204, draws.between(20, 300, 60, receiver, event, at))
}

/** One event in each minute from `from` to `to`, at a random moment of it. */
export function everyMinute(draws: Draws, from: number, to: number): Crowd['publish'] {
  return (workspace) =>
    Array.from({ length: (to - from) / MINUTE_MS }, (_, minute) => ({
      at: from + minute * MINUTE_MS + draws.between(0, MINUTE_MS - 1, 61, workspace, minute),
      events: 1,
    }))
}

/** The longest time that any delivery to these receivers due from `from` on waited for its attempt, in ms. */
export function longestWait(run: Run, [first, end]: readonly [number, number], from: number): number {
  let longest = 0
  for (const { receiver, dueAt, lateMs } of run.lateness)
    if (receiver >= first && receiver < end && dueAt - run.startedAt >= from)
      longest = Math.max(longest, lateMs)
  return longest
}
