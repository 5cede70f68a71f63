import { describe, expect, test } from 'vitest'
import type { Lane } from '../../src/engine/schedule/lane.ts'
import type { LeasedDelivery } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { liveHeapBytes } from '../support/liveHeap.ts'
import { TestLanes } from './lanesFixture.ts'

const emptyLanes = (maxInFlight: number, maxInFlightPerWebhook = 10) =>
  new TestLanes({ maxInFlight, maxInFlightPerWebhook })

/** Fast lanes, with this many deliveries each. */
function lanesWith(counts: Readonly<Record<number, number>>, maxInFlight = 100, maxInFlightPerWebhook = 10) {
  const lanes = emptyLanes(maxInFlight, maxInFlightPerWebhook)
  for (const webhookId of Object.keys(counts)) prove(lanes, Number(webhookId))
  let id = 1
  for (const [webhookId, count] of Object.entries(counts)) {
    for (let i = 0; i < count; i++) lanes.put(delivery({ id: id++, webhookId: Number(webhookId) }))
  }
  return lanes
}

/** Marks the receiver as fast by one answer. */
function prove(lanes: TestLanes, webhookId: number): void {
  lanes.put(delivery({ id: 0, webhookId }))
  lanes.takeNext()
  lanes.end(webhookId, true)
}

describe('while all sending is stopped', () => {
  test('nothing is or gets into memory, and nothing is sent', () => {
    const lanes = lanesWith({ 1: 3, 2: 2 })
    expect(lanes.hold()).toHaveLength(5)
    expect([lanes.memory.waiting, lanes.next()]).toEqual([0, null])
    expect(lanes.add([delivery({ id: 50, webhookId: 1 })], 'publish')).toHaveLength(1)
    lanes.resume()
    expect(lanes.find(1)!.hasBacklog).toBe(true)
    lanes.put(delivery({ id: 60, webhookId: 2 }))
    expect(lanes.takeAll()).toEqual([2])
  })

  test('afterwards the allowed number of slots is used, and more as soon as more are allowed', () => {
    const lanes = lanesWith({ 1: 10, 2: 10 })
    const ready: number[] = []
    lanes.onReady(() => ready.push(lanes.takeAll().length))
    lanes.setSlots(3)
    expect(ready).toEqual([])
    expect(lanes.takeAll()).toHaveLength(3)
    lanes.setSlots(5)
    expect(ready).toEqual([2])
  })
})

describe('turns', () => {
  test('webhooks take turns, however long the lane of one is', () => {
    expect(lanesWith({ 1: 1000, 2: 2, 3: 1 }).takeAll().slice(0, 7)).toEqual([1, 2, 3, 1, 2, 1, 1])
  })

  test('a late delivery waits for at most one of each other webhook', () => {
    const lanes = lanesWith({ 1: 1000, 2: 1000 })
    lanes.takeNext()
    lanes.put(delivery({ id: 9999, webhookId: 3 }))
    expect(lanes.takeAll().indexOf(3)).toBeLessThanOrEqual(2)
  })

  test('workspaces take turns, however many webhooks one has', () => {
    const lanes = emptyLanes(10_000)
    for (let webhookId = 1; webhookId <= 1_000; webhookId++)
      lanes.put(delivery({ id: webhookId, webhookId, workspaceId: 1 }))
    lanes.takeNext()
    lanes.put(delivery({ id: 5_000, webhookId: 5_000, workspaceId: 2 }))
    lanes.put(delivery({ id: 6_000, webhookId: 6_000, workspaceId: 3 }))
    lanes.put(delivery({ id: 6_001, webhookId: 6_001, workspaceId: 3 }))
    expect(lanes.takeAll().slice(0, 6)).toEqual([2, 5_000, 6_000, 3, 6_001, 4])
  })

  test('a lane whose target had to be loaded comes before those of other workspaces', () => {
    const lanes = emptyLanes(100)
    for (const [webhookId, workspaceId] of [
      [1, 1],
      [2, 2],
      [3, 1],
    ] as const)
      lanes.put(delivery({ id: webhookId, webhookId, workspaceId }))
    const first = lanes.next()!
    expect(lanes.block(first, 'loading')).toEqual([])
    lanes.unblock(first, 'loading')
    expect(lanes.takeAll()).toEqual([1, 2, 3])
  })

  test('a webhook that turns slow leaves its workspace its turn', () => {
    const lanes = emptyLanes(100)
    for (const [webhookId, workspaceId] of [
      [1, 1],
      [2, 1],
      [3, 2],
    ] as const)
      for (const id of [1, 2]) lanes.put(delivery({ id: 10 * webhookId + id, webhookId, workspaceId }))
    expect(lanes.takeNext()!.webhookId).toBe(1)
    lanes.end(1, true)
    lanes.takeNext()
    lanes.slow(1)
    expect(lanes.takeAll()).toContain(2)
  })

  test('also ahead of those that arrived in the meantime', () => {
    const lanes = lanesWith({ 1: 2, 2: 2, 3: 2 })
    const first = lanes.next()!
    lanes.block(first, 'loading')
    lanes.put(delivery({ id: 101, webhookId: 1 }))
    lanes.unblock(first, 'loading')
    expect(lanes.takeAll()).toEqual([1, 2, 3, 1, 2, 3, 1])
  })
})

