import { describe, expect, test } from 'vitest'
import { SendQueue } from '../../src/engine/schedule/sendQueue.ts'
import type { LeasedDelivery } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { ManualClock } from '../support/manualClock.ts'

function emptyQueue(maxInFlight: number, maxInFlightPerWebhook = 10) {
  const clock = new ManualClock()
  const backlogged = new Set<number>()
  const queue = new SendQueue({
    hangMs: 15_000,
    limits: { maxInFlight, maxInFlightPerWebhook },
    clock,
    hasBacklog: (webhookId) => backlogged.has(webhookId),
  })
  return { queue, clock, backlogged }
}

function queueWith(lines: Readonly<Record<number, number>>, maxInFlight = 100, maxInFlightPerWebhook = 10) {
  const { queue } = emptyQueue(maxInFlight, maxInFlightPerWebhook)
  for (const webhookId of Object.keys(lines)) prove(queue, Number(webhookId))
  let id = 1
  for (const [webhookId, count] of Object.entries(lines)) {
    for (let i = 0; i < count; i++) queue.add(delivery({ id: id++, webhookId: Number(webhookId) }))
  }
  return queue
}

/** Lets the webhook answer promptly once. */
function prove(queue: SendQueue, webhookId: number): void {
  queue.add(delivery({ id: 0, webhookId }))
  queue.next()
  queue.finished(webhookId, true)
}

/** Webhooks of everything that may go now, in the order in which it goes. */
function takeAll(queue: SendQueue): number[] {
  const taken: number[] = []
  for (let next = queue.next(); next !== null; next = queue.next()) taken.push(next.webhookId)
  return taken
}

describe('turns', () => {
  test('webhooks go one after the other, however long the line of one is', () => {
    expect(takeAll(queueWith({ 1: 1000, 2: 2, 3: 1 })).slice(0, 7)).toEqual([1, 2, 3, 1, 2, 1, 1])
  })

  test('a delivery that comes late waits for one of each other webhook at most', () => {
    const queue = queueWith({ 1: 1000, 2: 1000 })
    queue.next()
    queue.add(delivery({ id: 9999, webhookId: 3 }))
    expect(takeAll(queue).indexOf(3)).toBeLessThanOrEqual(2)
  })

  test('workspaces go one after the other, however many webhooks one has', () => {
    const { queue } = emptyQueue(10_000)
    for (let webhookId = 1; webhookId <= 1_000; webhookId++)
      queue.add(delivery({ id: webhookId, webhookId, workspaceId: 1 }))
    queue.next()
    queue.add(delivery({ id: 5_000, webhookId: 5_000, workspaceId: 2 }))
    queue.add(delivery({ id: 6_000, webhookId: 6_000, workspaceId: 3 }))
    queue.add(delivery({ id: 6_001, webhookId: 6_001, workspaceId: 3 }))
    expect(takeAll(queue).slice(0, 6)).toEqual([2, 5_000, 6_000, 3, 6_001, 4])
  })

  test('a delivery that was put back goes before those of other workspaces', () => {
    const { queue } = emptyQueue(100)
    for (const [webhookId, workspaceId] of [
      [1, 1],
      [2, 2],
      [3, 1],
    ] as const)
      queue.add(delivery({ id: webhookId, webhookId, workspaceId }))
    const first = queue.next()!
    queue.putBack(first)
    expect(takeAll(queue)).toEqual([1, 2, 3])
  })

  test('a webhook that turns slow leaves its workspace its turn', () => {
    const { queue } = emptyQueue(100)
    for (const [webhookId, workspaceId] of [
      [1, 1],
      [2, 1],
      [3, 2],
    ] as const)
      for (const id of [1, 2]) queue.add(delivery({ id: 10 * webhookId + id, webhookId, workspaceId }))
    expect(queue.next()!.webhookId).toBe(1)
    queue.finished(1, true)
    queue.next()
    queue.markSlow(1)
    expect(takeAll(queue)).toContain(2)
  })

  test('a delivery that was put back is the next of its webhook', () => {
    const queue = queueWith({ 1: 3 })
    const first = queue.next()!
    queue.next()
    queue.putBack(first)
    expect(queue.next()).toBe(first)
  })

  test('and its webhook the next in turn, ahead of those that came meanwhile', () => {
    const queue = queueWith({ 1: 2, 2: 2, 3: 2 })
    const first = queue.next()!
    queue.putBack(first)
    expect(takeAll(queue)).toEqual([1, 2, 3, 1, 2, 3])
  })
})

