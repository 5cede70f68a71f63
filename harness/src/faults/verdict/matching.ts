import type { SeenRequest } from '../../receivers/scriptedReceiver.ts'
import type { Attempt, Loss } from '../evidence.ts'

/** How the attempts in the log and the requests that came go together. */
export interface Matching {
  /** Attempts of which the log has a status that no request was answered with. */
  readonly unseen: readonly Attempt[]
  /** Requests that no attempt in the log stands for. */
  readonly unrecorded: readonly SeenRequest[]
}

/** When the attempt was over: the sender may wait for a body long after the status. */
export const endOf = ({ closedAt }: SeenRequest) => closedAt ?? Number.POSITIVE_INFINITY

/** Whether the attempt behind a request may not have been recorded because of `loss`. */
export const excuses = (loss: Loss, request: SeenRequest) =>
  request.seenAt <= loss.to && endOf(request) >= loss.from

/** Whether an attempt that ended like this may never have reached the receiver. */
const mayBeUnseen = ({ statusCode }: Attempt) => statusCode === null

function goTogether(attempt: Attempt, request: SeenRequest, honest: boolean): boolean {
  if (attempt.statusCode !== null) return attempt.statusCode === request.status
  // Whatever was answered, it may have come too late.
  if (attempt.error === 'timeout') return true
  return !honest && (attempt.error === 'reset' || attempt.error === 'protocol_error')
}

/**
 * What is left over costs; the cheapest way to put both in line is the one that is taken for true. Of several that
 * explain everything, it is one with as little as possible in flight at a fault, since only so much can be.
 */
const COST = { unseen: 1_000_000, inexcusable: 1_000, inFlight: 2, unwritten: 1 }

/**
 * Puts the attempts of one delivery and its requests, both in the order of time, in line.
 * @param honest whether the receiver answers every request as it says it does
 */
export function matchAttempts(
  attempts: readonly Attempt[],
  requests: readonly SeenRequest[],
  losses: readonly Loss[],
  honest: boolean,
): Matching {
  let rest: Alignment = { cost: 0, unseen: null, unrecorded: null }
  // Of the requests from each on, with the attempts that were looked at so far; begun at the end of both.
  let row: Alignment[] = [rest]
  for (const request of requests.toReversed()) {
    rest = withoutAttempt(rest, request, losses)
    row.unshift(rest)
  }
  for (const attempt of attempts.toReversed()) {
    const next: Alignment[] = [withoutRequest(row.at(-1)!, attempt)]
    for (let r = requests.length - 1; r >= 0; r--) {
      const request = requests[r]!
      const ways = [withoutRequest(row[r]!, attempt), withoutAttempt(next[0]!, request, losses)]
      if (goTogether(attempt, request, honest)) ways.push(row[r + 1]!)
      next.unshift(ways.reduce((best, way) => (way.cost <= best.cost ? way : best)))
    }
    row = next
  }
  return { unseen: listOf(row[0]!.unseen), unrecorded: listOf(row[0]!.unrecorded) }
}

interface Linked<T> {
  readonly one: T
  readonly rest: Linked<T> | null
}

interface Alignment {
  readonly cost: number
  readonly unseen: Linked<Attempt> | null
  readonly unrecorded: Linked<SeenRequest> | null
}

function withoutRequest(rest: Alignment, attempt: Attempt): Alignment {
  if (mayBeUnseen(attempt)) return rest
  return { ...rest, cost: rest.cost + COST.unseen, unseen: { one: attempt, rest: rest.unseen } }
}

function withoutAttempt(rest: Alignment, request: SeenRequest, losses: readonly Loss[]): Alignment {
  const costs = losses
    .filter((loss) => excuses(loss, request))
    .map(({ at }) => (endOf(request) > at ? COST.inFlight : COST.unwritten))
  return {
    ...rest,
    cost: rest.cost + Math.min(COST.inexcusable, ...costs),
    unrecorded: { one: request, rest: rest.unrecorded },
  }
}

function listOf<T>(linked: Linked<T> | null): T[] {
  const list: T[] = []
  for (let at = linked; at !== null; at = at.rest) list.push(at.one)
  return list
}
