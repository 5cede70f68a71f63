import { describe, expect, test } from 'vitest'
import { fullQueue } from '../../src/storage/fanout.ts'

/** @param waiting deliveries still to be created, by workspace */
const full = (added: Record<number, number>, waiting: Record<number, number>, maxFanout: number) =>
  fullQueue(
    new Map(Object.entries(added).map(([id, count]) => [Number(id), count])),
    (id) => waiting[id] ?? 0,
    maxFanout,
  )

describe('the deliveries that a workspace may have waiting', () => {
  test('a batch fits up to the limit, together with waiting deliveries', () => {
    expect(full({ 1: 3 }, { 1: 7 }, 10)).toBeNull()
    expect(full({ 1: 4 }, { 1: 7 }, 10)).toBe(7)
  })

  test('if nothing is waiting, a batch of any size fits', () => {
    expect(full({ 1: 11 }, {}, 10)).toBeNull()
    expect(full({ 1: 11 }, { 1: 1 }, 10)).toBe(1)
  })

  test('one full workspace rejects the whole batch', () => {
    expect(full({ 1: 1, 2: 4, 3: 1 }, { 1: 2, 2: 8, 3: 9 }, 10)).toBe(8)
  })

  test('waiting deliveries of workspaces outside the batch do not count', () => {
    expect(full({ 1: 1 }, { 1: 1, 2: 10 }, 10)).toBeNull()
  })

  test('a batch without late deliveries fits', () => {
    expect(full({}, { 1: 10 }, 10)).toBeNull()
  })
})
