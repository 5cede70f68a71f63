import { describe, expect, test } from 'vitest'
import { MemoryBudget } from '../../src/engine/schedule/memoryBudget.ts'
import { SendQueue } from '../../src/engine/schedule/sendQueue.ts'
import type { WebhookRef } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { ManualClock } from '../support/manualClock.ts'

/** Of the workspace that most of these tests have alone. */
const ref = (webhookId: number) => ({ webhookId, workspaceId: 1 })
const ofItsOwn = (webhookId: number) => ({ webhookId, workspaceId: webhookId })

function setUp() {
  const limits = { maxInFlight: 512, maxInFlightPerWebhook: 10 }
  const queue = new SendQueue({ limits, hangMs: 15_000, clock: new ManualClock(), hasBacklog: () => false })
  const budget = new MemoryBudget(queue)
  /** Publishes to webhooks in turn for as long as one of them is let in. @returns how many each got on average */
  const fill = (
    webhookIds: readonly number[],
    body = '{}',
    refOf: (webhookId: number) => WebhookRef = ref,
  ) => {
    let added = 0
    for (let before = -1; added > before; ) {
      before = added
      for (const webhookId of webhookIds) {
        if (!budget.admits(refOf(webhookId))) continue
        queue.add(delivery({ id: 1, ...refOf(webhookId), body }))
        added++
      }
    }
    return added / webhookIds.length
  }
  const make = (webhookId: number, standing: 'prompt' | 'slow') => {
    queue.add(delivery({ id: 0, webhookId }))
    queue.next()
    queue.finished(webhookId, standing === 'prompt')
  }
  const prove = (webhookId: number) => make(webhookId, 'prompt')
  const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
  return { queue, budget, make, prove, fill, range }
}

describe('however many webhooks have a backlog', () => {
  test.each([1, 10, 300, 3000])('%d that are not prompt leave room for one more such webhook', (count) => {
    const { budget, fill, range } = setUp()
    fill(range(count))
    expect(budget.admits(ref(9999))).toBe(true)
    expect(budget.room).toBeGreaterThanOrEqual(10_000)
  })

  test.each([1, 10, 300])('%d that are prompt leave room for those that are not', (count) => {
    const { budget, prove, fill, range } = setUp()
    for (const id of range(count)) prove(id)
    fill(range(count))
    expect(budget.admits(ref(9999))).toBe(true)
  })

  test('the more they are, the less each has in memory', () => {
    const each = [1, 10, 100, 1000].map((count) => {
      const { fill, range } = setUp()
      return fill(range(count))
    })
    expect(each).toEqual(each.toSorted((a, b) => b - a))
    expect(each[0]).toBe(477)
    expect(each[3]).toBeLessThanOrEqual(10)
  })

  test('long bodies count for more', () => {
    const { budget, fill, range } = setUp()
    const each = fill(range(300), 'x'.repeat(65_000))
    expect(each).toBeLessThanOrEqual(2)
    expect(budget.admits(ref(9999))).toBe(true)
  })
})

describe('the first delivery to a webhook not tried yet', () => {
  test('is let in though slow ones take all that they may, but no second one', () => {
    const { queue, budget, make, fill } = setUp()
    make(1, 'slow')
    fill([1], 'x'.repeat(32_500_000), ofItsOwn)
    expect([budget.unprovenRoom, budget.admits(ofItsOwn(2)), budget.admitsClaimed(ofItsOwn(2))]).toEqual([
      0,
      true,
      true,
    ])
    queue.add(delivery({ id: 1, ...ofItsOwn(2) }))
    expect(budget.admits(ofItsOwn(2))).toBe(false)
    make(3, 'slow')
    expect(budget.admits(ofItsOwn(3))).toBe(false)
  })

  test('leaves a quarter of the memory to prompt ones, however many there are', () => {
    const { budget, prove, fill, range } = setUp()
    prove(99_999)
    expect(fill(range(18_000), '{}', ofItsOwn)).toBe(15_000 / 18_000)
    expect([budget.room, budget.admits(ofItsOwn(99_998))]).toEqual([5_000, false])
    expect(fill([99_999])).toBeGreaterThan(400)
  })

  test('nor does it take the fifth that is kept from claims', () => {
    const { budget, prove, fill, range } = setUp()
    for (const id of range(300)) prove(id)
    fill(range(10_000).map((id) => 1000 + id))
    fill(range(4))
    expect(budget.room).toBeGreaterThan(4000)
    const firsts = range(18_000).map((id) => 20_000 + id)
    fill(firsts, '{}', ofItsOwn)
    expect(budget.room).toBe(4000)
  })
})

