import { describe, expect, it } from 'vitest'
import type { Delivery } from '../src/model/delivery.ts'
import { overdueToRead } from '../src/model/overdue.ts'

const NOW = Date.parse('2026-03-04T10:00:00.000Z')

/** @param dueMsAgo `null`: it has no next attempt */
const delivery = (id: string, dueMsAgo: number | null): Delivery => ({
  id,
  webhookId: 'wh_1',
  eventId: `of ${id}`,
  eventType: 'version.approved',
  status: dueMsAgo === null ? 'delivered' : 'pending',
  cancelReason: null,
  waitingFor: null,
  attempts: [],
  createdAt: new Date(NOW - 100_000).toISOString(),
  finishedAt: null,
  requestBody: null,
  nextAttemptAt: dueMsAgo === null ? null : new Date(NOW - dueMsAgo).toISOString(),
})
const toRead = (rows: readonly Delivery[], readAt: ReadonlyMap<string, number> = new Map()) =>
  overdueToRead({ rows, readAt, now: NOW, most: 2 }).map(({ id }) => id)

describe('overdueToRead', () => {
  it('begins with those that wait longest', () => {
    const rows = [delivery('short', 3_000), delivery('longest', 90_000), delivery('long', 60_000)]
    expect(toRead(rows)).toEqual(['longest', 'long'])
  })

  it('omits deliveries that are finished, not due, or only just due', () => {
    expect(toRead([delivery('done', null), delivery('later', -5_000), delivery('just', 1_000)])).toEqual([])
  })

  it('reaches every delivery, however many stay overdue', () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((id, i) => delivery(id, 90_000 - i * 1_000))
    const readAt = new Map<string, number>()
    const rounds = [1, 2, 3].map((round) => {
      const ids = toRead(rows, readAt)
      for (const id of ids) readAt.set(id, round)
      return ids
    })
    expect(rounds).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'a'],
    ])
  })
})