describe('a blocked lane', () => {
  test('while its target is loaded, keeps waiting deliveries and accepts more, and sends nothing', () => {
    const lanes = lanesWith({ 1: 2, 2: 1 })
    const lane = lanes.next()!
    lanes.block(lane, 'loading')
    lanes.put(delivery({ id: 9, webhookId: 1 }))
    expect([lanes.takeAll(), lane.waiting, lanes.inFlight]).toEqual([[2], 3, 1])
    lanes.unblock(lane, 'unsendable')
    expect(lanes.takeAll()).toEqual([])
    lanes.unblock(lane, 'loading')
    expect(lanes.takeAll()).toEqual([1, 1, 1])
  })

  test.each(['unsendable', 'disabling'] as const)(
    'as %s releases its waiting deliveries and accepts none',
    (reason) => {
      const lanes = lanesWith({ 1: 2, 2: 1 })
      const lane = lanes.find(1)!
      expect(lanes.block(lane, reason).map(({ id }) => id)).toEqual([1, 2])
      const late = delivery({ id: 9, webhookId: 1 })
      expect([lanes.add([late], 'claim'), lanes.add([late], 'publish')]).toEqual([[late], [late]])
      expect([...lanes.keptInStore(1)]).toEqual([lane])
      expect([lanes.takeAll(), lanes.memory.waiting]).toEqual([[2], 0])
      lanes.unblock(lane, reason)
      lanes.put(late)
      expect(lanes.takeAll()).toEqual([1])
    },
  )

  test('that cannot be sent to may be once its webhook changed; one that is being disabled may not', () => {
    const lanes = lanesWith({ 1: 1, 2: 1 })
    lanes.block(lanes.find(1)!, 'unsendable')
    lanes.block(lanes.find(2)!, 'disabling')
    for (const webhookId of [1, 2, 3]) lanes.changed(webhookId)
    expect([1, 2].map((id) => lanes.find(id)!.blocks)).toEqual([[], ['disabling']])
  })

  test('stays so until each reason has ended, in whatever order they end', () => {
    const lanes = lanesWith({ 1: 1 })
    const lane = lanes.find(1)!
    for (const reason of ['loading', 'disabling', 'unsendable', 'disabling'] as const)
      lanes.block(lane, reason)
    const blocked = (['disabling', 'loading', 'unsendable'] as const).map((reason) => {
      lanes.unblock(lane, reason)
      return [lane.blocked, lane.closed]
    })
    expect(blocked).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ])
  })
})

describe('limits', () => {
  test('one webhook uses only its share of slots', () => {
    const lanes = lanesWith({ 1: 50, 2: 3 }, 100, 4)
    expect(lanes.takeAll().sort()).toEqual([1, 1, 1, 1, 2, 2, 2])
    lanes.end(1, true)
    expect(lanes.takeAll()).toEqual([1])
  })

  test('all webhooks together use no more than the slots', () => {
    const lanes = lanesWith({ 1: 5, 2: 5, 3: 5 }, 7)
    expect(lanes.takeAll()).toHaveLength(7)
    lanes.end(1, true)
    expect(lanes.takeAll()).toHaveLength(1)
  })
})

