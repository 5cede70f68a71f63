import { describe, expect, it } from 'vitest'
import type { Attempt, Delivery } from '../src/model/delivery.ts'
import { extend, isBeyond, MAX_ROWS, receive, release, rowsOf } from '../src/model/liveRows.ts'

const START_MS = Date.UTC(2026, 0, 1)
const attempt = (number: number): Attempt => ({
  number,
  trigger: 'schedule',
  startedAt: new Date(START_MS).toISOString(),
  durationMs: 1,
  statusCode: 200,
  error: null,
  cause: null,
  response: null,
  request: null,
})

/** The service tells no more attempts of a delivery than this. */
const ATTEMPTS_TOLD = 100

/** @param seconds after the start @param attempts how many were made */
function delivery(id: string, seconds: number, attempts = 0): Delivery {
  return {
    id,
    webhookId: 'wh',
    eventId: 'evt',
    eventType: 'a.b',
    status: attempts === 0 ? 'pending' : 'delivered',
    cancelReason: null,
    waitingFor: null,
    nextAttemptAt: null,
    createdAt: new Date(START_MS + seconds * 1000).toISOString(),
    finishedAt: null,
    attempts: Array.from({ length: attempts }, (_, place) => attempt(place + 1)).slice(-ATTEMPTS_TOLD),
    requestBody: null,
  }
}

const all = () => true
const free = { held: false, belongs: all }
const held = { held: true, belongs: all }
const idsOf = (rows: readonly Delivery[]) => rows.map(({ id }) => id).join('')

describe('receive', () => {
  const list = rowsOf([delivery('c', 3), delivery('a', 1)])

  it('puts new rows in their place by time, those of one time in the order in which they came', () => {
    const after = receive(list, [delivery('d', 3), delivery('b', 2), delivery('e', 5)], free)
    expect(idsOf(after.rows)).toBe('edcba')
    expect(after.waiting).toEqual([])
  })

  it('keeps new rows waiting while the page is held, and brings them once it is not', () => {
    const after = receive(receive(list, [delivery('d', 4)], held), [delivery('e', 5)], held)
    expect(after.rows).toBe(list.rows)
    expect(idsOf(after.waiting)).toBe('ed')
    expect(idsOf(receive(after, [], free).rows)).toBe('edca')
    expect(release(after).waiting).toEqual([])
  })

  it('changes a row where it is, also while held, and leaves all others the same objects', () => {
    const after = receive(list, [delivery('a', 1, 1)], held)
    expect(idsOf(after.rows)).toBe('ca')
    expect(after.rows[1]!.status).toBe('delivered')
    expect(after.rows[0]).toBe(list.rows[0])
  })

  it('is not taken back by an answer that was overtaken', () => {
    const done = rowsOf([delivery('a', 1, 2)])
    expect(receive(done, [delivery('a', 1, 1)], free).rows).toBe(done.rows)
  })

  it('is not taken back either where the oldest attempts are left out', () => {
    const sentAgain: Delivery = { ...delivery('a', 1, ATTEMPTS_TOLD + 1), status: 'pending' }
    const done = rowsOf([delivery('a', 1, ATTEMPTS_TOLD + 2)])
    expect(receive(done, [sentAgain], free).rows).toBe(done.rows)
  })

  it('changes a row that was sent again and ended as before, also where the oldest attempts are left out', () => {
    for (const made of [1, ATTEMPTS_TOLD, ATTEMPTS_TOLD + 1]) {
      const before: Delivery = { ...delivery('a', 1, made), status: 'dead' }
      const after: Delivery = { ...delivery('a', 1, made + 1), status: 'dead' }
      expect(receive(rowsOf([before]), [after], free).rows).toEqual([after])
    }
  })

  it('changes what waits as well, and takes the latest word on a delivery', () => {
    const waiting = receive(list, [delivery('d', 4)], held)
    const after = receive(waiting, [delivery('d', 4, 1), delivery('d', 4, 2)], held)
    expect(after.waiting.map(({ attempts }) => attempts.length)).toEqual([2])
  })

  it('leaves out what does not belong to the page', () => {
    const belongs = ({ id }: Delivery) => id !== 'z'
    const after = receive(list, [delivery('z', 0), delivery('d', 4)], { held: false, belongs })
    expect(idsOf(after.rows)).toBe('dca')
  })

  it('is the very same list when nothing came', () => {
    expect(receive(list, [], free)).toBe(list)
  })

  it('holds no more rows than it may, and says when it let some go', () => {
    let flooded = list
    for (let second = 0; second < 20; second++) {
      const batch = Array.from({ length: 50 }, (_, place) => delivery(`${second}.${place}`, 10 + second))
      flooded = receive(flooded, batch, free)
    }
    expect(flooded.rows).toHaveLength(MAX_ROWS)
    expect(flooded.trimmed).toBe(true)
    const waiting = Array.from({ length: 500 }, (_, place) => delivery(`w${place}`, 100))
    expect(receive(flooded, waiting, held).waiting).toHaveLength(MAX_ROWS)
  })
})

describe('extend', () => {
  it('adds what was read besides and keeps what has come meanwhile', () => {
    const live = receive(
      receive(rowsOf([delivery('c', 3)]), [delivery('d', 4)], free),
      [delivery('e', 5)],
      held,
    )
    const after = extend(live, [delivery('c', 3), delivery('b', 2)])
    expect(idsOf(after.rows)).toBe('dcb')
    expect(idsOf(after.waiting)).toBe('e')
  })

  it('takes in what waits and was read again, as it is known last', () => {
    const tried = delivery('d', 4, 1)
    const live = receive(rowsOf([delivery('c', 3)]), [tried, delivery('e', 5)], held)
    const after = extend(live, [delivery('d', 4), delivery('c', 3)])
    expect(idsOf(after.rows)).toBe('dc')
    expect(after.rows[0]).toBe(tried)
    expect(idsOf(after.waiting)).toBe('e')
    expect(idsOf(release(after).rows)).toBe('edc')
  })
})

describe('isBeyond', () => {
  it('sees a gap where the newest of many join nothing that is known', () => {
    const known = [delivery('b', 2), delivery('a', 1)]
    expect(isBeyond([delivery('z', 9), delivery('y', 8)], known)).toBe(true)
    expect(isBeyond([delivery('c', 3), delivery('b', 2)], known)).toBe(false)
    expect(isBeyond([], known)).toBe(false)
  })
})
