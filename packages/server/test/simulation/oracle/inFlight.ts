import type { Arrival } from '../receivers/receivers.ts'

/**
 * The most requests in flight at once, in total and to any one receiver. Those that never ended still count.
 */
export function mostInFlight(arrivals: readonly Arrival[]): {
  readonly inAll: number
  readonly toOne: number
} {
  const moves = arrivals.flatMap(({ at, endedAt, receiver }) => [
    { at, change: 1, receiver },
    { at: endedAt ?? Number.POSITIVE_INFINITY, change: -1, receiver },
  ])
  // An end makes room for a start in the same millisecond.
  moves.sort((a, b) => a.at - b.at || a.change - b.change)
  const current = new Map<number, number>()
  let inAll = 0
  const most = { inAll: 0, toOne: 0 }
  for (const { change, receiver } of moves) {
    const toOne = (current.get(receiver) ?? 0) + change
    current.set(receiver, toOne)
    inAll += change
    most.inAll = Math.max(most.inAll, inAll)
    most.toOne = Math.max(most.toOne, toOne)
  }
  return most
}