describe('slow lanes', () => {
  test('leave a fast one its share of few slots, too', () => {
    const slow = Array.from({ length: 20 }, (_, i) => i + 1)
    const lanes = lanesWith({ ...Object.fromEntries(slow.map((id) => [id, 10])), 99: 0 }, 64)
    lanes.takeAll()
    for (const id of slow) lanes.end(id, false)
    lanes.put(delivery({ id: 1, webhookId: 99 }))
    lanes.takeAll()
    while (lanes.inFlight > 0)
      for (const id of [...slow, 99]) if (lanes.find(id)!.inFlight > 0) lanes.end(id, id === 99)
    lanes.setSlots(16)
    for (let i = 0; i < 20; i++) lanes.put(delivery({ id: 100 + i, webhookId: 99 }))
    const taken = lanes.takeAll()
    expect(taken).toHaveLength(16)
    expect(taken.filter((id) => id === 99).length).toBeGreaterThanOrEqual(6)
  })

  test('share half of the slots: an eighth is for unknown ones, the others are kept for fast ones', () => {
    const slow = Array.from({ length: 20 }, (_, i) => i + 1)
    const lanes = lanesWith({ ...Object.fromEntries(slow.map((id) => [id, 10])), 99: 0 }, 20)
    expect(lanes.takeAll()).toEqual(slow)
    for (const id of slow) lanes.end(id, false)
    expect(lanes.takeAll()).toEqual(slow.slice(0, 10))
    for (const id of [101, 102, 103]) lanes.put(delivery({ id, webhookId: id }))
    expect(lanes.takeAll()).toEqual([101, 102])
    for (let i = 0; i < 10; i++) lanes.put(delivery({ id: 1000 + i, webhookId: 99 }))
    expect(lanes.takeAll()).toEqual([99, 99, 99, 99, 99, 99, 99, 99])
  })

  test('do not take the slots of unknown ones, also when these turn out to be slow', () => {
    const slow = Array.from({ length: 20 }, (_, i) => i + 1)
    const lanes = lanesWith(Object.fromEntries(slow.map((id) => [id, 10])), 20)
    for (const id of lanes.takeAll()) lanes.end(id, false)
    for (const id of [101, 102]) lanes.put(delivery({ id, webhookId: id }))
    expect(lanes.takeAll()).toEqual([101, 102, ...slow.slice(0, 8)])
    for (const id of [101, 102]) lanes.slow(id)
    for (const id of [103, 104, 105]) lanes.put(delivery({ id, webhookId: id }))
    expect(lanes.takeAll()).toEqual([103, 104])
    lanes.end(101, false)
    expect(lanes.takeAll()).toEqual([105])
    for (const id of [102, 1]) lanes.end(id, false)
    expect(lanes.takeAll()).toEqual([])
    lanes.end(2, false)
    expect(lanes.takeAll()).toEqual([9])
  })

  test.each([1, 2, 3])('and unknown ones all get their turn with %d slots', (maxInFlight) => {
    const lanes = emptyLanes(maxInFlight)
    const deliveries = [1, 2, 3, 1, 2, 3].map((webhookId, id) => delivery({ id, webhookId }))
    for (const one of deliveries) lanes.put(one)
    const attempted: LeasedDelivery[] = []
    for (let next = lanes.takeNext(); next !== null; next = lanes.takeNext()) {
      attempted.push(next)
      lanes.end(next.webhookId, false)
    }
    expect(attempted).toEqual(deliveries)
  })

  test('are remembered while nothing waits for them, so that a hanging receiver delays fast ones only once', () => {
    const hanging = Array.from({ length: 20 }, (_, i) => i + 1)
    const lanes = lanesWith(Object.fromEntries(hanging.map((id) => [id, 1])), 20)
    expect(lanes.takeAll()).toHaveLength(20)
    for (const id of hanging) lanes.end(id, false)
    for (const id of hanging) lanes.put(delivery({ id: 1000 + id, webhookId: id }))
    expect(lanes.takeAll()).toHaveLength(10)
  })

  test('and unknown ones leave three eighths of the slots to proven fast ones', () => {
    const lanes = lanesWith({ 99: 0 }, 16)
    for (let id = 1; id <= 2000; id++) lanes.put(delivery({ id: 1000 + id, webhookId: 1000 + id }))
    expect(lanes.takeAll()).toHaveLength(10)
    for (let id = 1; id <= 10; id++) lanes.put(delivery({ id, webhookId: 99 }))
    expect(lanes.takeAll()).toEqual([99, 99, 99, 99, 99, 99])
  })

  test('are fast again after one fast answer, even while the slow ones use all their slots', () => {
    const lanes = lanesWith({ 1: 5, 2: 5 }, 4, 3)
    expect(lanes.takeAll()).toEqual([1, 2, 1, 2])
    lanes.slow(1)
    lanes.slow(2)
    lanes.end(1, true)
    expect(lanes.takeAll()).toEqual([1])
  })

  test('do not starve: with fast ones always waiting they get every other turn', () => {
    const lanes = lanesWith({ 1: 100, 2: 100 }, 10, 10)
    lanes.takeNext()
    lanes.end(1, false)
    const turns: number[] = []
    for (let i = 0; i < 20; i++) {
      const { webhookId } = lanes.takeNext()!
      turns.push(webhookId)
      lanes.end(webhookId, webhookId === 2)
    }
    expect(turns.filter((id) => id === 1)).toHaveLength(10)
  })
})

