import { describe, expect, test } from 'vitest'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import type { DeliveryRecord, Workspace } from '../../../src/storage/rows.ts'
import type { DeliveryFilter, DeliveryPosition } from '../../../src/storage/storage.ts'
import { EVERYTHING } from '../../support/search.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

/** More than one call visits, and than the call that disables a webhook cancels directly. */
const MANY = 12_000

type Filter = Partial<Omit<DeliveryFilter, 'workspaceId'>>
type Page = Awaited<ReturnType<StorageCalls['searchDeliveries']>>

export function searchSuite({ world }: Subject): void {
  const page = (
    w: World,
    { id: workspaceId }: Workspace,
    filter: Filter & { limit?: number; before?: DeliveryPosition | null } = {},
  ) => w.storage.searchDeliveries({ ...EVERYTHING, workspaceId, limit: 100, before: null, ...filter })

  /** All pages of a search. */
  async function search(w: World, workspace: Workspace, filter: Filter = {}, limit = 100) {
    const found: DeliveryRecord[] = []
    let before: DeliveryPosition | null = null
    do {
      const { deliveries, next }: Page = await page(w, workspace, { ...filter, limit, before })
      expect(deliveries.length).toBeLessThanOrEqual(limit)
      found.push(...deliveries)
      before = next
    } while (before !== null)
    return found
  }

  const ids = (deliveries: readonly DeliveryRecord[]) => deliveries.map(({ id }) => id)

  describe('searches of deliveries', () => {
    test('deliveries come newest first, in pages that stay the same while more arrive', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      await w.webhook(workspace)
      const nodeId = await w.node()
      const events = await w.events(5, workspace)
      await w.publish(nodeId, events)
      const filter = { webhookId: webhook.id, limit: 3 }
      const first = await page(w, workspace, filter)
      expect(first.deliveries).toHaveLength(3)
      await w.leased(nodeId, workspace)
      const second = await page(w, workspace, { ...filter, before: first.next })
      const listed = [...first.deliveries, ...second.deliveries]
      expect(listed.map((delivery) => delivery.eventId)).toEqual(events.map(({ id }) => id).reverse())
      expect(new Set(listed.map((delivery) => delivery.webhookPublicId))).toEqual(new Set([webhook.publicId]))
      expect(second.next).toBeNull()
    })

    test('a search shows each delivery as a single read does', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ok, retried] = await w.leased(nodeId, workspace, 2)
      await w.record(nodeId, [w.success(ok!), w.failure(retried!)])
      const found = await search(w, workspace)
      for (const delivery of found) expect(await w.delivery(workspace, delivery.id)).toEqual(delivery)
      expect(found[1]).toEqual({
        id: ok!.deliveryId,
        webhookId: webhook.id,
        webhookPublicId: webhook.publicId,
        eventId: expect.any(Number),
        broughtEventId: null,
        eventType: 'thing.happened',
        status: 'delivered',
        cancelReason: null,
        attempts: [w.success(ok!).attempt],
        nextAttemptAt: null,
        createdAt: w.now,
        finishedAt: w.now,
      })
    })

    test('a search of a workspace covers exactly its webhooks, except deleted ones', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const webhooks = [await w.webhook(mine), await w.webhook(mine), await w.webhook(mine)]
      const foreign = await w.webhook(other)
      const nodeId = await w.node()
      await w.leased(nodeId, other)
      const refs = await w.leased(nodeId, mine, 2)
      expect(ids(await search(w, mine, {}, 1))).toEqual(refs.map((ref) => ref.deliveryId).reverse())
      await w.remove(webhooks[1]!)
      const left = refs.filter((ref) => ref.webhookId !== webhooks[1]!.id)
      expect(ids(await search(w, mine))).toEqual(left.map((ref) => ref.deliveryId).reverse())
      for (const webhookId of [webhooks[1]!.id, foreign.id, 12_345])
        expect(await page(w, mine, { webhookId })).toEqual({ deliveries: [], next: null, reachesUntil: null })
    })

    test('each status finds the deliveries in it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [webhook, other] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 5)
      const [ok, failed, dead, retried, waiting] = refs.filter((ref) => ref.webhookId === webhook.id)
      const ends = (status: 'failed' | 'dead') => ({ next: { status, nextAttemptAt: null } })
      const results = [w.failure(failed!, ends('failed')), w.failure(dead!, ends('dead'))]
      await w.record(nodeId, [w.success(ok!), ...results, w.failure(retried!)])
      const of = async (status: DeliveryRecord['status'], webhookId: number | null = webhook.id) =>
        ids(await search(w, workspace, { status, webhookId }))
      expect(await of('delivered')).toEqual([ok!.deliveryId])
      expect(await of('failed', null)).toEqual([failed!.deliveryId])
      expect(await of('dead', null)).toEqual([dead!.deliveryId])
      expect(await of('pending')).toEqual([waiting!.deliveryId, retried!.deliveryId])
      expect(await of('canceled', null)).toEqual([])
      await w.update(webhook, { status: 'off' })
      expect(await of('pending')).toEqual([])
      expect(await of('pending', null)).toHaveLength(5)
      expect(await of('canceled', null)).toEqual([waiting!.deliveryId, retried!.deliveryId])
      expect(await of('canceled', other.id)).toEqual([])
    })

    test('a type finds the deliveries of its events, a range those created from its start until before its end', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const start = w.now
      for (const type of ['a', 'b', 'a', 'b']) {
        await w.publish(nodeId, [await w.event(workspace, { type, createdAt: w.now })])
        w.now += 10
      }
      const seen = async (filter: Filter) =>
        (await search(w, workspace, filter, 1)).map((one) => [one.eventType, one.createdAt - start])
      expect(await seen({ eventTypes: ['a'] })).toEqual([
        ['a', 20],
        ['a', 0],
      ])
      expect(await seen({ from: start + 10, to: start + 30 })).toEqual([
        ['a', 20],
        ['b', 10],
      ])
      expect(await seen({ eventTypes: ['b'], status: 'pending', from: start + 11 })).toEqual([['b', 30]])
      expect(await seen({ eventTypes: ['c'] })).toEqual([])
      expect(await seen({ from: start + 20, to: start + 20 })).toEqual([])
    })

    test('a range applies wherever a search continues', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [early] = await w.leased(nodeId, workspace)
      const at = w.now
      w.now += 10
      await w.leased(nodeId, workspace, 2)
      const newest = { createdAt: w.now, id: Number.MAX_SAFE_INTEGER }
      const found = await page(w, workspace, { to: at + 10, before: newest })
      expect(ids(found.deliveries)).toEqual([early!.deliveryId])
      const older = { createdAt: at, id: Number.MAX_SAFE_INTEGER }
      expect(await page(w, workspace, { from: at + 1, before: older })).toEqual({
        deliveries: [],
        next: null,
        reachesUntil: null,
      })
    })

    test('the last page is known to be the last', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const refs = await w.leased(await w.node(), workspace, 2)
      const [all, one] = [await page(w, workspace, { limit: 2 }), await page(w, workspace, { limit: 1 })]
      expect(all.next).toBeNull()
      expect(one.next).toEqual({ createdAt: w.now, id: refs[1]!.deliveryId })
    })

    test('deliveries of one moment are all found, whatever the pages', async () => {
      const w = world()
      const workspace = await w.workspace()
      for (let i = 0; i < 3; i++) await w.webhook(workspace)
      const refs = await w.leased(await w.node(), workspace, 10)
      const newestFirst = refs.map((ref) => ref.deliveryId).reverse()
      for (const limit of [1, 2, 7, 29, 30]) {
        expect(ids(await search(w, workspace, {}, limit))).toEqual(newestFirst)
        expect(ids(await search(w, workspace, { status: 'pending' }, limit))).toEqual(newestFirst)
      }
    })

    test('very many that are still being canceled are found only as canceled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      for (let i = 0; i < MANY / 1000; i++) await w.waiting(nodeId, workspace, 1000)
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      const [after] = await w.leased(nodeId, workspace)
      const check = async () => {
        expect(ids(await search(w, workspace, { status: 'pending' }))).toEqual([after!.deliveryId])
        const canceled = await search(w, workspace, { status: 'canceled' }, 1000)
        expect(new Set(ids(canceled)).size).toBe(MANY)
        expect(new Set(canceled.map(({ status }) => status))).toEqual(new Set(['canceled']))
      }
      await check()
      await w.storage.cancelDeliveries({ now: w.now, limit: 3000 })
      await check()
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 5000 }))
      await check()
    }, 60_000)

    test('few pending deliveries are found in one call, however many were delivered since', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      for (const one of [workspace, workspace, other]) await w.webhook(one)
      const nodeId = await w.node()
      const [inFlight, failing] = await w.leased(nodeId, workspace, 1)
      await w.record(nodeId, [w.failure(failing!)])
      await w.waiting(nodeId, workspace, 1)
      await w.waiting(nodeId, other, 1)
      await w.leased(nodeId, other, 1)
      for (let i = 0; i < 3; i++) {
        const done = await w.leased(nodeId, workspace, 600)
        await w.record(
          nodeId,
          done.map((delivery) => w.success(delivery)),
        )
      }
      const pending = await page(w, workspace, { status: 'pending' })
      expect(ids(pending.deliveries).slice(-2)).toEqual([failing!.deliveryId, inFlight!.deliveryId])
      expect(pending.deliveries.map(({ attempts }) => attempts.length)).toEqual([0, 0, 1, 0])
      expect(pending.next).toBeNull()
      const { webhookId } = pending.deliveries[3]!
      expect(ids((await page(w, workspace, { status: 'pending', webhookId })).deliveries)).toHaveLength(2)
      const first = await page(w, workspace, { status: 'pending', limit: 3 })
      const { deliveries } = await page(w, workspace, { status: 'pending', before: first.next })
      expect(ids(deliveries)).toEqual([inFlight!.deliveryId])
    }, 60_000)

    test('the one match among very many is found', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [oldest] = (await w.publish(nodeId, [await w.event(workspace, { type: 'rare' })])).leased
      await w.record(nodeId, [w.success(oldest!)])
      for (let i = 0; i < MANY / 1000; i++) await w.waiting(nodeId, workspace, 1000)
      expect(ids(await search(w, workspace, { eventTypes: ['rare'] }, 1))).toEqual([oldest!.deliveryId])
      expect(ids(await search(w, workspace, { status: 'delivered' }, 1))).toEqual([oldest!.deliveryId])
    }, 60_000)
  })
}
