import { describe, expect, test } from 'vitest'
import type { Loss } from '../src/faults/evidence.ts'
import { LogReader } from '../src/faults/nodes/logReader.ts'
import {
  type Death,
  type Incidents,
  type Lapse,
  type Silence,
  unforcedAmong,
} from '../src/faults/verdict/incidents.ts'
import { leaksIn } from '../src/faults/verdict/leaks.ts'
import { leasesNotKept } from '../src/faults/verdict/leasesNotKept.ts'
import { type LossOptions, lossesOf } from '../src/faults/verdict/losses.ts'
import { attempts, delivery, found, LOSS, request } from './faults.madeUp.ts'

const ALONE = { shared: false, leaseMs: 3_000, timeoutMs: 1_000 }
const SHARED = { ...ALONE, shared: true }
const death = (at: number): Death => ({ node: 'node-1', cause: 'killed', at, goneAt: at + 20 })
const silence = (from: number, to: number): Silence => ({ node: 'node-1', cause: 'cut off', from, to })
const lapse = (at: number, inStart = false): Lapse => ({ node: 'node-1', registration: 7, at, inStart })

/** For a round in which the store commits all the time, unless stated otherwise. */
const losses = (incidents: Partial<Incidents>, options: LossOptions) =>
  lossesOf(
    {
      deaths: [],
      silences: [],
      blockages: [],
      lapses: [],
      acknowledgedAt: Array.from({ length: 1_000 }, (_, i) => i * 100),
      ...incidents,
    },
    options,
  )

