import { describe, expect, test } from 'vitest'
import { delivery } from '../support/deliveries.ts'
import { hook, hooks, setUpClaimer, WORKSPACE } from './claimerFixture.ts'
import { away, settled } from './fakes.ts'

describe('the claimer', () => {
  test('claims at its start and at least every second', async () => {
    const { calls, answer, advance, started, claimed } = setUpClaimer()
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
    const { calls, answer, started } = setUpClaimer()
    await started()
    await answer({ nextAfterWebhookId: 40 })
    await answer({ nextAfterWebhookId: 90 })
    await answer({})
    expect(calls.map(({ params }) => params.afterWebhookId)).toEqual([0, 40, 90])
  })

  test('comes back at the moment the next delivery is due', async () => {
    const { clock, calls, answer, advance, started } = setUpClaimer()
    await started()
    await answer({ nextAfterWebhookId: 3, nextDueAt: clock.now() + 700 })
    await answer({ nextDueAt: clock.now() + 300 })
    await advance(299)
    expect(calls).toHaveLength(2)
    await advance(1)
    expect(calls).toHaveLength(3)
  })

  test('woken for a time that has passed, it claims at once', async () => {
    const { clock, calls, claimer, answer, advance, started } = setUpClaimer()
    await started()
    await answer({})
    claimer.wake(clock.now() - 5000)
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('claims nothing without room, and as soon as there is room again', async () => {
    const { budget, calls, claimer, advance, started } = setUpClaimer()
    budget.claimRoom = 0
    await started()
    await advance(5000)
    expect(calls).toHaveLength(0)
    budget.claimRoom = 499
    claimer.roomFreed(hook(1), 100)
    await advance(0)
    expect(calls).toHaveLength(0)
    budget.claimRoom = 500
    claimer.roomFreed(hook(1), 100)
    await advance(0)
    expect(calls).toHaveLength(1)
  })

  test('claims no more than there is room for', async () => {
    const { budget, calls, started } = setUpClaimer()
    budget.claimRoom = 7
    await started()
    expect(calls[0]!.params.limit).toBe(7)
  })

  test('claims fewer once it knows that deliveries are heavy, and more again little by little', async () => {
    const { budget, calls, answer, advance, started } = setUpClaimer()
    budget.claimRoom = 1_000
    const heavy = delivery({ id: 1, webhookId: 1, body: 'x'.repeat(3_250 * 9) })
    const light = delivery({ id: 2, webhookId: 1 })
    await started()
    for (const found of [heavy, light, light]) {
      await answer({ deliveries: [found] })
      await advance(1000)
    }
    expect(calls.map(({ params }) => params.limit)).toEqual([500, 100, 181, 307])
  })

  test('claims nothing while the lease has run out', async () => {
    const { node, calls, advance, started } = setUpClaimer()
    node.held = false
    await started()
    await advance(5000)
    expect(calls).toHaveLength(0)
    node.held = true
    await advance(1000)
    expect(calls).toHaveLength(1)
  })

  test('hands on nothing that it claimed under a lease that was lost meanwhile', async () => {
    const { node, answer, started, claimed } = setUpClaimer()
    await started()
    node.id = 2
    await answer({ deliveries: [delivery({ id: 5, webhookId: 1 })] })
    expect(claimed).toEqual([])
  })

  test('goes on after the store was away', async () => {
    const { calls, advance, started } = setUpClaimer()
    await started()
    calls[0]!.reject(away())
    await settled()
    await advance(1000)
    expect(calls).toHaveLength(2)
  })
})

describe('the first turn', () => {
  test('takes a few of each webhook, the others as many as one may have', async () => {
    const { calls, answer, advance, started } = setUpClaimer()
    await started()
    await answer({ more: hooks(1, 2), nextAfterWebhookId: 125 })
    await answer({})
    await advance(1000)
    expect(calls.map(({ params }) => params.perWebhook)).toEqual([4, 4, 128])
  })

  test('takes fewer when room grows scarce, and leaves out nobody', async () => {
    const { budget, calls, answer, started } = setUpClaimer()
    for (const id of [1, 2]) budget.slow.add(id)
    await started()
    Object.assign(budget, { unprovenRoom: 160, unprovenLimit: 8 })
    await answer({ more: hooks(1, 2), nextAfterWebhookId: 2 })
    Object.assign(budget, { unprovenRoom: 0, unprovenLimit: 0 })
    await answer({ nextAfterWebhookId: 4 })
    expect(calls.map(({ params }) => [params.perWebhook, params.except])).toEqual([
      [4, []],
      [2, []],
      [1, []],
    ])
  })

  test('goes on where it had to stop for lack of room', async () => {
    const { budget, calls, answer, advance, started } = setUpClaimer()
    await started()
    budget.claimRoom = 0
    await answer({ nextAfterWebhookId: 125 })
    budget.claimRoom = 500
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ perWebhook: 4, afterWebhookId: 125 })
  })

  test('comes again, from its beginning, when the node goes on under a new id', async () => {
    const { node, budget, calls, claimer, answer, advance, underWay } = setUpClaimer()
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
  const { clock, calls, claimer, answer, advance, started } = setUpClaimer()
  await started()
  await answer({ nextDueAt: clock.now() + 1 })
  claimer.wake(clock.now() + 2)
  await advance(49)
  expect(calls).toHaveLength(1)
  await advance(1)
  expect(calls).toHaveLength(2)
})

test('a webhook that cannot be sent to is neither claimed for nor leased to, until it changes', async () => {
  const { claimer, calls, answer, advance, started } = setUpClaimer()
  claimer.setUnsendable(hook(9))
  await started()
  expect([calls[0]!.params.except, claimer.withheld(WORKSPACE)]).toEqual([[9], [9]])
  await answer({})
  claimer.setSendable(9)
  await advance(1000)
  expect([calls[1]!.params.except, claimer.withheld(WORKSPACE)]).toEqual([[], []])
})
