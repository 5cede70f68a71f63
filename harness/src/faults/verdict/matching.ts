import type { SeenRequest } from '../../receivers/scriptedReceiver.ts'
import type { Attempt, Loss } from '../evidence.ts'

/** A request without an attempt in the log. */
export interface Unrecorded {
  readonly request: SeenRequest
  /** The cause of its loss; `null` when nothing explains it. */
  readonly loss: Loss | null
}

/** The assignment of attempts in the log to received requests. */
export interface Matching {
  /** Attempts with a status in the log that no request was answered with. */
  readonly unseen: readonly Attempt[]
  readonly unrecorded: readonly Unrecorded[]
}

/** When the attempt was over: the sender may wait for a body long after the status. */
export const endOf = ({ closedAt }: SeenRequest) => closedAt ?? Number.POSITIVE_INFINITY

/** Whether the attempt behind a request may not have been recorded because of `loss`. */
export const excuses = (loss: Loss, request: SeenRequest) =>
  request.seenAt <= loss.to && endOf(request) >= loss.from

/** Whether an attempt with this result may never have reached the receiver. */
const mayBeUnseen = ({ statusCode }: Attempt) => statusCode === null

function goTogether(attempt: Attempt, request: SeenRequest, honest: boolean): boolean {
  if (attempt.statusCode !== null) return attempt.statusCode === request.status
  // Any answer may have come too late.
  if (attempt.error === 'timeout') return true
  return !honest && WITHOUT_ANSWER.includes(attempt.error)
}

/** Possible results of a request without an answer, or of the connection for sending it again. */
const WITHOUT_ANSWER: readonly (string | null)[] = [
  'reset',
  'protocol_error',
  'connect_failed',
  'connect_timeout',
]

/**
 * How long after a request on a reused connection the same attempt may send it again, including the new
 * connect.
 */
const SENT_AGAIN_WITHIN_MS = 5_000

const mayBeSentAgain = (request: SeenRequest, next: SeenRequest) =>
  next.seenAt - request.seenAt <= SENT_AGAIN_WITHIN_MS

/**
 * Every leftover has a cost, and the cheapest alignment is taken as the true one. Among those that explain
 * everything, the one with the fewest requests in flight at a fault wins, since that number is limited.
 */
const COST = { unseen: 1_000_000, inexcusable: 1_000, inFlight: 2, unwritten: 1, sentAgain: 1 }

/**
 * Aligns the attempts of one delivery with its requests, both in order of time. A loss costs a delivery at
 * most one attempt: a node makes one at a time, and records it before the next. An attempt may be two
 * requests, if the connection of the first could be reset without an answer.
 * @param honest whether the receiver always sends the answer that it records
 */
export function matchAttempts(
  attempts: readonly Attempt[],
  requests: readonly SeenRequest[],
  losses: readonly Loss[],
  honest: boolean,
): Matching {
  const possible = losses.filter((loss) => requests.some((request) => excuses(loss, request)))
  const known = new Map<number, Alignment>()

  /** Aligns the attempts and requests from these on. @param used a bit for each loss already assigned */
  function align(a: number, r: number, used: number): Alignment {
    const key = (a * (requests.length + 1) + r) * 2 ** possible.length + used
    const before = known.get(key)
    if (before !== undefined) return before
    const [attempt, request, next] = [attempts[a], requests[r], requests[r + 1]]
    const ways: Alignment[] = []
    if (attempt !== undefined) ways.push(withoutRequest(align(a + 1, r, used), attempt))
    if (request !== undefined) {
      ways.push(withoutAttempt(align(a, r + 1, used), request, null))
      // The second request of the same attempt, if one is possible.
      const second = next !== undefined && !honest && mayBeSentAgain(request, next) ? next : null
      possible.forEach((loss, i) => {
        const isFree = Math.floor(used / 2 ** i) % 2 === 0
        if (isFree && excuses(loss, request))
          ways.push(withoutAttempt(align(a, r + 1, used + 2 ** i), request, loss))
        if (isFree && second !== null && excuses(loss, second))
          ways.push(sentAgain(withoutAttempt(align(a, r + 2, used + 2 ** i), second, loss)))
      })
      if (attempt !== undefined && goTogether(attempt, request, honest)) ways.push(align(a + 1, r + 1, used))
      if (attempt !== undefined && second !== null && goTogether(attempt, second, honest))
        ways.push(sentAgain(align(a + 1, r + 2, used)))
    }
    const best = ways.reduce((one, other) => (other.cost <= one.cost ? other : one), ways[0] ?? NOTHING)
    known.set(key, best)
    return best
  }

  const { unseen, unrecorded } = align(0, 0, 0)
  return { unseen: listOf(unseen), unrecorded: listOf(unrecorded) }
}

interface Linked<T> {
  readonly one: T
  readonly rest: Linked<T> | null
}

interface Alignment {
  readonly cost: number
  readonly unseen: Linked<Attempt> | null
  readonly unrecorded: Linked<Unrecorded> | null
}

const NOTHING: Alignment = { cost: 0, unseen: null, unrecorded: null }

function withoutRequest(rest: Alignment, attempt: Attempt): Alignment {
  if (mayBeUnseen(attempt)) return rest
  return { ...rest, cost: rest.cost + COST.unseen, unseen: { one: attempt, rest: rest.unseen } }
}

function withoutAttempt(rest: Alignment, request: SeenRequest, loss: Loss | null): Alignment {
  const cost = loss === null ? COST.inexcusable : endOf(request) > loss.at ? COST.inFlight : COST.unwritten
  return { ...rest, cost: rest.cost + cost, unrecorded: { one: { request, loss }, rest: rest.unrecorded } }
}

const sentAgain = (rest: Alignment): Alignment => ({ ...rest, cost: rest.cost + COST.sentAgain })

function listOf<T>(linked: Linked<T> | null): T[] {
  const list: T[] = []
  for (let at = linked; at !== null; at = at.rest) list.push(at.one)
  return list
}
