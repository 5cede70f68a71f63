import { describe, expect, test } from 'vitest'
import { delivery } from '../support/deliveries.ts'
import { hooks, setUpClaimer } from './claimerFixture.ts'
import { away, settled } from './fakes.ts'

describe('the claimer', () => {
  test('claims at its start and at least every second', async () => {
    const { calls, answer, advance, started, waitingIn } = setUpClaimer()
    await started()
    expect(calls[0]!.params).toMatchObject({ nodeId: 1, limit: 500, perWebhook: 4, afterWebhookId: 0 })
    await answer({ deliveries: [delivery({ id: 5, webhookId: 1 })], nextDueAt: Number.MAX_SAFE_INTEGER })
    expect(waitingIn(1)).toBe(1)
    await advance(999)
    expect(calls).toHaveLength(1)
    await advance(1)
    expect(calls).toHaveLength(2)
  })

  test('continues where it was until every webhook had its turn', async () => {
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

  test('claims at once when woken for a time in the past', async () => {
    const { clock, calls, claimer, answer, advance, started } = setUpClaimer()
    await started()
    await answer({})
    claimer.wake(clock.now() - 5000)
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('claims nothing without room, and as soon as there is room again', async () => {
    const { fill, lane, calls, claimer, advance, started } = setUpClaimer()
    fill({ promised: 20_000 })
    await started()
    await advance(5000)
    expect(calls).toHaveLength(0)
    fill({ promised: 19_002 })
    claimer.roomFreed(lane(1))
    await advance(0)
    expect(calls).toHaveLength(0)
    fill({ promised: 19_000 })
    claimer.roomFreed(lane(1))
    await advance(0)
    expect(calls).toHaveLength(1)
  })

  test('claims as soon as released deliveries make room', async () => {
    const { fill, lane, calls, claimer, advance, started, released } = setUpClaimer()
    fill({ promised: 20_000 })
    await started()
    await advance(5000)
    fill({ promised: 19_000 })
    claimer.release(lane(1), [])
    await advance(0)
    expect([calls.length, released]).toEqual([0, []])
    const dropped = delivery({ id: 7, webhookId: 1 })
    claimer.release(lane(1), [dropped])
    await advance(0)
    expect([calls.length, released]).toEqual([1, [dropped]])
  })

  test('claims no more than there is room for', async () => {
    const { fill, calls, started } = setUpClaimer()
    fill({ promised: 19_986 })
    await started()
    expect(calls[0]!.params.limit).toBe(7)
  })

  test('claims fewer once it knows that deliveries are heavy, and gradually more again', async () => {
    const { fill, calls, answer, advance, started } = setUpClaimer()
    const heavy = delivery({ id: 1, webhookId: 1, body: 'x'.repeat(3_250 * 9) })
    const light = delivery({ id: 2, webhookId: 1 })
    await started()
    for (const found of [heavy, light, light]) {
      await answer({ deliveries: [found] })
      fill({ promised: 18_000 })
      await advance(1000)
    }
    expect(calls.map(({ params }) => params.limit)).toEqual([500, 100, 181, 307])
  })

  test('claims nothing while the lease is expired', async () => {
    const { lease, calls, advance, started } = setUpClaimer()
    lease.valid = false
    await started()
    await advance(5000)
    expect(calls).toHaveLength(0)
    lease.valid = true
    await advance(1000)
    expect(calls).toHaveLength(1)
  })

  test('claims nothing while sending is stopped', async () => {
    const { lanes, calls, advance, started } = setUpClaimer()
    lanes.hold()
    await started()
    await advance(5000)
    expect(calls).toHaveLength(0)
    lanes.resume()
    await advance(1000)
    expect(calls).toHaveLength(1)
  })

  test('keeps nothing that it claimed under a lease that was lost in the meantime', async () => {
    const { lease, answer, started, waitingIn, released } = setUpClaimer()
    await started()
    lease.nodeId = 2
    await answer({ deliveries: [delivery({ id: 5, webhookId: 1 })] })
    expect([waitingIn(1), released]).toEqual([0, []])
  })

  test('releases deliveries without room, and knows that the store holds them', async () => {
    const { lane, fast, fill, answer, started, waitingIn, released, keptInStore } = setUpClaimer()
    fast(1)
    lane(2)
    await started()
    fill({ unproven: 10_000, fast: 9_000 })
    await answer({ deliveries: [1, 2].map((webhookId) => delivery({ id: webhookId, webhookId })) })
    expect([waitingIn(1), waitingIn(2), released.map(({ id }) => id), keptInStore()]).toEqual([
      1,
      0,
      [2],
      [2],
    ])
  })

  test('continues after a store outage', async () => {
    const { calls, advance, started } = setUpClaimer()
    await started()
    calls[0]!.reject(away())
    await settled()
    await advance(1000)
    expect(calls).toHaveLength(2)
  })
})

describe('the first round', () => {
  test('takes a few of each webhook, later rounds as many as one may have', async () => {
    const { fast, calls, answer, advance, started } = setUpClaimer()
    fast(1, 2)
    await started()
    await answer({ more: hooks(1, 2), nextAfterWebhookId: 125 })
    await answer({})
    await advance(1000)
    expect(calls.map(({ params }) => params.perWebhook)).toEqual([4, 4, 128])
  })

  test('takes fewer when room is scarce, and skips no webhook', async () => {
    const { fill, calls, answer, started } = setUpClaimer()
    await started()
    fill({ unproven: 9_840 })
    await answer({ more: hooks(1, 2), nextAfterWebhookId: 2 })
    fill({ unproven: 10_000 })
    await answer({ nextAfterWebhookId: 4 })
    expect(calls.map(({ params }) => [params.perWebhook, params.except])).toEqual([
      [4, []],
      [2, []],
      [1, []],
    ])
  })

  test('continues where it had to stop for lack of room', async () => {
    const { fill, calls, answer, advance, started } = setUpClaimer()
    await started()
    fill({ promised: 20_000 })
    await answer({ nextAfterWebhookId: 125 })
    fill({})
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ perWebhook: 4, afterWebhookId: 125 })
  })

  test('repeats from its beginning when the node continues under a new id', async () => {
    const { lease, fill, calls, claimer, answer, advance, underWay } = setUpClaimer()
    await underWay()
    expect(calls[0]!.params.perWebhook).toBe(64)
    lease.nodeId = 2
    await answer({ nextAfterWebhookId: 40 })
    expect(calls[1]!.params).toMatchObject({ nodeId: 2, perWebhook: 4, afterWebhookId: 0 })
    fill({ promised: 20_000 })
    await answer({ nextAfterWebhookId: 70 })
    lease.nodeId = 3
    fill({})
    claimer.wake()
    await advance(0)
    expect(calls[2]!.params).toMatchObject({ nodeId: 3, perWebhook: 4, afterWebhookId: 0 })
  })
})

test('deliveries due within 50 ms are claimed together', async () => {
  const { clock, calls, claimer, answer, advance, started } = setUpClaimer()
  await started()
  await answer({ nextDueAt: clock.now() + 1 })
  claimer.wake(clock.now() + 2)
  await advance(49)
  expect(calls).toHaveLength(1)
  await advance(1)
  expect(calls).toHaveLength(2)
})

test('a webhook that cannot be sent to is neither claimed nor leased, until it changes', async () => {
  const { lanes, lane, keptInStore, calls, answer, advance, started } = setUpClaimer()
  lanes.block(lane(9), 'unsendable')
  await started()
  expect([calls[0]!.params.except, keptInStore()]).toEqual([[9], [9]])
  await answer({})
  lanes.changed(9)
  await advance(1000)
  expect([calls[1]!.params.except, keptInStore()]).toEqual([[], []])
})
