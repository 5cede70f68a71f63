import { isDeepStrictEqual } from 'node:util'
import type { LoggedDelivery, PublishedEvent } from '../accounts/account.ts'

/** An event that a receiver subscribes to, and its expected result. */
export interface ExpectedEvent extends PublishedEvent {
  readonly end: 'delivered' | 'failed'
  /** How many attempts must have failed before no retry was left; meaningless for a delivery that arrived at once. */
  readonly failedAttempts: number
  /** How it was sent again on request: after it had arrived, or after all attempts had failed. */
  readonly resent: 'redeliver' | 'replay' | null
}

/** A request as a receiver saw it. */
export interface SeenRequest {
  /** The event type in its body. */
  readonly eventId: string | null
  /** The value by which a receiver recognizes repeats. */
  readonly repeatKey: string | null
  readonly verified: boolean
  /** `null`: it was never answered. */
  readonly status: number | null
  readonly body: unknown
}

/** Everything known about one receiver: from the demo's own record, the receiver and the service's log. */
export interface Evidence {
  readonly receiver: string
  readonly expected: readonly ExpectedEvent[]
  readonly requests: readonly SeenRequest[]
  readonly log: readonly LoggedDelivery[]
  readonly state: string
  readonly expectedState: string
  /** The status of the answer to a forged copy of a good request; `null`: it could not be sent. */
  readonly forgeryStatus: number | null
}

export interface Tally {
  readonly receiver: string
  readonly meant: number
  readonly attempts: number
  readonly delivered: number
  readonly verified: number
  readonly duplicates: number
  readonly state: string
}

interface Problem {
  readonly receiver: string
  /** One sentence. */
  readonly text: string
}

export interface Verdict {
  /** Everything that is wrong; empty: all is well. */
  readonly problems: readonly Problem[]
  readonly tallies: readonly Tally[]
}

/** Judges the result of a run. It starts from the published events, so it also finds events that no receiver got. */
export function judge(evidence: readonly Evidence[]): Verdict {
  const problems = evidence.flatMap((one) => {
    const { receiver } = one
    return problemsOf(one).map((text) => ({ receiver, text }))
  })
  if (evidence.length === 0) problems.push({ receiver: 'No receiver', text: 'No receiver was started.' })
  return { problems, tallies: evidence.map(tallyOf) }
}

const isAccepted = ({ status }: SeenRequest) => status !== null && status >= 200 && status < 300

/** The event arrived as it was published, signed so that the receiver could verify it. */
function arrivals(event: ExpectedEvent, requests: readonly SeenRequest[]): SeenRequest[] {
  return requests.filter(
    (request) =>
      request.eventId === event.id &&
      request.verified &&
      isAccepted(request) &&
      isDeepStrictEqual(request.body, event.envelope),
  )
}

function tallyOf({ receiver, expected, requests, log, state }: Evidence): Tally {
  const accepted = requests.filter(isAccepted)
  return {
    receiver,
    meant: expected.length,
    attempts: log.reduce((sum, { attempts }) => sum + attempts.length, 0),
    delivered: new Set(accepted.map(({ eventId }) => eventId)).size,
    verified: expected.filter((event) => arrivals(event, requests).length > 0).length,
    duplicates: accepted.length - new Set(accepted.map(({ repeatKey }) => repeatKey)).size,
    state,
  }
}

function problemsOf(evidence: Evidence): string[] {
  const { expected, requests, log, state, expectedState, forgeryStatus } = evidence
  const known = new Set(expected.map(({ id }) => id))
  const problems = expected.flatMap((event) => [
    ...problemsOfReceiver(event, requests),
    ...problemsOfLog(event, requests, log),
  ])
  if (expected.length === 0) problems.push('It should have received at least one event, but received none.')
  const unverified = requests.filter(({ verified }) => !verified).length
  if (unverified > 0) problems.push(`It could not verify ${unverified} of ${requests.length} requests.`)
  const strange = requests.filter(({ eventId }) => eventId === null || !known.has(eventId)).length
  if (strange > 0) problems.push(`It received ${strange} requests for events that it is not subscribed to.`)
  const unmeant = log.filter(({ eventId }) => !known.has(eventId)).length
  if (unmeant > 0) problems.push(`The log has ${unmeant} deliveries of events that it is not subscribed to.`)
  if (state !== expectedState) problems.push(`Its webhook is ${state}, but should be ${expectedState}.`)
  if (forgeryStatus === null) problems.push('No forged request could be sent to it.')
  else if (forgeryStatus < 400 || forgeryStatus > 499) {
    problems.push(`It answered ${forgeryStatus} to a forged request, so its verification proves nothing.`)
  }
  return problems
}

