import { describe, expect, test } from 'vitest'
import {
  claimRoom,
  claimSize,
  hasPlentyForUnproven,
  hasRoomForClaim,
  isFull,
  laneLimit,
  laneRoom,
  type Memory,
  publishRoom,
  room,
} from '../../src/engine/schedule/admission.ts'
import { delivery } from '../support/deliveries.ts'
import { TestLanes } from './lanesFixture.ts'

const memory = (fast: number, unproven: number, promised = 0): Memory => ({ fast, unproven, promised })
const NONE = memory(0, 0)

describe('how many deliveries a lane may take', () => {
  test.each([
    // speed, weight in the lane, its workspace, the node, allowed number
    ['fast', 0, NONE, NONE, 2_500, 'an eighth of what is free'],
    ['fast', 2_499, memory(2_499, 0), memory(2_499, 0), 0, 'no more than its part'],
    ['fast', 0, NONE, memory(19_993, 0), 1, 'something as long as anything is free'],
    ['fast', 0, NONE, memory(20_000, 0), 0, 'nothing when nothing is free'],
    ['fast', 0, NONE, memory(0, 0, 20_000), 2_500, 'also the part promised to publishes'],
    ['slow', 0, NONE, NONE, 500, 'a twentieth of what is free for unproven lanes'],
    ['slow', 499, memory(0, 499), memory(0, 499), 0, 'no more than its part'],
    ['slow', 0, NONE, memory(0, 9_999), 1, 'one as long as anything is free'],
    ['slow', 0, NONE, memory(0, 10_000), 0, 'none of the part reserved for fast lanes'],
    ['slow', 0, NONE, memory(19_999, 0), 1, 'one as long as anything is free'],
    ['slow', 0, memory(0, 5_990), memory(0, 5_990), 10, 'what its workspace may still have'],
    ['slow', 0, memory(0, 6_000), memory(0, 6_000), 0, 'nothing when its workspace has its part'],
    ['slow', 0, NONE, memory(0, 6_000), 200, 'something when another workspace has its part'],
    ['unknown', 0, NONE, NONE, 500, 'as much as a slow one'],
    ['unknown', 0, NONE, memory(0, 10_000), 1, 'its first one on top'],
    ['unknown', 1, memory(0, 1), memory(0, 10_000), 0, 'no second one on top'],
    ['unknown', 0, NONE, memory(0, 15_000), 0, 'no first one beyond three quarters'],
    ['unknown', 0, NONE, memory(6_000, 10_000), 0, 'not the first one of the part reserved from claims'],
    ['unknown', 0, memory(0, 7_999), memory(0, 10_000), 1, 'its first one, within the part of its workspace'],
    ['unknown', 0, memory(0, 8_000), memory(0, 10_000), 0, 'no first one beyond the part of its workspace'],
  ] as const)(
    '%s, with %d waiting, of a workspace with %o, on a node with %o: %d (%6$s)',
    (speed, weight, workspace, node, may, _why) => {
      expect(laneRoom({ speed, weight }, workspace, node)).toBe(may)
    },
  )
})

describe('room', () => {
  test.each([
    // the node, its workspace, for all, to publish, to claim for fast lanes, for unproven ones
    [NONE, NONE, 20_000, 16_000, 16_000, 10_000],
    [memory(16_000, 0), memory(16_000, 0), 4_000, 0, 2_000, 4_000],
    [memory(16_000, 0), NONE, 4_000, 3_200, 2_000, 4_000],
    [memory(0, 0, 18_500), NONE, 1_500, 1_200, 750, 10_000],
    [memory(0, 0, 10_000), memory(0, 0, 10_000), 10_000, 6_000, 6_000, 10_000],
    [memory(0, 10_000), memory(0, 10_000), 10_000, 6_000, 6_000, 0],
    [memory(20_000, 0), NONE, 0, 0, 0, 0],
    // A long body may exceed the limit.
    [memory(25_000, 0, 100), NONE, 0, 0, 0, 0],
  ] as const)(
    'on a node with %o, for a workspace with %o',
    (node, workspace, all, toPublish, fast, unproven) => {
      expect(room(node)).toBe(all)
      expect(publishRoom(node, workspace)).toBe(toPublish)
      expect(claimRoom(node, 'fast')).toBe(fast)
      expect(claimRoom(node, 'unproven')).toBe(unproven)
    },
  )
})

