import { describe, expect, test } from 'vitest'
import { CLAIM_PER_WEBHOOK } from '../../src/engine/schedule/claimSizes.ts'
import { delivery } from '../support/deliveries.ts'
import { hook, hooks, setUpClaimer, WORKSPACE } from './claimerFixture.ts'

describe('webhooks with a backlog in the store', () => {
  test('have their new deliveries withheld until a claim has caught up', async () => {
    const { claimer, answer, advance, started } = setUpClaimer()
    await started()
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })], more: hooks(7) })
    expect(claimer.withheld(WORKSPACE)).toEqual([7])
    await advance(1000)
    await answer({ deliveries: [delivery({ id: 2, webhookId: 7 })] })
    expect(claimer.withheld(WORKSPACE)).toEqual([])
  })

  test('have none any more when a claim finds nothing of them: other nodes may have taken it', async () => {
    const { claimer, answer, advance, started } = setUpClaimer()
    await started()
    await answer({ more: hooks(7) })
    await advance(1000)
    await answer({})
    expect(claimer.withheld(WORKSPACE)).toEqual([])
  })

  test('keep it until a claim has come to them', async () => {
    const { budget, claimer, answer, advance, started } = setUpClaimer()
    await started()
    await answer({ more: hooks(6, 7, 8) })
    budget.full = [6]
    await advance(1000)
    await answer({ nextAfterWebhookId: 7 })
    expect(claimer.withheld(WORKSPACE)).toEqual([6, 8])
    await answer({})
    expect(claimer.withheld(WORKSPACE)).toEqual([6])
  })

  test('keep one that came while a claim was under way', async () => {
    const { claimer, answer, advance, started } = setUpClaimer()
    await started()
    claimer.putOff(hooks(7))
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })] })
    expect(claimer.withheld(WORKSPACE)).toEqual([7])
    await advance(1000)
    await answer({})
    expect(claimer.withheld(WORKSPACE)).toEqual([])
  })

  test('are claimed for as far as one may have more in memory, 64 at least and 128 at most', async () => {
    const { budget, calls, answer, advance, underWay } = setUpClaimer()
    await underWay()
    expect(calls[0]!.params.perWebhook).toBe(64)
    const perWebhook = async (promptLimit: number) => {
      await answer({ more: hooks(1) })
      Object.assign(budget, { promptLimit })
      await advance(1000)
      return calls.at(-1)!.params.perWebhook
    }
    expect([await perWebhook(100), await perWebhook(2_000), await perWebhook(10)]).toEqual([100, 128, 64])
  })

  test('are claimed for again when half of what was in memory has gone', async () => {
    const { claimer, calls, answer, advance, started } = setUpClaimer()
    await started()
    await answer({ more: hooks(7) })
    claimer.roomFreed(hook(7), CLAIM_PER_WEBHOOK / 2)
    claimer.roomFreed(hook(8), 0)
    await advance(0)
    expect(calls).toHaveLength(1)
    claimer.roomFreed(hook(7), CLAIM_PER_WEBHOOK / 2 - 1)
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('are left out while enough of them is in memory', async () => {
    const { budget, calls, started } = setUpClaimer()
    budget.full = [4]
    await started()
    expect(calls[0]!.params.except).toEqual([4])
  })
})

