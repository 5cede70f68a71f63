import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import { STRICT } from './world.ts'

/** More than the call that disables cancels directly. */
const MANY = 5_000

export function cancelSuite({ world }: Subject): void {
  describe('canceling', () => {
    test('disabling a webhook cancels pending deliveries, and enabling it does not restore them', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace, 2)
      w.now += 1000
      await w.update(webhook, { status: 'off' })
      const log = await w.log(webhook)
      expect(log).toHaveLength(2)
      for (const delivery of log)
        expect(delivery).toMatchObject({ status: 'canceled', nextAttemptAt: null, finishedAt: w.now })
      await w.update(webhook, { status: 'on' })
      expect(await w.claimedIds(nodeId)).toEqual([])
    })

    test('only that webhook is affected, and nothing that had ended before', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [off, other] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.success(refs.find((ref) => ref.webhookId === off.id)!)])
      await w.waiting(nodeId, workspace)
      await w.update(off, { status: 'off' })
      expect(await w.statuses(off)).toEqual(['delivered', 'canceled'])
      expect(await w.statuses(other)).toEqual(['pending', 'pending'])
    })

    test('an attempt in flight that succeeds still makes its delivery delivered', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.update(webhook, { status: 'off' })
      expect(await w.statuses(webhook)).toEqual(['canceled'])
      w.now += 500
      expect((await w.record(nodeId, [w.success(ref!)])).lost).toEqual([])
      expect(await w.delivery(workspace, ref!.deliveryId)).toMatchObject({
        status: 'delivered',
        finishedAt: w.now,
        attempts: [{ number: 1 }],
      })
    })

    test('an attempt in flight that fails is recorded and its delivery stays canceled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [retried, ended] = await w.leased(nodeId, workspace, 2)
      const canceledAt = w.now
      await w.update(webhook, { status: 'off' })
      w.now += 500
      const ends = { next: { status: 'failed' as const, nextAttemptAt: null } }
      await w.record(nodeId, [w.failure(retried!), w.failure(ended!, ends)])
      for (const ref of [retried!, ended!])
        expect(await w.delivery(workspace, ref.deliveryId)).toMatchObject({
          status: 'canceled',
          nextAttemptAt: null,
          finishedAt: canceledAt,
          attempts: [{ number: 1 }],
        })
    })

    test('an attempt in flight finds its delivery canceled even when the webhook is enabled again', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      await w.record(nodeId, [w.failure(ref!)])
      expect(await w.statuses(webhook)).toEqual(['canceled'])
      w.now += 60_000
      expect(await w.claimedIds(nodeId)).toEqual([])
    })

    test.each(['release', 'retire', 'rescue'] as const)(
      'a %s of a canceled delivery only ends its lease',
      async (how) => {
        const w = world()
        const workspace = await w.workspace()
        const webhook = await w.webhook(workspace)
        const nodeId = await w.node()
        const [ref] = await w.leased(nodeId, workspace)
        await w.update(webhook, { status: 'off' })
        await w.update(webhook, { status: 'on' })
        const other = await w.node()
        if (how === 'release') await w.storage.releaseDeliveries({ nodeId, deliveries: [ref!] })
        else if (how === 'retire') await w.storage.retireNode({ nodeId })
        else {
          await w.lapse(nodeId)
          expect(await w.storage.rescueDeliveries({ byNodeId: other })).toBe(1)
        }
        expect(await w.statuses(webhook)).toEqual(['canceled'])
        expect(await w.claimedIds(other)).toEqual([])
        expect((await w.record(nodeId, [w.success(ref!)])).lost).toEqual([ref!.deliveryId])
      },
    )

    test('very many are canceled at once for every reader, and row by row in limited steps', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      for (let i = 0; i < MANY / 1000; i++) await w.waiting(nodeId, workspace, 1000)
      const inFlight = await w.leased(nodeId, workspace, 2)
      w.now += 1000
      const canceledAt = w.now
      await w.update(webhook, { status: 'off' })
      const atOnce = await w.log(webhook)
      expect(atOnce).toHaveLength(MANY + 2)
      for (const { status, nextAttemptAt, finishedAt } of atOnce)
        expect({ status, nextAttemptAt, finishedAt }).toEqual({
          status: 'canceled',
          nextAttemptAt: null,
          finishedAt: canceledAt,
        })
      w.now += 1000
      await w.untilDone(async () => {
        const handled = await w.storage.cancelDeliveries({ now: w.now, limit: 700 })
        expect(handled).toBeLessThanOrEqual(700)
        return handled
      })
      expect(await w.log(webhook)).toEqual(atOnce)
      expect((await w.record(nodeId, [w.success(inFlight[0]!), w.failure(inFlight[1]!)])).lost).toEqual([])
      expect((await w.statuses(webhook)).slice(-2)).toEqual(['delivered', 'canceled'])
    })

    test('a webhook enabled again before all rows are canceled delivers exactly the later events', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      for (let i = 0; i < MANY / 1000; i++) await w.waiting(nodeId, workspace, 1000)
      const [retried, ended] = await w.leased(nodeId, workspace, 2)
      const canceledAt = w.now
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      w.now += 1000
      const [now] = await w.leased(nodeId, workspace)
      await w.waiting(nodeId, workspace)
      const claimed = new Set(await w.claimedIds(nodeId))
      // In flight since before the webhook was disabled, and treated as canceled though their rows may not
      // say so yet.
      const ends = { next: { status: 'failed' as const, nextAttemptAt: null } }
      await w.record(nodeId, [w.failure(retried!), w.failure(ended!, ends), w.failure(now!)])
      const { status, finishedAt } = await w.delivery(workspace, ended!.deliveryId)
      expect({ status, finishedAt }).toEqual({ status: 'canceled', finishedAt: canceledAt })
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
      const statuses = await w.statuses(webhook)
      expect(statuses.filter((status) => status === 'canceled')).toHaveLength(MANY + 2)
      expect(statuses.slice(-2)).toEqual(['pending', 'pending'])
      w.now += 60_000
      for (const id of await w.claimedIds(nodeId)) claimed.add(id)
      expect(claimed.size).toBe(2)
    })

    test('more in flight than one step cancels delay neither waiting deliveries nor other webhooks', async () => {
      const w = world()
      const [one, other] = [await w.workspace(), await w.workspace()]
      const [busy, idle] = [await w.webhook(one), await w.webhook(other)]
      const nodeId = await w.node()
      for (let i = 0; i < 3; i++) await w.leased(nodeId, one, 700)
      await w.waiting(nodeId, one, 300)
      for (let i = 0; i < 3; i++) await w.waiting(nodeId, other, 1000)
      await w.update(busy, { status: 'off' })
      await w.update(idle, { status: 'off' })
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
      await w.update(busy, { status: 'on' })
      await w.update(idle, { status: 'on' })
      await w.waiting(nodeId, one)
      await w.waiting(nodeId, other)
      expect(await w.claimedIds(nodeId)).toHaveLength(2)
    })

    test('with nothing to cancel there is no work', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      await w.waiting(await w.node(), workspace)
      expect(await w.storage.cancelDeliveries({ now: w.now, limit: 100 })).toBe(0)
      expect(await w.statuses(webhook)).toEqual(['pending'])
    })

    test('many webhooks disabled in one call are all canceled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhooks: Webhook[] = []
      for (let i = 0; i < 20; i++) webhooks.push(await w.webhook(workspace))
      const nodeId = await w.node()
      for (let i = 0; i < 3; i++) await w.waiting(nodeId, workspace, 100)
      const refs = await w.leased(nodeId, workspace)
      const results = refs.map((ref) => w.gone(ref))
      expect((await w.record(nodeId, results, STRICT)).disabled).toHaveLength(20)
      const check = async () => {
        for (const webhook of webhooks)
          expect(new Set(await w.statuses(webhook))).toEqual(new Set(['canceled', 'failed']))
      }
      await check()
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 500 }))
      await check()
      expect(await w.claim(nodeId)).toMatchObject({ deliveries: [], more: [], nextDueAt: null })
    })
  })
}