describe('a fault excuses', () => {
  const repeat = (changes: Parameters<typeof request>[0]) => ({ requests: [request(changes), request()] })

  test('an attempt that ended just before it', () => {
    expect(found(repeat({ seenAt: 49_800, answeredAt: 49_900, closedAt: 49_900 }))).toBe('')
  })

  test('an attempt in flight', () => {
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

  test('one attempt of two requests, where the connection of the first could be reset', () => {
    const reset = (seenAt: number) => request({ status: null, seenAt, answeredAt: null, closedAt: seenAt })
    const twice = { requests: [reset(49_900), reset(49_950), request({ seenAt: 56_000 })] }
    expect(found({ ...twice, honest: false })).toBe('')
    expect(found(twice)).toContain('2 times more than the log says, but 1')
    const thrice = { requests: [reset(49_850), ...twice.requests] }
    expect(found({ ...thrice, honest: false })).toContain('2 times more than the log says, but 1')
  })

  test('one attempt each, when a delivery was affected by several', () => {
    const again: Loss = { cause: 'killed again', from: 52_000, at: 53_000, to: 53_500 }
    const at = (seenAt: number) => request({ status: 503, seenAt, answeredAt: seenAt, closedAt: seenAt })
    const lost = { requests: [at(49_990), at(52_600), at(52_900), request({ seenAt: 54_000 })] }
    const deliveries = [delivery({ attempts: attempts(503, 204) })]
    expect(found({ ...lost, deliveries }, [LOSS, again])).toBe('')
    expect(found({ ...lost, deliveries }, [again])).toContain('2 times more than the log says, but 1')
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
  test('when a node dies: those in flight and those not written yet', () => {
    expect(losses({ deaths: [death(50_000)] }, ALONE)).toEqual([
      { cause: 'node-1: killed', from: 49_000, at: 50_000, to: 51_020 },
    ])
  })

  test('as far back as the store showed no commit', () => {
    const acknowledgedAt = [46_000, 47_000, 50_200]
    expect(losses({ deaths: [death(50_000)], acknowledgedAt }, ALONE)).toMatchObject([{ from: 46_000 }])
    expect(losses({ deaths: [death(50_000)], acknowledgedAt: [] }, ALONE)).toMatchObject([
      { from: Number.NEGATIVE_INFINITY },
    ])
  })

  test('as far back as the node had not reached the store when it died', () => {
    const from = (...silences: Silence[]) => losses({ deaths: [death(50_000)], silences }, ALONE)[0]!.from
    expect(from(silence(45_000, 49_500))).toBe(44_000)
    expect(from(silence(45_000, 48_000))).toBe(49_000)
  })

  test('as far back as any node was silent, where they share a store', () => {
    const incidents = {
      deaths: [death(50_000)],
      silences: [{ ...silence(45_000, 49_500), node: 'node-2' }],
    }
    expect(losses(incidents, ALONE)).toMatchObject([{ from: 49_000 }])
    expect(losses(incidents, SHARED)).toContainEqual(
      expect.objectContaining({ cause: 'node-1: killed', from: 44_000 }),
    )
  })

  test('by a silence only if others took over in that time', () => {
    const by = (one: Silence, options: LossOptions) => losses({ silences: [one] }, options)
    expect(by(silence(10_000, 20_000), ALONE)).toEqual([])
    expect(by(silence(10_000, 10_800), SHARED)).toEqual([])
    expect(by(silence(10_000, 12_000), SHARED)).toMatchObject([{ from: 9_000, at: 12_000 }])
  })

  test('by silences that are too close together to write anything in between', () => {
    const by = (...silences: Silence[]) => losses({ silences }, SHARED)
    expect(by(silence(10_000, 10_800), silence(11_500, 12_000))).toHaveLength(1)
    expect(by(silence(10_000, 10_800), silence(13_500, 14_000))).toEqual([])
  })
})

describe('an expired lease', () => {
  test('alone costs the attempts made under it', () => {
    expect(losses({ lapses: [lapse(20_000)] }, SHARED)).toEqual([
      { cause: 'node-1: its lease ran out', from: 13_000, at: 20_000, to: 21_000 },
    ])
  })

  test('with a silence costs no more than either alone', () => {
    const incidents = { silences: [silence(10_000, 14_500)], lapses: [lapse(15_000)] }
    expect(losses(incidents, SHARED)).toEqual([
      { cause: 'node-1: its lease ran out', from: 8_000, at: 15_000, to: 16_000 },
    ])
  })

  test('is not the one that an earlier process lost with its death', () => {
    const incidents = {
      silences: [silence(10_000, 14_500)],
      deaths: [death(15_000)],
      lapses: [lapse(20_000)],
    }
    expect(losses(incidents, SHARED)).toHaveLength(3)
  })

  test('explains a repeat, and nothing long before it', () => {
    const repeat = (at: number) => ({
      requests: [request({ seenAt: at, answeredAt: at, closedAt: at }), request({ seenAt: 22_000 })],
    })
    const lost = losses({ lapses: [lapse(20_000)] }, SHARED)
    expect(found(repeat(18_000), lost)).toBe('')
    expect(found(repeat(12_000), lost)).toContain('1 times more than the log says, but 0')
    expect(found(repeat(21_500), lost)).toContain('1 times more than the log says, but 0')
  })

  test("is found in a node's log, however that is split", () => {
    const line = (node: number) =>
      `{"level":40,"time":"2026-01-01T00:00:00.000Z","node":${node},"new_node":${node + 1},"msg":"the lease of this node expired; it continues with a new lease"}\n`
    const stall =
      '{"level":40,"time":"2026-01-01T00:00:00.000Z","late_ms":2483,"msg":"This process could not work for 2 seconds."}\n'
    const text = `{"level":30,"msg":"posthorn is listening"}\n${line(71)}${stall}${line(84)}`
    for (let cut = 0; cut <= text.length; cut++) {
      const reader = new LogReader()
      const said = [reader.read(text.slice(0, cut)), reader.read(text.slice(cut))]
      expect(said.flatMap(({ lapses }) => lapses)).toEqual([71, 84])
      expect(said.flatMap(({ stalls }) => stalls)).toEqual([2483])
    }
  })

  test('is a contradiction when no fault affected its node, repeatedly', () => {
    const silences = [silence(10_000, 11_000)]
    expect(unforcedAmong({ lapses: [lapse(15_000)], silences }, true)).toEqual([])
    expect(unforcedAmong({ lapses: [lapse(25_000)], silences }, true)).toHaveLength(1)
    expect(unforcedAmong({ lapses: [lapse(25_000, true)], silences }, true)).toEqual([])
    expect(leasesNotKept({ rounds: 8, unforcedLapses: 5 }, 3, true)).toEqual([])
    expect(leasesNotKept({ rounds: 8, unforcedLapses: 6 }, 3, true)).toHaveLength(1)
  })

  test('is always a contradiction when no other node could have taken it', () => {
    const lapses = unforcedAmong({ lapses: [lapse(11_000)], silences: [silence(10_000, 14_500)] }, false)
    expect(leasesNotKept({ rounds: 8, unforcedLapses: lapses.length }, 1, false)).toHaveLength(1)
  })
})

describe('a leak', () => {
  const held = (sockets: number) => ({
    fileDescriptors: 30,
    sockets,
    activeResources: 10,
    rssBytes: 100_000_000,
  })

  test('is a growing number of resources in a process', () => {
    expect(leaksIn({ node: 'node-1', measured: [held(10), held(80)] })).toEqual([
      'node-1 holds 70 more sockets after 2 rounds than after its first',
    ])
  })

  test('is not a fluctuation', () => {
    expect(leaksIn({ node: 'node-1', measured: [held(10), held(80), held(20)] })).toEqual([])
  })
})