describe('an unknown lane', () => {
  test('has one attempt in flight until it is answered', () => {
    const lanes = emptyLanes(100)
    for (let id = 1; id <= 20; id++) lanes.put(delivery({ id, webhookId: 1 }))
    expect(lanes.takeAll()).toEqual([1])
    lanes.end(1, true)
    expect(lanes.takeAll()).toHaveLength(10)
  })

  test('or until it is known to be slow', () => {
    const lanes = emptyLanes(100)
    for (let id = 1; id <= 20; id++) lanes.put(delivery({ id, webhookId: 1 }))
    expect(lanes.takeAll()).toEqual([1])
    lanes.slow(1)
    expect(lanes.takeAll()).toHaveLength(9)
  })
})

test('unknown lanes come before slow ones', () => {
  const lanes = lanesWith({ 1: 0, 2: 0 }, 40)
  for (const id of [1, 2]) {
    lanes.put(delivery({ id, webhookId: id }))
    lanes.takeNext()
    lanes.end(id, false)
  }
  for (const id of [1, 2, 3, 4]) lanes.put(delivery({ id: 10 + id, webhookId: id }))
  expect(lanes.takeAll()).toEqual([3, 4, 1, 2])
})

test('a delivery weighs more the longer its body is, and counts as unproven until its receiver is fast', () => {
  const lanes = emptyLanes(10)
  lanes.put(delivery({ id: 1, webhookId: 1 }))
  lanes.put(delivery({ id: 2, webhookId: 1, body: 'x'.repeat(6_500) }))
  expect([lanes.memory.totals, lanes.find(1)!.weight]).toEqual([{ fast: 0, unproven: 4, promised: 0 }, 4])
  lanes.takeNext()
  lanes.end(1, true)
  expect([lanes.memory.totals, lanes.speedOf(1)]).toEqual([{ fast: 3, unproven: 0, promised: 0 }, 'fast'])
})

