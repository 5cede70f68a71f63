import type { DialectName } from '../../support/workspaces.ts'
import type { Attempt, Delivery, HookEvidence, ManualSend } from '../evidence.ts'
import { holdsStill, mayHaveBeen, stayedOn } from './expectation.ts'

/** Each service's rules for attempts and its names for the states of a delivery. */
interface Policy {
  readonly statuses: readonly string[]
  readonly exhausted: string
  /** Whether a 410 ends a delivery at once. */
  readonly goneEnds: boolean
}

const POLICIES: Readonly<Record<DialectName, Policy>> = {
  content: {
    statuses: ['pending', 'delivered', 'failed', 'canceled'],
    exhausted: 'failed',
    goneEnds: true,
  },
  ads: { statuses: ['pending', 'delivered', 'dead', 'canceled'], exhausted: 'dead', goneEnds: false },
}

/**
 * Attempts of a full schedule, which a publish and a replay start; a redelivery and a test are one request.
 */
const FULL_SCHEDULE = 8

type Run = readonly Attempt[]

const startsRun = ({ trigger }: Attempt) => trigger !== 'schedule'
const SINGLE: readonly (string | undefined)[] = ['redeliver', 'test']
const allowedIn = (run: Run) => (SINGLE.includes(run[0]?.trigger) ? 1 : FULL_SCHEDULE)
const succeeded = ({ error }: Attempt) => error === null

function runsOf(attempts: readonly Attempt[]): Run[] {
  const runs: Attempt[][] = []
  for (const attempt of attempts) {
    if (runs.length === 0 || startsRun(attempt)) runs.push([attempt])
    else runs.at(-1)!.push(attempt)
  }
  return runs
}

const isUsedUp = (run: Run, policy: Policy) =>
  run.length >= allowedIn(run) || (policy.goneEnds && run.at(-1)?.statusCode === 410)

/** Impossible values in the log of one delivery: numbers, runs, final state. */
export function contradictionsInRuns(delivery: Delivery, hook: HookEvidence): string[] {
  const { attempts, status } = delivery
  const policy = POLICIES[hook.dialect]
  const found: string[] = []
  if (attempts.some(({ number }, i) => number !== i + 1)) found.push('has attempts whose numbers have gaps')
  if (!policy.statuses.includes(status)) found.push(`is ${status}, which is no state of this service`)
  for (const run of runsOf(attempts)) {
    const failures = run.slice(0, -1)
    if (run.length > allowedIn(run)) found.push(`has ${run.length} attempts in a run of ${allowedIn(run)}`)
    if (failures.some(succeeded)) found.push('was attempted again after a success')
    const goneAt = failures.findIndex(({ statusCode }) => policy.goneEnds && statusCode === 410)
    if (goneAt !== -1) found.push('was attempted again after a 410')
  }
  found.push(...contradictionsInState(delivery, hook, policy))
  return [...found, ...contradictionsInSends(delivery, hook)]
}

function contradictionsInState({ attempts, status }: Delivery, hook: HookEvidence, policy: Policy): string[] {
  const run = runsOf(attempts).at(-1) ?? []
  const last = run.at(-1)
  switch (status) {
    case 'pending':
      return holdsStill(hook) ? [] : ['is pending when all is calm']
    case 'delivered':
      return last !== undefined && succeeded(last) ? [] : ['is delivered without a successful last attempt']
    case 'canceled':
      return mayHaveBeen(hook, 'off', 'deleted') ? [] : ['is canceled, though its webhook was never off']
    case policy.exhausted:
      if (last === undefined || succeeded(last)) return [`is ${status} without a failed last attempt`]
      return isUsedUp(run, policy) ? [] : [`is ${status} with attempts left`]
    default:
      return []
  }
}

/** Compares the runs that people started with their requests. */
function contradictionsInSends({ id, attempts }: Delivery, hook: HookEvidence): string[] {
  const found: string[] = []
  for (const kind of ['redeliver', 'replay'] as const) {
    const runs = attempts.filter(({ trigger }) => trigger === kind).length
    const asked = hook.sends.filter((send) => isFor(send, kind, id))
    const inBulk = kind === 'replay' ? hook.sends.filter((send) => send.kind === 'bulk replay').length : 0
    if (runs > asked.length + inBulk) {
      found.push(`has ${runs} runs by ${kind}, but ${asked.length + inBulk} were asked for`)
    }
    const certain = asked.filter(({ begin }) => stayedOn(hook, begin)).length
    if (runs < certain) found.push(`has ${runs} runs by ${kind}, but ${certain} were accepted`)
  }
  return found
}

const isFor = (send: ManualSend, kind: ManualSend['kind'], delivery: string) =>
  send.kind === kind && send.delivery === delivery