test('one that is not prompt may have one waiting as long as there is room at all', () => {
  const { queue, budget, make } = setUp()
  make(1, 'slow')
  queue.add(delivery({ id: 1, webhookId: 2, workspaceId: 2, body: 'x'.repeat(3_250 * 9_998) }))
  expect([budget.unprovenRoom, budget.unprovenLimit, budget.admits(ref(1))]).toEqual([1, 1, true])
  queue.add(delivery({ id: 2, webhookId: 1 }))
  expect([budget.unprovenRoom, budget.unprovenLimit]).toEqual([0, 0])
})

test('claims leave a fifth of the memory to what is published, or half of what is free', () => {
  const { budget } = setUp()
  expect([budget.room, budget.claimRoom]).toEqual([20_000, 16_000])
  budget.promise(1, 18_500)
  expect([budget.room, budget.claimRoom]).toEqual([1_500, 750])
  budget.keepPromise(1, 18_500)
  expect(budget.claimRoom).toBe(16_000)
})

test('what was claimed for a prompt webhook is let in, and for any other within its limit', () => {
  const { budget, prove, fill } = setUp()
  prove(1)
  fill([1])
  fill([2])
  expect([1, 2].map((id) => budget.admits(ref(id)))).toEqual([false, false])
  expect([1, 2].map((id) => budget.admitsClaimed(ref(id)))).toEqual([true, false])
})

describe('what workspaces publish', () => {
  test('leaves a part of the memory to the next one', () => {
    const { queue, budget } = setUp()
    for (let workspaceId = 1; workspaceId <= 6; workspaceId++) {
      const room = budget.roomOf(workspaceId)
      expect(room).toBeGreaterThan(0)
      for (let id = 0; id < room; id++) queue.add(delivery({ id, webhookId: workspaceId, workspaceId }))
      expect(budget.roomOf(workspaceId)).toBe(0)
      if (workspaceId === 1) expect(room).toBe(16_000)
    }
  })

  test('counts with what was promised to the same workspace', () => {
    const { budget } = setUp()
    budget.promise(1, 10_000)
    expect([budget.roomOf(1), budget.roomOf(2)]).toEqual([6_000, 8_000])
    budget.keepPromise(1, 10_000)
    expect([budget.roomOf(1), budget.roomOf(2)]).toEqual([16_000, 16_000])
  })

  test('counts right when calls that were promised nothing are answered last', () => {
    const { budget } = setUp()
    budget.promise(1, 10_000)
    budget.promise(1, 0)
    budget.keepPromise(1, 10_000)
    budget.keepPromise(1, 0)
    expect([budget.room, budget.roomOf(1)]).toEqual([20_000, 16_000])
    budget.promise(1, 1_000)
    expect([budget.room, budget.roomOf(1)]).toEqual([19_000, 15_000])
  })
})

test('however much one workspace publishes, and keeps waiting for slow webhooks, others have room', () => {
  const { queue, budget, make, range } = setUp()
  const ids = range(12_000)
  for (const id of [...ids, 50_000]) make(id, 'slow')
  for (const id of ids) if (budget.admitsClaimed(ref(id))) queue.add(delivery({ id, webhookId: id }))
  expect(queue.weightOfWorkspace(1, 'unproven')).toBe(6_000)
  expect(budget.admitsClaimed({ webhookId: 50_000, workspaceId: 2 })).toBe(true)
  const firsts = range(9_000).map((id) => 60_000 + id)
  for (const id of firsts) if (budget.admitsClaimed(ref(id))) queue.add(delivery({ id, webhookId: id }))
  expect(queue.weightOfWorkspace(1, 'unproven')).toBe(8_000)
  expect(budget.admitsClaimed({ webhookId: 50_000, workspaceId: 2 })).toBe(true)
  const rest = budget.roomOf(1)
  for (let id = 0; id < rest; id++) queue.add(delivery({ id, webhookId: 20_000 + id }))
  expect([budget.roomOf(1), budget.roomOf(2), budget.claimRoom]).toEqual([0, 3_200, 2_000])
})
