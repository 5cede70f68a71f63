import { describe, expect, test } from 'vitest'
import { CLAIM_PER_WEBHOOK, Claimer } from '../../src/engine/claimer.ts'
import { Troubles } from '../../src/engine/troubles.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { delivery } from '../support/deliveries.ts'
import { ManualClock } from '../support/manualClock.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'

type Params = Parameters<Storage['claimDue']>[0]
type Result = Awaited<ReturnType<Storage['claimDue']>>

const NONE: Result = { deliveries: [], more: [], nextAfterWebhookId: 0, nextDueAt: null }

function setUp() {
  const clock = new ManualClock()
  const { calls, verb } = openCalls<Params, Result>()
  const node = { id: 1, held: true }
  const budget = {
    ...{ claimRoom: 9_000, unprovenRoom: 5_000, unprovenLimit: 250 },
    slow: new Set<number>(),
    isPrompt: (webhookId: number) => !budget.slow.has(webhookId),
    full: [] as number[],
    fullWebhooks: () => budget.full,
  }
  const claimed: number[] = []
  const claimer = new Claimer({
    storage: storageOf({ claimDue: verb }),
    clock,
    troubles: new Troubles(clock, recordedLog()),
    budget,
    nodeId: () => node.id,
    held: () => node.held,
    onClaimed: (deliveries) => claimed.push(...deliveries.map(({ id }) => id)),
  })
  /** Answers the call under way and lets what follows from it run. */
  const answer = async (result: Partial<Result>) => {
    calls.at(-1)!.resolve({ ...NONE, ...result })
    await settled()
  }
  const advance = async (ms: number) => {
    clock.advance(ms)
    await settled()
  }
  const started = async () => {
    claimer.start()
    await advance(0)
  }
  /** After the first turn, in which nothing was due. */
  const underWay = async () => {
    await started()
    await answer({})
    await advance(1000)
    calls.shift()
  }
  return { clock, calls, node, budget, claimed, claimer, answer, advance, started, underWay }
}

