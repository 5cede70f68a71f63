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

/** The service returns at most this many attempts of a delivery. */
const ATTEMPTS_TOLD = 100

/** @param seconds after the start @param attempts number of attempts made */
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

  it('sorts new rows by time, and those with the same time by arrival', () => {
    const after = receive(list, [delivery('d', 3), delivery('b', 2), delivery('e', 5)], free)
    expect(idsOf(after.rows)).toBe('edcba')
    expect(after.waiting).toEqual([])
  })

  it('holds new rows back while the page is held, and adds them afterwards', () => {
    const after = receive(receive(list, [delivery('d', 4)], held), [delivery('e', 5)], held)
    expect(after.rows).toBe(list.rows)
    expect(idsOf(after.waiting)).toBe('ed')
    expect(idsOf(receive(after, [], free).rows)).toBe('edca')
    expect(release(after).waiting).toEqual([])
  })

  it('updates a row in place, also while held, and leaves all others the same objects', () => {
    const after = receive(list, [delivery('a', 1, 1)], held)
    expect(idsOf(after.rows)).toBe('ca')
    expect(after.rows[1]!.status).toBe('delivered')
    expect(after.rows[0]).toBe(list.rows[0])
  })

  it('ignores an answer that a newer one has overtaken', () => {
    const done = rowsOf([delivery('a', 1, 2)])
    expect(receive(done, [delivery('a', 1, 1)], free).rows).toBe(done.rows)
  })

  it('ignores an outdated answer also where the oldest attempts are omitted', () => {
    const sentAgain: Delivery = { ...delivery('a', 1, ATTEMPTS_TOLD + 1), status: 'pending' }
    const done = rowsOf([delivery('a', 1, ATTEMPTS_TOLD + 2)])
    expect(receive(done, [sentAgain], free).rows).toBe(done.rows)
  })

  it('updates a row that was sent again with the same result, also where the oldest attempts are omitted', () => {
    for (const made of [1, ATTEMPTS_TOLD, ATTEMPTS_TOLD + 1]) {
      const before: Delivery = { ...delivery('a', 1, made), status: 'dead' }
      const after: Delivery = { ...delivery('a', 1, made + 1), status: 'dead' }
      expect(receive(rowsOf([before]), [after], free).rows).toEqual([after])
    }
  })

  it('updates waiting rows too, and uses the latest state of a delivery', () => {
    const waiting = receive(list, [delivery('d', 4)], held)
    const after = receive(waiting, [delivery('d', 4, 1), delivery('d', 4, 2)], held)
    expect(after.waiting.map(({ attempts }) => attempts.length)).toEqual([2])
  })

  it('drops rows that do not belong to the page', () => {
    const belongs = ({ id }: Delivery) => id !== 'z'
    const after = receive(list, [delivery('z', 0), delivery('d', 4)], { held: false, belongs })
    expect(idsOf(after.rows)).toBe('dca')
  })

  it('returns the same list when nothing arrived', () => {
    expect(receive(list, [], free)).toBe(list)
  })

  it('keeps at most the allowed number of rows, and reports when it dropped some', () => {
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
  it('adds rows read separately and keeps those that arrived in the meantime', () => {
    const live = receive(
      receive(rowsOf([delivery('c', 3)]), [delivery('d', 4)], free),
      [delivery('e', 5)],
      held,
    )
    const after = extend(live, [delivery('c', 3), delivery('b', 2)])
    expect(idsOf(after.rows)).toBe('dcb')
    expect(idsOf(after.waiting)).toBe('e')
  })

  it('merges waiting rows that were read again, with their latest state', () => {
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
  it('reports a gap where many new rows do not connect to known ones', () => {
    const known = [delivery('b', 2), delivery('a', 1)]
    expect(isBeyond([delivery('z', 9), delivery('y', 8)], known)).toBe(true)
    expect(isBeyond([delivery('c', 3), delivery('b', 2)], known)).toBe(false)
    expect(isBeyond([], known)).toBe(false)
  })
})
