import { describe, expect, test } from 'vitest'
import type { Trust } from '../../src/engine/schedule/admission.ts'
import { delivery } from '../support/deliveries.ts'
import { hook, hooks, setUpClaimer, WORKSPACE } from './claimerFixture.ts'

describe('lanes with a stored backlog', () => {
  test('have their new deliveries kept there until a claim has caught up', async () => {
    const { keptInStore, answer, advance, started } = setUpClaimer()
    await started()
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })], more: hooks(7) })
    expect(keptInStore()).toEqual([7])
    await advance(1000)
    await answer({ deliveries: [delivery({ id: 2, webhookId: 7 })] })
    await answer({})
    expect(keptInStore()).toEqual([])
  })

  test('have none any more when a claim finds none: other nodes may have taken it', async () => {
    const { fast, keptInStore, answer, advance, started } = setUpClaimer()
    fast(7)
    await started()
    await answer({ more: hooks(7) })
    await advance(1000)
    await answer({})
    expect(keptInStore()).toEqual([])
  })

  test('keep it until a claim has come to them', async () => {
    const { fast, put, keptInStore, answer, advance, started } = setUpClaimer()
    fast(6, 7, 8)
    put(6, 4_000)
    await started()
    await answer({ more: hooks(6, 7, 8) })
    await advance(1000)
    await answer({ nextAfterWebhookId: 7 })
    expect(keptInStore()).toEqual([6, 8])
    await answer({})
    expect(keptInStore()).toEqual([6])
  })

  test('keep one that was added during a claim', async () => {
    const { fast, lanes, lane, keptInStore, answer, advance, started } = setUpClaimer()
    fast(7)
    await started()
    lanes.noteBacklog(lane(7))
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })] })
    expect(keptInStore()).toEqual([7])
    await advance(1000)
    await answer({})
    expect(keptInStore()).toEqual([])
  })

  test('are claimed up to the limit of one in memory, 64 at least and 128 at most', async () => {
    const { fast, fill, calls, answer, advance, underWay } = setUpClaimer()
    fast(1)
    await underWay()
    expect(calls[0]!.params.perWebhook).toBe(64)
    const perWebhook = async (free: number) => {
      await answer({ more: hooks(1) })
      fill({ fast: 20_000 - free })
      await advance(1000)
      return calls.at(-1)!.params.perWebhook
    }
    expect([await perWebhook(800), await perWebhook(16_000), await perWebhook(80)]).toEqual([100, 128, 64])
  })

  test('are claimed again when half of those in memory have gone', async () => {
    const { fast, put, lane, claimer, calls, answer, advance, started } = setUpClaimer()
    fast(7, 8)
    for (let i = 0; i < 32; i++) put(7, 1)
    await started()
    await answer({ more: hooks(7) })
    claimer.roomFreed(lane(7))
    claimer.roomFreed(lane(8))
    await advance(0)
    expect(calls).toHaveLength(1)
    lane(7).shift()
    claimer.roomFreed(lane(7))
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('are left out while enough of them is in memory', async () => {
    const { fast, put, calls, started } = setUpClaimer()
    fast(4)
    put(4, 3_000)
    await started()
    expect(calls[0]!.params.except).toEqual([4])
  })
})