describe('the claimer', () => {
  test('claims at its start and at least every second', async () => {
    const { calls, answer, advance, started, claimed } = setUp()
    await started()
    expect(calls[0]!.params).toMatchObject({ nodeId: 1, limit: 500, perWebhook: 4, afterWebhookId: 0 })
    await answer({ deliveries: [delivery({ id: 5, webhookId: 1 })], nextDueAt: Number.MAX_SAFE_INTEGER })
    expect(claimed).toEqual([5])
    await advance(999)
    expect(calls).toHaveLength(1)
    await advance(1)
    expect(calls).toHaveLength(2)
  })

  test('goes on from where it was until every webhook had its turn', async () => {
    const { calls, answer, started } = setUp()
    await started()
    await answer({ nextAfterWebhookId: 40 })
    await answer({ nextAfterWebhookId: 90 })
    await answer({})
    expect(calls.map(({ params }) => params.afterWebhookId)).toEqual([0, 40, 90])
  })

  test('comes back at the moment the next delivery is due', async () => {
    const { clock, calls, answer, advance, started } = setUp()
    await started()
    await answer({ nextAfterWebhookId: 3, nextDueAt: clock.now() + 700 })
    await answer({ nextDueAt: clock.now() + 300 })
    await advance(299)
    expect(calls).toHaveLength(2)
    await advance(1)
    expect(calls).toHaveLength(3)
  })

  test('woken for a time that has passed, it claims at once', async () => {
    const { clock, calls, claimer, answer, advance, started } = setUp()
    await started()
    await answer({})
    claimer.wake(clock.now() - 5000)
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('claims nothing without room, and as soon as there is room again', async () => {
    const { budget, calls, claimer, advance, started } = setUp()
    budget.claimRoom = 0
    await started()
    await advance(5000)
    expect(calls).toHaveLength(0)
    budget.claimRoom = 499
    claimer.roomFreed(1, 100)
    await advance(0)
    expect(calls).toHaveLength(0)
    budget.claimRoom = 500
    claimer.roomFreed(1, 100)
    await advance(0)
    expect(calls).toHaveLength(1)
  })

  test('claims no more than there is room for', async () => {
    const { budget, calls, started } = setUp()
    budget.claimRoom = 7
    await started()
    expect(calls[0]!.params.limit).toBe(7)
  })

  test('claims nothing while the lease has run out', async () => {
    const { node, calls, advance, started } = setUp()
    node.held = false
    await started()
    await advance(5000)
    expect(calls).toHaveLength(0)
    node.held = true
    await advance(1000)
    expect(calls).toHaveLength(1)
  })

  test('hands on nothing that it claimed under a lease that was lost meanwhile', async () => {
    const { node, answer, started, claimed } = setUp()
    await started()
    node.id = 2
    await answer({ deliveries: [delivery({ id: 5, webhookId: 1 })] })
    expect(claimed).toEqual([])
  })

  test('goes on after the store was away', async () => {
    const { calls, advance, started } = setUp()
    await started()
    calls[0]!.reject(away())
    await settled()
    await advance(1000)
    expect(calls).toHaveLength(2)
  })
})

describe('the first turn', () => {
  test('takes a few of each webhook, the others all that one may have', async () => {
    const { calls, answer, advance, started } = setUp()
    await started()
    await answer({ more: [1, 2], nextAfterWebhookId: 125 })
    await answer({})
    await advance(1000)
    expect(calls.map(({ params }) => params.perWebhook)).toEqual([4, 4, 64])
  })

  test('takes fewer when room grows scarce, and leaves out nobody', async () => {
    const { budget, calls, answer, started } = setUp()
    for (const id of [1, 2]) budget.slow.add(id)
    await started()
    Object.assign(budget, { unprovenRoom: 160, unprovenLimit: 8 })
    await answer({ more: [1, 2], nextAfterWebhookId: 2 })
    Object.assign(budget, { unprovenRoom: 0, unprovenLimit: 0 })
    await answer({ nextAfterWebhookId: 4 })
    expect(calls.map(({ params }) => [params.perWebhook, params.except])).toEqual([
      [4, []],
      [2, []],
      [1, []],
    ])
  })

  test('goes on where it had to stop for lack of room', async () => {
    const { budget, calls, answer, advance, started } = setUp()
    await started()
    budget.claimRoom = 0
    await answer({ nextAfterWebhookId: 125 })
    budget.claimRoom = 500
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ perWebhook: 4, afterWebhookId: 125 })
  })

  test('comes again, from its beginning, when the node goes on under a new id', async () => {
    const { node, budget, calls, claimer, answer, advance, underWay } = setUp()
    await underWay()
    expect(calls[0]!.params.perWebhook).toBe(64)
    node.id = 2
    await answer({ nextAfterWebhookId: 40 })
    expect(calls[1]!.params).toMatchObject({ nodeId: 2, perWebhook: 4, afterWebhookId: 0 })
    budget.claimRoom = 0
    await answer({ nextAfterWebhookId: 70 })
    node.id = 3
    budget.claimRoom = 500
    claimer.wake()
    await advance(0)
    expect(calls[2]!.params).toMatchObject({ nodeId: 3, perWebhook: 4, afterWebhookId: 0 })
  })
})

test('what falls due within 50 ms is claimed together', async () => {
  const { clock, calls, claimer, answer, advance, started } = setUp()
  await started()
  await answer({ nextDueAt: clock.now() + 1 })
  claimer.wake(clock.now() + 2)
  await advance(49)
  expect(calls).toHaveLength(1)
  await advance(1)
  expect(calls).toHaveLength(2)
})

describe('webhooks with a backlog in the store', () => {
  test('have their new deliveries withheld until a claim has caught up', async () => {
    const { claimer, answer, advance, started } = setUp()
    await started()
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })], more: [7] })
    expect(claimer.withheld()).toEqual([7])
    await advance(1000)
    await answer({ deliveries: [delivery({ id: 2, webhookId: 7 })] })
    expect(claimer.withheld()).toEqual([])
  })

  test('are claimed for at once when a publish leaves deliveries unleased', async () => {
    const { claimer, calls, answer, advance, started } = setUp()
    await started()
    await answer({})
    claimer.addBacklog([])
    await advance(0)
    expect(calls).toHaveLength(1)
    claimer.addBacklog([3])
    await advance(0)
    expect([claimer.withheld(), calls.length]).toEqual([[3], 2])
  })

  test('are claimed for again when half of what was in memory has gone', async () => {
    const { claimer, calls, answer, advance, started } = setUp()
    await started()
    await answer({ more: [7] })
    claimer.roomFreed(7, CLAIM_PER_WEBHOOK / 2)
    claimer.roomFreed(8, 0)
    await advance(0)
    expect(calls).toHaveLength(1)
    claimer.roomFreed(7, CLAIM_PER_WEBHOOK / 2 - 1)
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('are left out while enough of them is in memory', async () => {
    const { budget, calls, started } = setUp()
    budget.full = [4]
    await started()
    expect(calls[0]!.params.except).toEqual([4])
  })
})

