import { describe, expect, test } from 'vitest'
import type { Replay } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, STRICT } from './world.ts'

export function retentionSuite({ world }: Subject): void {
  describe('retention', () => {
    test('older deliveries are deleted with their attempts and events, newer ones stay', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ok, failed] = await w.leased(nodeId, workspace, 2)
      const ends = { next: { status: 'failed' as const, nextAttemptAt: null } }
      await w.record(nodeId, [w.success(ok!), w.failure(failed!, ends)])
      w.now += DAY_MS
      const [kept] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.success(kept!)])
      expect(await w.expireAll(w.now)).toBeGreaterThan(0)
      const log = await w.log(webhook)
      expect(log.map(({ id }) => id)).toEqual([kept!.deliveryId])
      const latest = await w.storage.latestEvents({ workspaceId: workspace.id, type: 'thing.happened' })
      expect(latest.map(({ createdAt }) => createdAt)).toEqual([w.now])
      expect(await w.reread(webhook)).toEqual(webhook)
    })

    test('it works in limited steps and reports when there is nothing left to do', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 50)
      await w.record(
        nodeId,
        refs.map((ref) => w.success(ref)),
      )
      w.now += DAY_MS
      const step = async () => {
        const handled = await w.expire(w.now, { limit: 30 })
        expect(handled).toBeLessThanOrEqual(30)
        return handled
      }
      expect(await w.untilDone(step)).toBeGreaterThan(0)
      expect(await w.statuses(webhook)).toEqual([])
      expect(await w.expire(w.now, { limit: 30 })).toBe(0)
    })

    test('a pending delivery is canceled first and counted, and deleted once it has been shown for a while', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [failed] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.failure(failed!)])
      await w.waiting(nodeId, workspace, 2)
      await w.update(webhook, { status: 'paused' })
      w.now += DAY_MS
      const expiredAt = w.now
      const ages = { before: w.now, expiredBefore: w.now, auditBefore: w.now, idempotencyBefore: w.now }
      expect(await w.storage.deleteExpired({ ...ages, now: w.now, limit: 2 })).toEqual({
        handled: 2,
        expired: 2,
      })
      expect(await w.storage.deleteExpired({ ...ages, now: w.now, limit: 1000 })).toMatchObject({
        expired: 1,
      })
      await w.expireAll(w.now, { expiredBefore: w.now })
      for (const delivery of await w.log(webhook)) {
        expect(delivery).toMatchObject({
          status: 'canceled',
          cancelReason: 'expired',
          nextAttemptAt: null,
          finishedAt: expiredAt,
        })
      }
      expect((await w.delivery(workspace, failed!.deliveryId)).attempts).toHaveLength(1)
      await w.update(webhook, { status: 'on' })
      expect(await w.claimedIds(nodeId)).toEqual([])
      w.now += 1000
      await w.expireAll(w.now, { expiredBefore: expiredAt })
      expect(await w.statuses(webhook)).toEqual(['canceled', 'canceled', 'canceled'])
      await w.expireAll(w.now, { expiredBefore: expiredAt + 1 })
      expect(await w.statuses(webhook)).toEqual([])
    })

    test('a delivery that ends with its webhook has that reason, however old it is', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      // More than the call that disables the webhook cancels.
      for (let i = 0; i < 3; i++) await w.waiting(nodeId, workspace, 1000)
      const canceledAt = w.now
      await w.update(webhook, { status: 'off' })
      w.now += DAY_MS
      const ages = { before: w.now, expiredBefore: w.now, auditBefore: w.now, idempotencyBefore: w.now }
      expect(await w.storage.deleteExpired({ ...ages, now: w.now, limit: 10_000 })).toMatchObject({
        expired: 0,
      })
      for (const delivery of await w.log(webhook))
        expect(delivery).toMatchObject({ cancelReason: 'webhook_off', finishedAt: canceledAt })
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 10_000 }))
      await w.expireAll(w.now)
      expect(await w.statuses(webhook)).toEqual([])
    })

    test('an expired delivery can be sent again while it is there', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace)
      w.now += DAY_MS
      await w.expireAll(w.now, { expiredBefore: w.now })
      const [expired] = await w.log(webhook)
      const resent = await w.storage.resend({
        workspaceId: workspace.id,
        deliveryId: expired!.id,
        trigger: 'redeliver',
        from: ['canceled'],
        limit: null,
        now: w.now,
      })
      expect(resent).toMatchObject({
        outcome: 'accepted',
        delivery: { status: 'pending', cancelReason: null },
      })
      const [again] = (await w.claim(nodeId)).deliveries
      await w.record(nodeId, [w.success({ deliveryId: again!.id, webhookId: webhook.id })])
      expect(await w.delivery(workspace, expired!.id)).toMatchObject({
        status: 'delivered',
        cancelReason: null,
      })
    })

    test('a delivery that has waited that long is deleted too, unless it is leased to a node', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace)
      const [inFlight] = await w.leased(nodeId, workspace)
      await w.waiting(nodeId, workspace)
      await w.update(webhook, { status: 'paused' })
      w.now += DAY_MS
      await w.expireAll(w.now)
      // A store may keep equally old rows next to it.
      expect((await w.log(webhook)).map(({ id }) => id)).toContain(inFlight!.deliveryId)
      // Its event is still there for it.
      expect((await w.record(nodeId, [w.success(inFlight!)])).lost).toEqual([])
      expect(await w.delivery(workspace, inFlight!.deliveryId)).toMatchObject({ status: 'delivered' })
      await w.expireAll(w.now)
      expect(await w.statuses(webhook)).toEqual([])
    })

    test('an event stays as long as any of its deliveries', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [one, other] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace)
      const inFlight = refs.find((ref) => ref.webhookId === other.id)!
      await w.record(nodeId, [w.success(refs.find((ref) => ref.webhookId === one.id)!)])
      w.now += DAY_MS
      await w.expireAll(w.now)
      expect(await w.statuses(other)).toEqual(['pending'])
      await w.storage.releaseDeliveries({ nodeId, deliveries: [w.leaseOf(inFlight.deliveryId)] })
      const claim = await w.claim(nodeId)
      expect(claim.deliveries).toMatchObject([{ id: inFlight.deliveryId, body: '{"type":"thing.happened"}' }])
      await w.storage.releaseDeliveries({ nodeId, deliveries: [w.leaseOf(inFlight.deliveryId)] })
      await w.expireAll(w.now)
      expect([await w.statuses(one), await w.statuses(other)]).toEqual([[], []])
    })

    test('an event without deliveries is deleted as well, and its id can be used again', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const brought = { broughtId: 'evt_a', fingerprint: Uint8Array.of(1) }
      await w.publish(nodeId, [await w.event(workspace, brought)])
      w.now += DAY_MS
      await w.expireAll(w.now)
      const other = { broughtId: 'evt_a', fingerprint: Uint8Array.of(2) }
      const again = await w.publish(nodeId, [await w.event(workspace, other)])
      expect(again.repeats).toEqual([null])
      expect(
        await w.storage.latestEvents({ workspaceId: workspace.id, type: 'thing.happened' }),
      ).toHaveLength(1)
    })

    test('rows with a future time from a wrong clock do not block the rest', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const deliver = async () => {
        const [ref] = await w.leased(nodeId, workspace)
        await w.record(nodeId, [w.success(ref!)])
      }
      w.now += 1000 * DAY_MS
      await deliver()
      w.now -= 1000 * DAY_MS
      await deliver()
      w.now += DAY_MS
      await w.expireAll(w.now)
      const log = await w.log(webhook)
      expect(log.map(({ createdAt }) => createdAt)).toEqual([w.now + 999 * DAY_MS])
    })

    test('old notifications are deleted', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const disable = async () => {
        await w.webhook(workspace)
        const [ref] = await w.leased(nodeId, workspace)
        await w.record(nodeId, [w.gone(ref!)], STRICT)
      }
      await disable()
      w.now += DAY_MS
      await disable()
      await w.expireAll(w.now)
      const left = await w.storage.listNotifications({ limit: 10, before: null })
      expect(left.map(({ createdAt }) => createdAt)).toEqual([w.now])
    })

    test('a deleted workspace finally leaves nothing behind', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { id: workspaceId } = workspace
      const member = await w.member(workspace)
      await w.key(workspace, member)
      await w.session(member)
      const webhook = await w.webhook(workspace)
      const { id: webhookId } = webhook
      await w.update(webhook, { url: 'https://elsewhere.example.com/' })
      await w.rotate(webhook, { overlapMs: 100 * DAY_MS })
      await w.replay(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.failure(ref!)])
      const limit = { max: 5, windowMs: 1000 }
      await w.storage.sendTest({ event: await w.event(workspace), webhookId, limit, now: w.now })
      await w.storage.deleteWorkspace({ workspaceId, now: w.now })
      w.now += DAY_MS
      expect(await w.expireAll(w.now)).toBeGreaterThan(0)
      expect(await w.storage.latestEvents({ workspaceId, type: 'thing.happened' })).toEqual([])
      expect(await w.storage.getDelivery({ workspaceId, deliveryId: ref!.deliveryId })).toBeNull()
    })

    test('a deleted webhook is deleted with its former URLs, and the workspace stays', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      await w.update(webhook, { url: 'https://elsewhere.example.com/' })
      await w.remove(webhook)
      w.now += 1
      expect(await w.expireAll(w.now)).toBe(1)
      expect(await w.storage.listWorkspaces({ limit: 10, before: null })).toEqual([workspace])
    })

    test('an old replay is deleted, unless it is still running', async () => {
      const w = world()
      const workspace = await w.workspace()
      const done = await w.replay(workspace)
      await w.untilDone(async () => (await w.storage.stepReplays({ now: w.now, limit: 10 })).looked)
      const waiting = await w.replay(workspace)
      w.now += DAY_MS
      const recent = await w.replay(workspace)
      await w.expireAll(w.now)
      const get = ({ publicId }: Replay) => w.storage.getReplay({ workspaceId: workspace.id, publicId })
      expect(await get(done)).toBeNull()
      expect([await get(waiting), await get(recent)]).toEqual([waiting, recent])
    })

    test('without old rows there is no work', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      await w.leased(await w.node(), workspace)
      expect(await w.expire(w.now)).toBe(0)
    })
  })
}