describe('what a publish has left in the store', () => {
  test('is claimed at once, and holds up nothing that is published after it', async () => {
    const { claimer, calls, answer, advance, started } = setUpClaimer()
    await started()
    await answer({})
    claimer.leftInStore([])
    await advance(0)
    expect(calls).toHaveLength(1)
    claimer.leftInStore(hooks(3))
    await advance(0)
    expect([calls.length, claimer.withheld(WORKSPACE)]).toEqual([2, []])
    await answer({ more: hooks(3) })
    expect(claimer.withheld(WORKSPACE)).toEqual([3])
  })

  test('while a claim is under way, is for the next', async () => {
    const { claimer, calls, answer, advance, started } = setUpClaimer()
    await started()
    claimer.leftInStore(hooks(3))
    await answer({})
    await advance(0)
    expect(calls).toHaveLength(2)
  })

  test('is a backlog if there is no more room for the webhook, or it is not known to be prompt', async () => {
    const { budget, claimer, answer, started } = setUpClaimer()
    budget.slow.add(8)
    budget.full = [9]
    await started()
    await answer({})
    claimer.leftInStore(hooks(7, 8, 9))
    expect(claimer.withheld(WORKSPACE)).toEqual([8, 9])
  })

  test('is no news if the webhook has a backlog or cannot be sent to', async () => {
    const { claimer, calls, answer, advance, started } = setUpClaimer()
    claimer.setUnsendable(hook(9))
    await started()
    await answer({ more: hooks(7) })
    claimer.leftInStore(hooks(7, 9))
    await advance(0)
    expect([calls.length, claimer.withheld(WORKSPACE)]).toEqual([1, [7, 9]])
  })

  test('waits for room for a whole claim', async () => {
    const { budget, claimer, calls, answer, advance, started } = setUpClaimer()
    await started()
    await answer({})
    budget.claimRoom = 499
    claimer.leftInStore(hooks(7))
    await advance(0)
    expect(calls).toHaveLength(1)
    budget.claimRoom = 500
    claimer.roomFreed(hook(1), 100)
    await advance(0)
    expect(calls).toHaveLength(2)
  })
})

describe('webhooks with a backlog that are not known to be prompt', () => {
  test('are claimed for as soon as they run low while there is plenty of room, after all others', async () => {
    const { budget, claimer, calls, answer, advance, underWay } = setUpClaimer()
    budget.slow.add(8)
    await underWay()
    await answer({ more: hooks(8) })
    await answer({ more: hooks(8) })
    claimer.roomFreed(hook(8), CLAIM_PER_WEBHOOK / 2 - 1)
    await advance(0)
    await answer({})
    expect(calls.slice(2).map(({ params }) => [params.perWebhook, params.except])).toEqual([
      [64, [8]],
      [62, []],
    ])
    await answer({})
    expect(calls).toHaveLength(4)
  })
})

describe('a workspace that has its part of the memory', () => {
  async function withFull(part: number) {
    const it = setUpClaimer()
    await it.underWay()
    await it.answer({ more: hooks(7) })
    it.budget.parts.prompt.set(WORKSPACE, part)
    await it.advance(1000)
    return it
  }

  test('is left out of claims from six tenths until three tenths of what others leave', async () => {
    const { budget, calls, answer, advance } = await withFull(0.59)
    const leftOut = async (part: number) => {
      await answer({ more: hooks(7) })
      budget.parts.prompt.set(WORKSPACE, part)
      await advance(1000)
      return calls.at(-1)!.params.exceptWorkspaces
    }
    expect(calls.at(-1)!.params.exceptWorkspaces).toEqual([])
    expect(await leftOut(0.6)).toEqual([WORKSPACE])
    expect(await leftOut(0.31)).toEqual([WORKSPACE])
    expect(await leftOut(0.3)).toEqual([])
    expect(await leftOut(0.59)).toEqual([])
  })

  test('causes no claims by what leaves the memory or is made for it, until it has room', async () => {
    const { budget, claimer, calls, answer, advance } = await withFull(0.6)
    await answer({ more: hooks(7) })
    const before = calls.length
    budget.parts.prompt.set(WORKSPACE, 0.31)
    claimer.roomFreed(hook(7), 0)
    claimer.deliveriesMade([WORKSPACE])
    await advance(0)
    expect(calls).toHaveLength(before)
    budget.parts.prompt.set(WORKSPACE, 0.3)
    claimer.roomFreed(hook(7), 0)
    await advance(0)
    expect(calls).toHaveLength(before + 1)
  })

  test('has what its publishes leave in the store kept in order there, and others have theirs claimed', async () => {
    const { claimer, answer } = await withFull(0.6)
    await answer({})
    claimer.leftInStore([hook(8), { webhookId: 9, workspaceId: 2 }])
    expect([claimer.hasBacklog(8), claimer.hasBacklog(9)]).toEqual([true, false])
  })

  test('of webhooks that are not prompt is left out of claims for these alone', async () => {
    const { budget, calls, answer } = await withFull(0)
    budget.slow.add(7)
    budget.parts.unproven.set(WORKSPACE, 0.6)
    await answer({ more: hooks(7) })
    expect(calls.at(-1)!.params.exceptWorkspaces).toEqual([WORKSPACE])
    await answer({ more: hooks(7) })
    budget.parts.prompt.set(WORKSPACE, 0)
    budget.parts.unproven.set(WORKSPACE, 0.31)
    expect(calls.at(-1)!.params.exceptWorkspaces).toEqual([WORKSPACE])
  })

  test('does not keep what is made for others from being claimed', async () => {
    const { claimer, calls, answer, advance } = await withFull(0.6)
    await answer({ more: hooks(7) })
    const before = calls.length
    claimer.deliveriesMade([WORKSPACE, 2])
    await advance(0)
    expect(calls).toHaveLength(before + 1)
  })

  test('still has its new deliveries withheld, and no other has', async () => {
    const { claimer, answer } = await withFull(0.6)
    await answer({ more: [hook(7), { webhookId: 8, workspaceId: 2 }] })
    expect([claimer.withheld(WORKSPACE), claimer.withheld(2), claimer.withheld(3)]).toEqual([[7], [8], []])
  })
})

