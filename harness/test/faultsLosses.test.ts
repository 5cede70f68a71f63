import { describe, expect, test } from 'vitest'
import { leaksIn } from '../src/faults/verdict/leaks.ts'
import { type Death, lossesOf, type Silence } from '../src/faults/verdict/losses.ts'
import { attempts, delivery, found, LOSS, request } from './faults.madeUp.ts'

const ALONE = { shared: false, leaseMs: 3_000, timeoutMs: 1_000 }
const SHARED = { ...ALONE, shared: true }
const death = (at: number): Death => ({ node: 'node-1', cause: 'killed', at, goneAt: at + 20 })
const silence = (from: number, to: number): Silence => ({ node: 'node-1', cause: 'cut off', from, to })

describe('a fault excuses', () => {
  const repeat = (changes: Parameters<typeof request>[0]) => ({ requests: [request(changes), request()] })

  test('an attempt that ended just before it', () => {
    expect(found(repeat({ seenAt: 49_800, answeredAt: 49_900, closedAt: 49_900 }))).toBe('')
  })

  test('an attempt that was under way', () => {
    expect(found(repeat({ seenAt: 49_990, answeredAt: null, closedAt: 50_010 }))).toBe('')
  })

  test('a request that it overtook on the way', () => {
    expect(found(repeat({ seenAt: 50_080, answeredAt: 50_090, closedAt: 50_090 }))).toBe('')
  })

  test('no attempt that ended long before it', () => {
    expect(found(repeat({ seenAt: 40_000, answeredAt: 40_005, closedAt: 40_005 }))).toContain('0 faults')
  })

  test('one attempt of a delivery, not two', () => {
    const near = request({ seenAt: 49_950, answeredAt: 49_960, closedAt: 49_960 })
    expect(found({ requests: [near, near, request()] })).toContain('2 times more than the log says, but 1')
  })

  test('no more attempts in flight than a node may have', () => {
    const ids = ['evt_1', 'evt_2', 'evt_3']
    const deliveries = ids.map((eventId) =>
      delivery({ id: `of ${eventId}`, eventId, attempts: attempts(204) }),
    )
    const requests = ids.flatMap((eventId) => [
      request({ eventId, seenAt: 49_990, answeredAt: null, closedAt: 50_010 }),
      request({ eventId, seenAt: 51_000, answeredAt: 51_005, closedAt: 51_005 }),
    ])
    expect(found({ deliveries, requests }, [LOSS])).toContain(
      '3 attempts were under way at one fault (killed)',
    )
  })
})

describe('results are lost', () => {
  test('when a node dies: what was in flight and what was not written yet', () => {
    expect(lossesOf([death(50_000)], [], ALONE)).toEqual([
      { cause: 'node-1: killed', from: 49_000, at: 50_000, to: 51_020 },
    ])
  })

  test('as far back as the node had not reached the store when it died', () => {
    expect(lossesOf([death(50_000)], [silence(45_000, 49_500)], ALONE)).toMatchObject([{ from: 44_000 }])
    expect(lossesOf([death(50_000)], [silence(45_000, 48_000)], ALONE)).toMatchObject([{ from: 49_000 }])
  })

  test('as far back as any node was silent, where they share a store', () => {
    const other = { ...silence(45_000, 49_500), node: 'node-2' }
    expect(lossesOf([death(50_000)], [other], ALONE)).toMatchObject([{ from: 49_000 }])
    expect(lossesOf([death(50_000)], [other], SHARED)).toContainEqual(
      expect.objectContaining({ cause: 'node-1: killed', from: 44_000 }),
    )
  })

  test('by a silence only if others took over meanwhile', () => {
    expect(lossesOf([], [silence(10_000, 20_000)], ALONE)).toEqual([])
    expect(lossesOf([], [silence(10_000, 10_800)], SHARED)).toEqual([])
    expect(lossesOf([], [silence(10_000, 12_000)], SHARED)).toMatchObject([{ from: 9_000, at: 12_000 }])
  })

  test('by silences that follow each other too closely to write anything in between', () => {
    expect(lossesOf([], [silence(10_000, 10_800), silence(11_500, 12_000)], SHARED)).toHaveLength(1)
    expect(lossesOf([], [silence(10_000, 10_800), silence(13_500, 14_000)], SHARED)).toEqual([])
  })
})

describe('a leak', () => {
  const held = (sockets: number) => ({
    fileDescriptors: 30,
    sockets,
    activeResources: 10,
    rssBytes: 100_000_000,
  })

  test('is what a process holds more and more of', () => {
    expect(leaksIn({ node: 'node-1', measured: [held(10), held(80)] })).toEqual([
      'node-1 holds 70 more sockets after 2 rounds than after its first',
    ])
  })

  test('is not what comes and goes', () => {
    expect(leaksIn({ node: 'node-1', measured: [held(10), held(80), held(20)] })).toEqual([])
  })
})