describe('deliveries that a publish left in the store', () => {
  test('are claimed at once, and do not delay later publishes', async () => {
    const { fast, keptInStore, claimer, calls, answer, advance, started } = setUpClaimer()
    fast(3)
    await started()
    await answer({})
    claimer.noteBacklog([])
    await advance(0)
    expect(calls).toHaveLength(1)
    claimer.noteBacklog(hooks(3))
    await advance(0)
    expect([calls.length, keptInStore()]).toEqual([2, []])
    await answer({ more: hooks(3) })
    expect(keptInStore()).toEqual([3])
  })

  test('during a claim are taken by the next one', async () => {
    const { fast, claimer, calls, answer, advance, started } = setUpClaimer()
    fast(3)
    await started()
    claimer.noteBacklog(hooks(3))
    await answer({})
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('are a backlog if there is no more room for the webhook, or its receiver is not known to be fast', async () => {
    const { fast, put, keptInStore, claimer, answer, started } = setUpClaimer()
    fast(7, 9)
    put(9, 3_000)
    await started()
    await answer({})
    claimer.noteBacklog(hooks(7, 8, 9))
    expect(keptInStore()).toEqual([8, 9])
  })

  test('change nothing if the webhook has a backlog or cannot be sent to', async () => {
    const { lanes, lane, keptInStore, claimer, calls, answer, advance, started } = setUpClaimer()
    lanes.block(lane(9), 'unsendable')
    await started()
    await answer({ more: hooks(7) })
    const before = calls.length
    claimer.noteBacklog(hooks(7, 9))
    await advance(0)
    expect([calls.length, keptInStore()]).toEqual([before, [9, 7]])
  })

  test('wait for room for a whole claim', async () => {
    const { fast, fill, lane, claimer, calls, answer, advance, started } = setUpClaimer()
    fast(1, 7)
    await started()
    await answer({})
    fill({ promised: 19_002 })
    claimer.noteBacklog(hooks(7))
    await advance(0)
    expect(calls).toHaveLength(1)
    fill({ promised: 19_000 })
    claimer.roomFreed(lane(1))
    await advance(0)
    expect(calls).toHaveLength(2)
  })
})

test('unproven lanes with a backlog are claimed after all others, when they run low and there is plenty of room', async () => {
  const { lane, claimer, calls, answer, advance, underWay } = setUpClaimer()
  await underWay()
  await answer({ more: hooks(8) })
  await answer({ more: hooks(8) })
  claimer.roomFreed(lane(8))
  await advance(0)
  await answer({})
  expect(calls.slice(2).map(({ params }) => [params.perWebhook, params.except])).toEqual([
    [64, [8]],
    [64, []],
  ])
  await answer({})
  expect(calls).toHaveLength(4)
})

describe('a workspace that has its share of the memory', () => {
  /** Claims may use 16,000, including the workspace's own. */
  const LEFT = 16_000

  async function withFull(part: number) {
    const it = setUpClaimer()
    it.fast(7)
    await it.underWay()
    await it.answer({ more: hooks(7) })
    it.put(7, 1)
    const has = (share: number, trust: Trust = 'fast') => {
      it.fill({ [trust]: LEFT * share })
      Object.assign(it.lane(7).workspace.memory, { fast: 0, unproven: 0, [trust]: LEFT * share })
    }
    has(part)
    await it.advance(1000)
    return { ...it, has }
  }

  test('is left out of claims from six tenths until three tenths of the rest', async () => {
    const { has, calls, answer, advance } = await withFull(0.59)
    const leftOut = async (part: number) => {
      await answer({ more: hooks(7) })
      has(part)
      await advance(1000)
      return calls.at(-1)!.params.exceptWorkspaces
    }
    expect(calls.at(-1)!.params.exceptWorkspaces).toEqual([])
    expect(await leftOut(0.6)).toEqual([WORKSPACE])
    expect(await leftOut(0.31)).toEqual([WORKSPACE])
    expect(await leftOut(0.3)).toEqual([])
    expect(await leftOut(0.59)).toEqual([])
  })

  test('causes no claims when its memory is released or used, until it has room', async () => {
    const { has, lane, claimer, calls, answer, advance } = await withFull(0.6)
    await answer({ more: hooks(7) })
    const before = calls.length
    has(0.31)
    claimer.roomFreed(lane(7))
    claimer.deliveriesCreated([WORKSPACE])
    await advance(0)
    expect(calls).toHaveLength(before)
    has(0.3)
    claimer.roomFreed(lane(7))
    await advance(0)
    expect(calls).toHaveLength(before + 1)
  })

  test('has its publishes kept in the store in order, and those of others are claimed', async () => {
    const { lanes, fast, has, claimer, answer } = await withFull(0.6)
    fast(8)
    const ofAnother = lanes.of({ webhookId: 9, workspaceId: 2 })
    ofAnother.speed = 'fast'
    has(0.6)
    await answer({})
    claimer.noteBacklog([hook(8), { webhookId: 9, workspaceId: 2 }])
    expect([lanes.find(8)!.hasBacklog, ofAnother.hasBacklog]).toEqual([true, false])
  })

  test('in unproven lanes is left out only of their claims', async () => {
    const { has, calls, answer, advance, lane } = await withFull(0.01)
    lane(7).speed = 'slow'
    has(0.4, 'unproven')
    await answer({ more: hooks(7) })
    expect(calls.at(-1)!.params.exceptWorkspaces).toEqual([WORKSPACE])
    await answer({ more: hooks(7) })
    await advance(1000)
    expect(calls.at(-1)!.params.exceptWorkspaces).toEqual([])
  })

  test('does not prevent claims of deliveries for others', async () => {
    const { claimer, calls, answer, advance } = await withFull(0.6)
    await answer({ more: hooks(7) })
    const before = calls.length
    claimer.deliveriesCreated([WORKSPACE, 2])
    await advance(0)
    expect(calls).toHaveLength(before + 1)
  })

  test('still has its new deliveries kept in the store, and no other has', async () => {
    const { keptInStore, answer } = await withFull(0.6)
    await answer({ more: [hook(7), { webhookId: 8, workspaceId: 2 }] })
    expect([keptInStore(WORKSPACE), keptInStore(2), keptInStore(3)]).toEqual([[7], [8], []])
  })
})

describe('when room is scarce, unproven lanes with a backlog', () => {
  async function withBacklogOf(...slow: readonly number[]) {
    const it = setUpClaimer()
    it.fast(7)
    it.fill({ unproven: 10_000 })
    await it.underWay()
    await it.answer({ more: hooks(7, ...slow) })
    it.fill({ unproven: 8_000 })
    return it
  }

  test('have their own round, after that of all others', async () => {
    const { calls, advance, answer } = await withBacklogOf(8, 9)
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ limit: 500, perWebhook: 128, except: [8, 9] })
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })] })
    expect(calls[2]!.params).toMatchObject({ limit: 500, perWebhook: 25, except: [] })
    await answer({ deliveries: [delivery({ id: 2, webhookId: 8 })], more: hooks(9) })
    await advance(1000)
    expect(calls[3]!.params).toMatchObject({ perWebhook: 64, except: [9] })
  })

  test('have it once a second, however often others are claimed, and do not bring it forward', async () => {
    const { lane, calls, claimer, advance, answer } = await withBacklogOf(8)
    await advance(1000)
    await answer({})
    await answer({ more: hooks(8) })
    for (let i = 0; i < 3; i++) {
      claimer.roomFreed(lane(8))
      await advance(100)
      claimer.wake()
      await advance(0)
      await answer({})
    }
    const rounds = calls.slice(3).map(({ params }) => params.except)
    expect(rounds).toEqual([[8], [8], [8]])
  })

  test('get as much as there is room for all of them, in turn', async () => {
    const { fill, calls, advance, answer } = await withBacklogOf(8, 9)
    fill({ unproven: 9_400 })
    await advance(1000)
    await answer({})
    expect(calls[2]!.params).toMatchObject({ limit: 300, perWebhook: 7, afterWebhookId: 0 })
    fill({ unproven: 9_997 })
    await answer({ more: hooks(8), nextAfterWebhookId: 8 })
    expect(calls[3]!.params).toMatchObject({ limit: 3, perWebhook: 1, afterWebhookId: 8 })
    fill({ unproven: 10_000 })
    await answer({ more: hooks(9), nextAfterWebhookId: 9 })
    expect(calls).toHaveLength(4)
    fill({ unproven: 9_800 })
    await advance(1000)
    await answer({})
    expect(calls[5]!.params).toMatchObject({ limit: 100, perWebhook: 2, afterWebhookId: 9 })
  })

  test('are the only ones claimed while fast ones take all the room for claims', async () => {
    const { fill, calls, advance } = await withBacklogOf(8)
    fill({ unproven: 8_000, promised: 12_000 })
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ perWebhook: 25, except: [7] })
  })

  test('do not wake the claimer when their backlog is recorded', async () => {
    const { lanes, lane, keptInStore, calls, answer, advance, started } = setUpClaimer()
    await started()
    await answer({})
    lanes.noteBacklog(lane(3))
    await advance(0)
    expect([keptInStore(), calls.length]).toEqual([[3], 1])
  })
})