describe('when room is scarce, webhooks with a backlog that are not known to be prompt', () => {
  async function withBacklogOf(...slow: readonly number[]) {
    const it = setUpClaimer()
    for (const id of slow) it.budget.slow.add(id)
    Object.assign(it.budget, { unprovenRoom: 0, unprovenLimit: 0 })
    await it.underWay()
    await it.answer({ more: hooks(7, ...slow) })
    Object.assign(it.budget, { unprovenRoom: 2_000, unprovenLimit: 100 })
    return it
  }

  test('have a round of their own, after that of all others', async () => {
    const { calls, advance, answer } = await withBacklogOf(8, 9)
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ limit: 500, perWebhook: 128, except: [8, 9] })
    await answer({ deliveries: [delivery({ id: 1, webhookId: 7 })] })
    expect(calls[2]!.params).toMatchObject({ limit: 500, perWebhook: 25, except: [] })
    await answer({ deliveries: [delivery({ id: 2, webhookId: 8 })], more: hooks(9) })
    await advance(1000)
    expect(calls[3]!.params).toMatchObject({ perWebhook: 64, except: [9] })
  })

  test('have it once a second, however often others are claimed for, and do not bring it forward', async () => {
    const { calls, claimer, advance, answer } = await withBacklogOf(8)
    await advance(1000)
    await answer({})
    await answer({ more: hooks(8) })
    for (let i = 0; i < 3; i++) {
      claimer.roomFreed(hook(8), 0)
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
    await answer({ more: hooks(8), nextAfterWebhookId: 8 })
    expect(calls[3]!.params).toMatchObject({ limit: 3, perWebhook: 1, afterWebhookId: 8 })
    Object.assign(budget, { unprovenRoom: 0, unprovenLimit: 0 })
    await answer({ more: hooks(9), nextAfterWebhookId: 9 })
    expect(calls).toHaveLength(4)
    Object.assign(budget, { unprovenRoom: 200, unprovenLimit: 10 })
    await advance(1000)
    await answer({})
    expect(calls[5]!.params).toMatchObject({ limit: 100, perWebhook: 2, afterWebhookId: 9 })
  })

  test('are claimed for, and they alone, even while prompt ones take all the room that claims may', async () => {
    const { budget, calls, advance } = await withBacklogOf(8)
    budget.claimRoom = 0
    await advance(1000)
    expect(calls[1]!.params).toMatchObject({ perWebhook: 25, except: [7] })
  })

  test('count among those with a backlog when they are put off, which wakes nobody', async () => {
    const { calls, claimer, answer, advance, started } = setUpClaimer()
    await started()
    await answer({})
    claimer.putOff(hooks(3))
    await advance(0)
    expect([claimer.withheld(WORKSPACE), claimer.hasBacklog(3), calls.length]).toEqual([[3], true, 1])
  })
})