describe('limits', () => {
  test('one webhook holds no more than its share of places', () => {
    const queue = queueWith({ 1: 50, 2: 3 }, 100, 4)
    expect(takeAll(queue).sort()).toEqual([1, 1, 1, 1, 2, 2, 2])
    queue.finished(1, true)
    expect(takeAll(queue)).toEqual([1])
  })

  test('all webhooks together hold no more than there are places', () => {
    const queue = queueWith({ 1: 5, 2: 5, 3: 5 }, 7)
    expect(takeAll(queue)).toHaveLength(7)
    queue.finished(1, true)
    expect(takeAll(queue)).toHaveLength(1)
  })
})

describe('slow webhooks', () => {
  test('share half of the places: an eighth is for those not tried yet, the others are kept for prompt ones', () => {
    const slow = Array.from({ length: 20 }, (_, i) => i + 1)
    const queue = queueWith({ ...Object.fromEntries(slow.map((id) => [id, 10])), 99: 0 }, 20)
    expect(takeAll(queue)).toEqual(slow)
    for (const id of slow) queue.finished(id, false)
    expect(takeAll(queue)).toEqual(slow.slice(0, 10))
    for (const id of [101, 102, 103]) queue.add(delivery({ id, webhookId: id }))
    expect(takeAll(queue)).toEqual([101, 102])
    for (let i = 0; i < 10; i++) queue.add(delivery({ id: 1000 + i, webhookId: 99 }))
    expect(takeAll(queue)).toEqual([99, 99, 99, 99, 99, 99, 99, 99])
  })

  test('do not take the places of those not tried yet, also when these turn out to be slow', () => {
    const slow = Array.from({ length: 20 }, (_, i) => i + 1)
    const queue = queueWith(Object.fromEntries(slow.map((id) => [id, 10])), 20)
    for (const id of takeAll(queue)) queue.finished(id, false)
    for (const id of [101, 102]) queue.add(delivery({ id, webhookId: id }))
    expect(takeAll(queue)).toEqual([101, 102, ...slow.slice(0, 8)])
    for (const id of [101, 102]) queue.markSlow(id)
    for (const id of [103, 104, 105]) queue.add(delivery({ id, webhookId: id }))
    expect(takeAll(queue)).toEqual([103, 104])
    queue.finished(101, false)
    expect(takeAll(queue)).toEqual([105])
    for (const id of [102, 1]) queue.finished(id, false)
    expect(takeAll(queue)).toEqual([])
    queue.finished(2, false)
    expect(takeAll(queue)).toEqual([9])
  })

  test.each([1, 2, 3])('and those not tried yet all get their turn with %d places', (maxInFlight) => {
    const { queue } = emptyQueue(maxInFlight)
    const deliveries = [1, 2, 3, 1, 2, 3].map((webhookId, id) => delivery({ id, webhookId }))
    for (const one of deliveries) queue.add(one)
    const attempted: LeasedDelivery[] = []
    for (let next = queue.next(); next !== null; next = queue.next()) {
      attempted.push(next)
      queue.finished(next.webhookId, false)
    }
    expect(attempted).toEqual(deliveries)
  })

  test('are remembered while nothing waits for them, so that a receiver that hangs does so once among the prompt', () => {
    const hanging = Array.from({ length: 20 }, (_, i) => i + 1)
    const queue = queueWith(Object.fromEntries(hanging.map((id) => [id, 1])), 20)
    expect(takeAll(queue)).toHaveLength(20)
    for (const id of hanging) queue.finished(id, false)
    for (const id of hanging) queue.add(delivery({ id: 1000 + id, webhookId: id }))
    expect(takeAll(queue)).toHaveLength(10)
  })

  test('and those not tried yet leave three eighths of the places to those that have proven prompt', () => {
    const queue = queueWith({ 99: 0 }, 16)
    for (let id = 1; id <= 2000; id++) queue.add(delivery({ id: 1000 + id, webhookId: 1000 + id }))
    expect(takeAll(queue)).toHaveLength(10)
    for (let id = 1; id <= 10; id++) queue.add(delivery({ id, webhookId: 99 }))
    expect(takeAll(queue)).toEqual([99, 99, 99, 99, 99, 99])
  })

  test('are prompt again after one prompt answer, even while the places of the slow are all taken', () => {
    const queue = queueWith({ 1: 5, 2: 5 }, 4, 3)
    expect(takeAll(queue)).toEqual([1, 2, 1, 2])
    queue.markSlow(1)
    queue.markSlow(2)
    queue.finished(1, true)
    expect(takeAll(queue)).toEqual([1])
  })

  test('do not starve: with prompt ones always waiting they get every other turn', () => {
    const queue = queueWith({ 1: 100, 2: 100 }, 10, 10)
    queue.next()
    queue.finished(1, false)
    const turns: number[] = []
    for (let i = 0; i < 20; i++) {
      const { webhookId } = queue.next()!
      turns.push(webhookId)
      queue.finished(webhookId, webhookId === 2)
    }
    expect(turns.filter((id) => id === 1)).toHaveLength(10)
  })
})