describe('how much a call claims', () => {
  test.each([
    // round, node, usual weight, with backlog, limit, per webhook
    ['first', NONE, 1, false, 500, 4],
    ['first', memory(0, 9_840), 1, false, 500, 2],
    ['first', memory(0, 10_000), 1, false, 500, 1],
    ['fast', NONE, 1, false, 500, 64],
    ['fast', NONE, 1, true, 500, 128],
    ['fast', memory(19_200, 0), 1, true, 400, 100],
    ['fast', memory(19_900, 0), 1, true, 50, 64],
    ['fast', memory(0, 0, 18_000), 10, false, 100, 64],
    ['fast', memory(20_000, 0), 1, true, 0, 64],
    ['unproven', NONE, 1, true, 500, 64],
    ['unproven', memory(0, 9_000), 1, true, 500, 12],
    ['unproven', memory(0, 9_800), 1, true, 100, 2],
    ['unproven', memory(0, 9_997), 1, true, 3, 1],
    ['unproven', memory(0, 10_000), 1, true, 0, 1],
    ['unproven', memory(0, 9_000), 100, true, 10, 1],
  ] as const)(
    'in a %s round on a node with %o, deliveries weighing %d, backlog %s: %d, %d each',
    (round, node, usual, withBacklog, limit, perWebhook) => {
      expect(claimSize(round, node, usual, withBacklog)).toEqual({ limit, perWebhook })
    },
  )
})

test.each([
  [memory(9_599, 0), 'fast', false, false],
  [memory(9_600, 0), 'fast', false, true],
  [memory(4_801, 0), 'fast', true, true],
  [memory(4_800, 0), 'fast', true, false],
  [memory(9_600, 0), 'unproven', true, false],
  [memory(0, 6_000), 'unproven', false, true],
  [memory(0, 5_999), 'unproven', false, false],
  [memory(0, 10_000), 'unproven', false, true],
] as const)(
  'a workspace alone with %o is full for %s lanes, having been so (%s): %s',
  (own, trust, wasFull, full) => {
    expect(isFull(own, own, trust, wasFull)).toBe(full)
  },
)

test('there is plenty of room as long as claims need not be small', () => {
  expect([memory(0, 0, 19_000), memory(0, 0, 19_002)].map(hasRoomForClaim)).toEqual([true, false])
  expect([memory(0, 7_459), memory(0, 7_460)].map(hasPlentyForUnproven)).toEqual([true, false])
})

function setUp() {
  const lanes = new TestLanes({ maxInFlight: 512, maxInFlightPerWebhook: 10 })
  /**
   * Publishes to webhooks in turn as long as one of them is accepted. @returns how many each got on average
   */
  const fill = (
    webhookIds: readonly number[],
    body = '{}',
    workspaceOf: (webhookId: number) => number = () => 1,
  ) => {
    let added = 0
    for (let before = -1; added > before; ) {
      before = added
      for (const webhookId of webhookIds) {
        const one = delivery({ id: 1, webhookId, workspaceId: workspaceOf(webhookId), body })
        if (lanes.add([one], 'publish').length === 0) added++
      }
    }
    return added / webhookIds.length
  }
  const make = (webhookId: number, speed: 'fast' | 'slow') => {
    const lane = lanes.of({ webhookId, workspaceId: 1 })
    lanes.put(delivery({ id: 0, webhookId }))
    lanes.take(lane)
    lanes.finished(lane, speed === 'fast')
  }
  const takesOneMore = (webhookId: number, workspaceId = 1) =>
    lanes.memory.roomIn(lanes.of({ webhookId, workspaceId })) > 0
  const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
  return { lanes, make, fill, range, takesOneMore }
}