describe('deliveries that have fallen behind', () => {
  /** 100 webhooks whose receivers have hung for 200 s, 15 s for each attempt, in 150 slots. */
  function hanging() {
    const lanes = emptyLanes(300)
    const { clock } = lanes
    let id = 0
    const publish = (webhookId: number) => lanes.put(delivery({ id: id++, webhookId }))
    for (let webhookId = 1; webhookId <= 100; webhookId++) for (let i = 0; i < 40; i++) publish(webhookId)
    const ends: number[][] = []
    for (let second = 0; second < 200; second++) {
      for (const webhookId of ends.shift() ?? []) lanes.end(webhookId, false)
      const taken = lanes.takeAll()
      for (const webhookId of taken) lanes.slow(webhookId)
      while (ends.length < 15) ends.push([])
      ends[14] = taken
      clock.advance(1000)
    }
    for (const webhookId of ends.flat()) lanes.end(webhookId, false)
    return { lanes, publish }
  }

  /** Webhooks sent to in this many seconds, each answering at once. */
  function takenIn(seconds: number, lanes: TestLanes): number[] {
    const taken: number[] = []
    for (let i = 0; i < seconds * 100; i++) {
      for (let next = lanes.takeNext(); next !== null; next = lanes.takeNext()) {
        taken.push(next.webhookId)
        lanes.end(next.webhookId, true)
      }
      lanes.clock.advance(10)
    }
    return taken
  }

  test('continue about as fast as while receivers hung, and tell when', () => {
    const { lanes: it } = hanging()
    const taken = takenIn(60, it)
    expect(taken.length / 60).toBeGreaterThanOrEqual(7)
    expect(taken.length / 60).toBeLessThanOrEqual(11)
    expect(it.takeAll().length).toBeLessThanOrEqual(1)
    it.clock.advance(it.nextInMs()!)
    expect(it.takeAll()).toHaveLength(1)
  })

  test('continue no faster because all webhooks changed, so that their targets are loaded first', () => {
    const { lanes: it } = hanging()
    const loading: Lane[] = []
    for (let next = it.next(); next !== null; next = it.next()) {
      it.block(next, 'loading')
      loading.push(next)
    }
    for (const lane of loading) it.unblock(lane, 'loading')
    expect(loading.length).toBeLessThanOrEqual(2)
    expect(takenIn(10, it).length / 10).toBeLessThanOrEqual(11)
  })

  test('leave less for themselves the more retries others have', () => {
    const { lanes: it } = hanging()
    prove(it, 200)
    let retries = 0
    const taken = Array.from({ length: 60 }, () => {
      for (let i = 0; i < 6; i++) it.put(delivery({ id: 5000 + retries++, webhookId: 200, attempts: 1 }))
      return takenIn(1, it)
    }).flat()
    const behind = taken.filter((webhookId) => webhookId !== 200).length
    expect(taken.length - behind).toBe(360)
    expect(behind / 60).toBeLessThanOrEqual(5)
    expect(behind).toBeGreaterThan(0)
  })

  test('delay neither fast lanes nor unknown ones', () => {
    const { lanes, publish } = hanging()
    prove(lanes, 200)
    lanes.takeAll()
    for (const webhookId of [200, 200, 200, 201]) publish(webhookId)
    expect(lanes.takeAll().sort()).toEqual([200, 200, 200, 201])
  })

  test('go webhook by webhook: one that answers again stays slow until none of its deliveries waits', () => {
    const { lanes, publish } = hanging()
    const first = takenIn(1, lanes)[0]!
    const lane = lanes.find(first)!
    expect(lanes.speedOf(first)).toBe('slow')
    lanes.dropOf(first)
    lanes.noteBacklog(lane)
    publish(first)
    while (!takenIn(1, lanes).includes(first));
    expect(lanes.speedOf(first)).toBe('slow')
    lanes.claimBegins()
    lanes.caughtUp(() => true)
    publish(first)
    while (!takenIn(1, lanes).includes(first));
    expect(lanes.speedOf(first)).toBe('fast')
  })

  test('are gone once all have been sent: then nothing is delayed', () => {
    const { lanes, publish } = hanging()
    for (let webhookId = 1; webhookId <= 100; webhookId++) lanes.dropOf(webhookId)
    lanes.takeAll()
    for (let webhookId = 1; webhookId <= 100; webhookId++) publish(webhookId)
    expect(lanes.takeAll()).toHaveLength(100)
    expect(lanes.nextInMs()).toBeNull()
  })
})

describe('drop', () => {
  test('removes waiting deliveries and leaves those in flight', () => {
    const lanes = lanesWith({ 1: 3, 2: 1 })
    lanes.takeNext()
    expect(lanes.dropOf(1).map(({ id }) => id)).toEqual([2, 3])
    expect([lanes.memory.waiting, lanes.inFlight]).toEqual([1, 1])
    lanes.end(1, true)
    expect(lanes.inFlight).toBe(0)
    expect(lanes.takeAll()).toEqual([2])
  })
})

test('a long lane is taken in order to its end', () => {
  const lanes = lanesWith({ 1: 5000 })
  const ids: number[] = []
  for (let next = lanes.takeNext(); next !== null; next = lanes.takeNext()) {
    ids.push(next.id)
    lanes.end(1, true)
  }
  expect(ids).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1))
})