describe('a webhook not tried yet', () => {
  test('has one attempt in flight until it is answered', () => {
    const { queue } = emptyQueue(100)
    for (let id = 1; id <= 20; id++) queue.add(delivery({ id, webhookId: 1 }))
    expect(takeAll(queue)).toEqual([1])
    queue.finished(1, true)
    expect(takeAll(queue)).toHaveLength(10)
  })

  test('or until it is known to be slow', () => {
    const { queue } = emptyQueue(100)
    for (let id = 1; id <= 20; id++) queue.add(delivery({ id, webhookId: 1 }))
    expect(takeAll(queue)).toEqual([1])
    queue.markSlow(1)
    expect(takeAll(queue)).toHaveLength(9)
  })

  test('is tried with the next one when the first was put back', () => {
    const { queue } = emptyQueue(100)
    for (const id of [1, 2]) queue.add(delivery({ id, webhookId: 1 }))
    const first = queue.next()!
    queue.putBack(first)
    expect([queue.next(), queue.next()]).toEqual([first, null])
  })
})

test('webhooks not tried yet go before slow ones', () => {
  const queue = queueWith({ 1: 0, 2: 0 }, 40)
  for (const id of [1, 2]) {
    queue.add(delivery({ id, webhookId: id }))
    queue.next()
    queue.finished(id, false)
  }
  for (const id of [1, 2, 3, 4]) queue.add(delivery({ id: 10 + id, webhookId: id }))
  expect(takeAll(queue)).toEqual([3, 4, 1, 2])
})

test('a delivery weighs more the longer its body is, and counts as unproven until its webhook is prompt', () => {
  const { queue } = emptyQueue(10)
  queue.add(delivery({ id: 1, webhookId: 1 }))
  queue.add(delivery({ id: 2, webhookId: 1, body: 'x'.repeat(6_500) }))
  expect([queue.weight, queue.unprovenWeight, queue.weightOf(1)]).toEqual([4, 4, 4])
  queue.next()
  queue.finished(1, true)
  expect([queue.weight, queue.unprovenWeight, queue.standingOf(1)]).toEqual([3, 0, 'prompt'])
})