function problemsOfReceiver(event: ExpectedEvent, requests: readonly SeenRequest[]): string[] {
  const own = requests.filter(({ eventId }) => eventId === event.id)
  const accepted = own.filter(isAccepted).length
  const arrived = arrivals(event, requests).length
  const keys = new Set(own.map(({ repeatKey }) => repeatKey))
  const problems: string[] = []
  if (event.end === 'delivered' && arrived === 0) {
    problems.push(
      accepted > 0
        ? `${event.type} arrived, but its contents or signature were wrong.`
        : `${event.type} did not arrive.`,
    )
  }
  if (event.end === 'failed' && accepted > 0) problems.push(`${event.type} arrived, but should not have.`)
  if (accepted !== arrived && arrived > 0) problems.push(`${event.type} arrived with different contents.`)
  if (event.resent === 'redeliver' && arrived < 2) {
    problems.push(`${event.type} was sent again, but did not arrive again.`)
  }
  if (keys.size > 1 || keys.has(null)) problems.push(`${event.type} arrived with ${keys.size} different ids.`)
  return problems
}

function problemsOfLog(
  event: ExpectedEvent,
  requests: readonly SeenRequest[],
  log: readonly LoggedDelivery[],
): string[] {
  const [delivery, ...others] = log.filter(({ eventId }) => eventId === event.id)
  if (delivery === undefined) return [`${event.type} is not in the service's log.`]
  if (others.length > 0) return [`${event.type} is in the service's log ${others.length + 1} times.`]
  const problems: string[] = []
  const isDelivered = delivery.status === 'delivered'
  if (isDelivered !== (event.end === 'delivered') || delivery.status === 'pending') {
    problems.push(`${event.type} is ${delivery.status} in the log, but should be ${event.end}.`)
  }
  problems.push(...problemsOfAttempts(event, delivery))
  const answers = requests.filter(({ eventId }) => eventId === event.id).map(({ status }) => status)
  if (!agree(delivery, answers)) {
    const seen = answers.map((status) => status ?? 'no response').join(', ') || 'no request'
    problems.push(`${event.type}: the log differs from the responses of the receiver (${seen}).`)
  }
  return problems
}

function problemsOfAttempts(event: ExpectedEvent, delivery: LoggedDelivery): string[] {
  const { attempts } = delivery
  const problems: string[] = []
  const firstByHand = attempts.findIndex(({ trigger }) => trigger !== 'schedule')
  const beforeHand = firstByHand === -1 ? attempts.length : firstByHand
  const hasFailed = event.end === 'failed' || event.resent === 'replay'
  if (hasFailed && beforeHand !== event.failedAttempts) {
    const text = `${beforeHand} attempts before it failed; expected ${event.failedAttempts}.`
    problems.push(`${event.type} had ${text}`)
  }
  const byHand = attempts.filter(({ trigger }) => trigger !== 'schedule').map(({ trigger }) => trigger)
  if (byHand.join() !== (event.resent ?? '')) {
    const asked = event.resent ?? 'nothing'
    problems.push(
      `${event.type}: attempts started by hand were ${byHand.join(', ') || 'none'}, expected ${asked}.`,
    )
  }
  if (sentAfterSuccess(delivery))
    problems.push(`${event.type} was sent again after it had arrived, without a redelivery.`)
  return problems
}

/** At-least-once delivery allows a repeat when the service cannot know of a success. Here the log shows that it knew. */
function sentAfterSuccess({ attempts }: LoggedDelivery): boolean {
  return attempts.some(
    ({ trigger }, index) => trigger === 'schedule' && index > 0 && attempts[index - 1]!.errorCode === null,
  )
}

/**
 * Every status in the log must be one that the receiver sent, in the same order, and every request at the receiver must be an
 * attempt in the log. An attempt without a status may or may not have reached the receiver: it was aborted.
 */
function agree({ attempts }: LoggedDelivery, answers: readonly (number | null)[]): boolean {
  const reached = attempts.filter(({ statusCode }) => statusCode !== null).length
  if (answers.length < reached || answers.length > attempts.length) return false
  let next = 0
  for (const { statusCode } of attempts) {
    if (statusCode === null) continue
    while (next < answers.length && answers[next] !== statusCode) next++
    if (next === answers.length) return false
    next++
  }
  return true
}