describe('with any number of webhooks with a backlog', () => {
  test.each([1, 10, 300, 3000])('%d unproven ones leave room for one more such webhook', (count) => {
    const { lanes, fill, range, takesOneMore } = setUp()
    fill(range(count))
    expect(takesOneMore(9999)).toBe(true)
    expect(room(lanes.memory.totals)).toBeGreaterThanOrEqual(10_000)
  })

  test.each([1, 10, 300])('%d fast ones leave room for unproven ones', (count) => {
    const { make, fill, range, takesOneMore } = setUp()
    for (const id of range(count)) make(id, 'fast')
    fill(range(count))
    expect(takesOneMore(9999)).toBe(true)
  })

  test('each has less in memory the more they are', () => {
    const each = [1, 10, 100, 1000].map((count) => {
      const { fill, range } = setUp()
      return fill(range(count))
    })
    expect(each).toEqual(each.toSorted((a, b) => b - a))
    expect(each[0]).toBe(477)
    expect(each[3]).toBeLessThanOrEqual(10)
  })

  test('long bodies count for more', () => {
    const { fill, range, takesOneMore } = setUp()
    const each = fill(range(300), 'x'.repeat(65_000))
    expect(each).toBeLessThanOrEqual(2)
    expect(takesOneMore(9999)).toBe(true)
  })
})

test('first deliveries of unknown lanes leave a quarter of the memory to fast ones, however many there are', () => {
  const { lanes, make, fill, range, takesOneMore } = setUp()
  make(99_999, 'fast')
  expect(fill(range(18_000), '{}', (id) => id)).toBe(15_000 / 18_000)
  expect([room(lanes.memory.totals), takesOneMore(99_998, 99_998)]).toEqual([5_000, false])
  expect(fill([99_999])).toBeGreaterThan(400)
})

describe('published events', () => {
  test('leave a part of the memory to the next workspace', () => {
    const { lanes } = setUp()
    for (let workspaceId = 1; workspaceId <= 6; workspaceId++) {
      const free = lanes.memory.publishRoomOf(workspaceId)
      expect(free).toBeGreaterThan(0)
      const lane = lanes.of({ webhookId: workspaceId, workspaceId })
      lane.speed = 'fast'
      for (let id = 0; id < free; id++) lanes.put(delivery({ id, webhookId: workspaceId, workspaceId }))
      expect(lanes.memory.publishRoomOf(workspaceId)).toBe(0)
      if (workspaceId === 1) expect(free).toBe(16_000)
    }
  })

  test('include the memory promised to the same workspace', () => {
    const { lanes } = setUp()
    lanes.memory.promise(1, 10_000)
    expect([lanes.memory.publishRoomOf(1), lanes.memory.publishRoomOf(2)]).toEqual([6_000, 8_000])
    lanes.memory.promise(1, -10_000)
    expect([lanes.memory.publishRoomOf(1), lanes.memory.publishRoomOf(2)]).toEqual([16_000, 16_000])
  })

  test('are counted correctly when calls without a promise are answered last', () => {
    const { lanes } = setUp()
    for (const count of [10_000, 0, -10_000, -0]) lanes.memory.promise(1, count)
    expect([room(lanes.memory.totals), lanes.memory.publishRoomOf(1)]).toEqual([20_000, 16_000])
    lanes.memory.promise(1, 1_000)
    expect([room(lanes.memory.totals), lanes.memory.publishRoomOf(1)]).toEqual([19_000, 15_000])
  })
})

test('of one workspace, however many wait for slow receivers, leave room for others', () => {
  const { lanes, make, range } = setUp()
  const ids = range(12_000)
  for (const id of ids) make(id, 'slow')
  for (const id of ids) lanes.add([delivery({ id, webhookId: id })], 'claim')
  expect(lanes.memory.totals.unproven).toBe(6_000)
  const another = lanes.of({ webhookId: 50_000, workspaceId: 2 })
  another.speed = 'slow'
  expect(lanes.memory.roomIn(another)).toBeGreaterThan(0)
  for (const id of range(9_000)) lanes.add([delivery({ id, webhookId: 60_000 + id })], 'claim')
  expect(lanes.memory.totals.unproven).toBe(8_000)
  expect(lanes.memory.roomIn(another)).toBeGreaterThan(0)
  expect(laneLimit(lanes.memory.totals, 'unproven')).toBe(100)
})