describe('what has fallen behind', () => {
  /** 100 webhooks whose receivers have hung for 200 s, 15 s for each attempt, in 150 places. */
  function hanging() {
    const it = emptyQueue(300)
    const { queue, clock } = it
    let id = 0
    const publish = (webhookId: number) => queue.add(delivery({ id: id++, webhookId }))
    for (let webhookId = 1; webhookId <= 100; webhookId++) for (let i = 0; i < 40; i++) publish(webhookId)
    const ends: number[][] = []
    for (let second = 0; second < 200; second++) {
      for (const webhookId of ends.shift() ?? []) queue.finished(webhookId, false)
      const taken = takeAll(queue)
      for (const webhookId of taken) queue.markSlow(webhookId)
      while (ends.length < 15) ends.push([])
      ends[14] = taken
      clock.advance(1000)
    }
    for (const webhookId of ends.flat()) queue.finished(webhookId, false)
    return { ...it, publish }
  }

  /** Webhooks that are sent to in so many seconds, each answering at once. */
  function takenIn(seconds: number, { queue, clock }: ReturnType<typeof emptyQueue>): number[] {
    const taken: number[] = []
    for (let i = 0; i < seconds * 100; i++) {
      for (let next = queue.next(); next !== null; next = queue.next()) {
        taken.push(next.webhookId)
        queue.finished(next.webhookId, true)
      }
      clock.advance(10)
    }
    return taken
  }

  test('goes on about as fast as it went while receivers hung, and tells when', () => {
    const it = hanging()
    const taken = takenIn(60, it)
    expect(taken.length / 60).toBeGreaterThanOrEqual(7)
    expect(taken.length / 60).toBeLessThanOrEqual(11)
    expect(takeAll(it.queue).length).toBeLessThanOrEqual(1)
    it.clock.advance(it.queue.nextInMs()!)
    expect(takeAll(it.queue)).toHaveLength(1)
  })

  test('leaves less for itself the more retries others have', () => {
    const it = hanging()
    prove(it.queue, 200)
    let retries = 0
    const taken = Array.from({ length: 60 }, () => {
      for (let i = 0; i < 6; i++)
        it.queue.add(delivery({ id: 5000 + retries++, webhookId: 200, attempts: 1 }))
      return takenIn(1, it)
    }).flat()
    const behind = taken.filter((webhookId) => webhookId !== 200).length
    expect(taken.length - behind).toBe(360)
    expect(behind / 60).toBeLessThanOrEqual(5)
    expect(behind).toBeGreaterThan(0)
  })

  test('holds up no prompt webhook, nor one not tried yet', () => {
    const { queue, publish } = hanging()
    prove(queue, 200)
    takeAll(queue)
    for (const webhookId of [200, 200, 200, 201]) publish(webhookId)
    expect(takeAll(queue).sort()).toEqual([200, 200, 200, 201])
  })

  test('goes webhook by webhook: one that answers again stays slow until nothing of it waits anywhere', () => {
    const it = hanging()
    const { queue, backlogged, publish } = it
    const first = takenIn(1, it)[0]!
    expect(queue.standingOf(first)).toBe('slow')
    queue.drop(first)
    backlogged.add(first)
    publish(first)
    while (!takenIn(1, it).includes(first));
    expect(queue.standingOf(first)).toBe('slow')
    backlogged.clear()
    publish(first)
    while (!takenIn(1, it).includes(first));
    expect(queue.standingOf(first)).toBe('prompt')
  })

  test('is no more once all of it has gone: then nothing is held up', () => {
    const { queue, publish } = hanging()
    for (let webhookId = 1; webhookId <= 100; webhookId++) queue.drop(webhookId)
    takeAll(queue)
    for (let webhookId = 1; webhookId <= 100; webhookId++) publish(webhookId)
    expect(takeAll(queue)).toHaveLength(100)
    expect(queue.nextInMs()).toBeNull()
  })
})

describe('drop', () => {
  test('takes out what waits and leaves what is in flight', () => {
    const queue = queueWith({ 1: 3, 2: 1 })
    queue.next()
    expect(queue.drop(1).map(({ id }) => id)).toEqual([2, 3])
    expect([queue.size, queue.inFlight]).toEqual([1, 1])
    queue.finished(1, true)
    expect(queue.inFlight).toBe(0)
    expect(takeAll(queue)).toEqual([2])
  })

  test('of a webhook that is not there is nothing', () => {
    const queue = queueWith({})
    expect(queue.drop(5)).toEqual([])
    queue.finished(5, true)
    queue.markSlow(5)
    expect([queue.size, queue.inFlight, queue.weight]).toEqual([0, 0, 0])
  })
})

test('a long line is taken in order to its end', () => {
  const queue = queueWith({ 1: 5000 })
  const ids: number[] = []
  for (let next = queue.next(); next !== null; next = queue.next()) {
    ids.push(next.id)
    queue.finished(1, true)
  }
  expect(ids).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1))
})