describe('webhooks with a backlog that are not known to be prompt', () => {
  test('are claimed for like all others while there is plenty of room', async () => {
    const { budget, claimer, calls, answer, advance, underWay } = setUp()
    budget.slow.add(8)
    await underWay()
    await answer({ more: [8] })
    claimer.roomFreed(8, CLAIM_PER_WEBHOOK / 2 - 1)
    await advance(0)
    expect(calls[1]!.params).toMatchObject({ perWebhook: 64, except: [] })
    await answer({})
    expect(calls).toHaveLength(2)
  })
})

describe('when room is scarce, webhooks with a backlog that are not known to be prompt', () => {
  async function withBacklogOf(...slow: readonly number[]) {
    const it = setUp()
    for (const id of slow) it.budget.slow.add(id)
    Object.assign(it.budget, { unprovenRoom: 0, unprovenLimit: 0 })
    await it.underWay()
    await it.answer({ more: [7, ...slow] })
    Object.assign(it.budget, { unprovenRoom: 2_000, unprovenLimit: 100 })
    return it
  }

  test('have a round of their own, after that of all others', async () => {
    const { calls, advance, answer } = await withBacklogOf(8, 9)
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ limit: 500, perWebhook: 64, except: [8, 9] })
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })] })
    expect(calls[2]!.params).toMatchObject({ limit: 500, perWebhook: 25, except: [] })
    await answer({ deliveries: [delivery({ id: 2, webhookId: 8 })] })
    await advance(1000)
    expect(calls[3]!.params).toMatchObject({ perWebhook: 64, except: [9] })
  })

  test('have it once a second, however often others are claimed for, and do not bring it forward', async () => {
    const { calls, claimer, advance, answer } = await withBacklogOf(8)
    await advance(1000)
    await answer({})
    await answer({ more: [8] })
    for (let i = 0; i < 3; i++) {
      claimer.roomFreed(8, 0)
      await advance(100)
      claimer.wake()
      await advance(0)
      await answer({})
    }
    const rounds = calls.slice(3).map(({ params }) => params.except)
    expect(rounds).toEqual([[8], [8], [8]])
  })

  test('get as much as there is room for all of them, in turn', async () => {
    const { budget, calls, advance, answer } = await withBacklogOf(8, 9)
    Object.assign(budget, { unprovenRoom: 600, unprovenLimit: 12 })
    await advance(1000)
    await answer({})
    expect(calls[2]!.params).toMatchObject({ limit: 300, perWebhook: 3, afterWebhookId: 0 })
    Object.assign(budget, { unprovenRoom: 3, unprovenLimit: 1 })
    await answer({ nextAfterWebhookId: 8 })
    expect(calls[3]!.params).toMatchObject({ limit: 3, perWebhook: 1, afterWebhookId: 8 })
    Object.assign(budget, { unprovenRoom: 0, unprovenLimit: 0 })
    await answer({ nextAfterWebhookId: 9 })
    expect(calls).toHaveLength(4)
    Object.assign(budget, { unprovenRoom: 200, unprovenLimit: 10 })
    await advance(1000)
    await answer({})
    expect(calls[5]!.params).toMatchObject({ limit: 100, perWebhook: 2, afterWebhookId: 9 })
  })

  test('are claimed for even while prompt ones take all the room that claims may', async () => {
    const { budget, calls, advance } = await withBacklogOf(8)
    budget.claimRoom = 0
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ perWebhook: 25, except: [] })
  })

  test('count among those with a backlog when they are put off, which wakes nobody', async () => {
    const { calls, claimer, answer, advance, started } = setUp()
    await started()
    await answer({})
    claimer.putOff([3])
    await advance(0)
    expect([claimer.withheld(), claimer.hasBacklog(3), calls.length]).toEqual([[3], true, 1])
  })
})

test('a webhook that cannot be sent to is neither claimed for nor leased to, until it changes', async () => {
  const { claimer, calls, answer, advance, started } = setUp()
  claimer.setUnsendable(9, true)
  await started()
  expect([calls[0]!.params.except, claimer.withheld()]).toEqual([[9], [9]])
  await answer({})
  claimer.setUnsendable(9, false)
  await advance(1000)
  expect([calls[1]!.params.except, claimer.withheld()]).toEqual([[], []])
})