describe('a stored backlog', () => {
  test('is over once a claim has caught up with it, unless it was recorded since that claim began', () => {
    const lanes = lanesWith({ 1: 0, 2: 0, 3: 0, 4: 0 })
    const note = (...ids: readonly number[]) => {
      for (const id of ids) lanes.noteBacklog(lanes.find(id)!)
    }
    const noted = () => Array.from(lanes.keptInStore(), ({ webhookId }) => webhookId).sort()
    note(1, 2, 3)
    lanes.claimBegins()
    note(2, 4)
    lanes.caughtUp(({ webhookId }) => webhookId !== 3)
    expect(noted()).toEqual([2, 3, 4])
    lanes.claimBegins()
    lanes.caughtUp(() => true)
    expect(noted()).toEqual([])
  })
})

describe('a workspace that uses much memory', () => {
  /** Workspace 1 with a weight of 12,000 in 100 fast lanes. */
  function full() {
    const lanes = emptyLanes(10_000)
    for (let webhookId = 1; webhookId <= 100; webhookId++) {
      lanes.put(delivery({ id: webhookId, webhookId }))
      lanes.takeNext()
      lanes.end(webhookId, true)
      for (let id = 1; id <= 4; id++) lanes.put(delivery({ id, webhookId, body: 'x'.repeat(29 * 3_250) }))
    }
    expect(lanes.memory.fullWorkspaces('fast')).toEqual([1])
    return lanes
  }

  test('stays full when one of its lanes is emptied', () => {
    const lanes = full()
    lanes.dropOf(1)
    expect([
      lanes.memory.isFull(1, 'fast'),
      lanes.memory.hasRoomAgain(lanes.find(1)!.workspace, 'fast'),
    ]).toEqual([true, false])
    for (let webhookId = 2; webhookId <= 80; webhookId++) lanes.dropOf(webhookId)
    expect(lanes.memory.hasRoomAgain(lanes.find(1)!.workspace, 'fast')).toBe(true)
  })

  test('is no longer full once nothing waits, even if all lanes turned slow before', () => {
    const lanes = full()
    for (let webhookId = 1; webhookId <= 100; webhookId++) lanes.slow(webhookId)
    expect(lanes.takeAll()).toHaveLength(400)
    expect(lanes.memory.fullWorkspaces('unproven')).toEqual([])
    expect(lanes.memory.isFull(1, 'fast')).toBe(false)
  })
})

describe('of many webhooks', () => {
  const LANES = 100_000
  const lanesOf = (count: number) => {
    const lanes = emptyLanes(10)
    for (let webhookId = 1; webhookId <= count; webhookId++)
      lanes.of({ webhookId, workspaceId: webhookId % 100 })
    return lanes
  }

  test('100,000 are remembered: the oldest idle one is forgotten', () => {
    const lanes = lanesOf(LANES + 1)
    expect([1, 2, LANES + 1].map((id) => lanes.find(id) !== undefined)).toEqual([false, true, true])
  })

  test.each([0, 1])('bodies that were sent are not kept, with %d more waiting', (left) => {
    const lanes = emptyLanes(10_000)
    const before = liveHeapBytes()
    for (let webhookId = 1; webhookId <= 400; webhookId++) {
      prove(lanes, webhookId)
      const bodies = Array.from({ length: 10 + left }, () => Buffer.alloc(2_000, 'x').toString('latin1'))
      lanes.put(...bodies.map((body, id) => delivery({ id, webhookId, body })))
      for (let sent = 0; sent < 10; sent++) lanes.take(lanes.find(webhookId)!)
    }
    // All that were sent are 8 MB, and those that wait 0.8 MB.
    expect(liveHeapBytes() - before).toBeLessThan(4e6)
    expect(lanes.memory.waiting).toBe(400 * left)
  })

  test('none that is in use is forgotten', () => {
    const lanes = lanesOf(LANES - 3)
    lanes.put(delivery({ id: 1, webhookId: 1 }))
    lanes.noteBacklog(lanes.find(2)!)
    lanes.block(lanes.find(3)!, 'unsendable')
    for (let webhookId = LANES; webhookId < LANES + 20; webhookId++) lanes.of({ webhookId, workspaceId: 1 })
    expect([1, 2, 3, 4].map((id) => lanes.find(id) !== undefined)).toEqual([true, true, true, false])
  })
})
