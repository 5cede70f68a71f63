import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

export function claimSuite({ world }: Subject): void {
  describe('claim', () => {
    test('a claimed delivery has everything needed to send it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const event = await w.event(workspace, {
        broughtId: 'evt_mine',
        fingerprint: Uint8Array.of(1),
        traceparent: TRACEPARENT,
      })
      await w.publish(nodeId, [event], { room: 0 })
      expect((await w.claim(nodeId)).deliveries).toEqual([
        {
          id: expect.any(Number),
          lease: expect.any(Number),
          webhookId: webhook.id,
          webhookVersion: webhook.version,
          workspaceId: workspace.id,
          eventId: event.id,
          eventPublicId: 'evt_mine',
          eventType: event.type,
          body: event.body,
          createdAt: event.createdAt,
          traceparent: TRACEPARENT,
          attempts: 0,
          trigger: 'schedule',
          runStart: 0,
          retryNumber: null,
          replayId: null,
        },
      ])
    })

    test('nothing is claimed twice, by whichever node', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodes = [await w.node(), await w.node()]
      await w.waiting(nodes[0]!, workspace, 20)
      const claims = await Promise.all(
        [0, 1, 0, 1].map((node) => w.claim(nodes[node]!, { limit: 7, perWebhook: 7 })),
      )
      // A claim may skip deliveries that another is just taking, so the last one collects the rest.
      const rest = await w.claim(nodes[0]!)
      const ids = [...claims, rest].flatMap((claim) => claim.deliveries.map((delivery) => delivery.id))
      expect(ids).toHaveLength(20)
      expect(new Set(ids).size).toBe(20)
    })

    test('deliveries not due yet stay, and the call returns when they will be', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [early, late] = await w.leased(nodeId, workspace, 2)
      await w.record(nodeId, [
        w.failure(late!, { next: { status: 'pending', nextAttemptAt: w.now + 900 } }),
        w.failure(early!, { next: { status: 'pending', nextAttemptAt: w.now + 300 } }),
      ])
      expect(await w.claim(nodeId)).toMatchObject({ deliveries: [], more: [], nextDueAt: w.now + 300 })
      w.now += 300
      expect(await w.claim(nodeId)).toMatchObject({
        deliveries: [{ id: early!.deliveryId, attempts: 1 }],
        nextDueAt: w.now + 600,
      })
      w.now += 600
      expect(await w.claim(nodeId)).toMatchObject({
        deliveries: [{ id: late!.deliveryId }],
        nextDueAt: null,
      })
    })

    test('the next due time is the earliest over all webhooks', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      for (let i = 0; i < 3; i++) await w.webhook(workspace)
      const [a, b, c, later] = await w.leased(nodeId, workspace, 2)
      const dueIn = (ms: number) => ({ next: { status: 'pending' as const, nextAttemptAt: w.now + ms } })
      await w.record(nodeId, [
        w.failure(a!, dueIn(500)),
        w.failure(b!, dueIn(200)),
        w.failure(c!, dueIn(0)),
        w.failure(later!, dueIn(100)),
      ])
      const last = await w.claim(nodeId)
      expect(last.deliveries.map(({ id }) => id)).toEqual([c!.deliveryId])
      expect(last.nextDueAt).toBe(w.now + 100)
    })

    test('the rest of a webhook with due deliveries does not hide an earlier one of another', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      for (let i = 0; i < 2; i++) await w.webhook(workspace)
      const refs = await w.leased(nodeId, workspace, 2)
      const firstWebhook = refs[0]!.webhookId
      const waits = { sooner: [200, 300], mixed: [0, 900] }
      const results = refs.map((ref, i) => {
        const ms = waits[ref.webhookId === firstWebhook ? 'sooner' : 'mixed'][Math.floor(i / 2)]!
        return w.failure(ref, { next: { status: 'pending', nextAttemptAt: w.now + ms } })
      })
      await w.record(nodeId, results)
      const claim = await w.claim(nodeId)
      expect(claim.deliveries).toHaveLength(1)
      expect(claim.nextDueAt).toBe(w.now + 200)
    })

    test('the delivery that has been due longest comes first', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 3)
      const waits = [30, 10, 20]
      const results = refs.map((ref, i) =>
        w.failure(ref, { next: { status: 'pending', nextAttemptAt: w.now + waits[i]! } }),
      )
      await w.record(nodeId, results)
      w.now += 100
      const order = [1, 2, 0].map((i) => refs[i]!.deliveryId)
      expect(await w.claimedIds(nodeId)).toEqual(order)
    })

    test('one webhook gets at most its share, and the call names those that have more', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [big, small] = [
        await w.webhook(workspace, { eventTypes: ['big'] }),
        await w.webhook(workspace, { eventTypes: ['small'] }),
      ]
      const nodeId = await w.node()
      await w.publish(nodeId, await w.events(500, workspace, { type: 'big' }), { room: 0 })
      await w.publish(nodeId, await w.events(2, workspace, { type: 'small' }), { room: 0 })
      const claim = await w.claim(nodeId, { perWebhook: 3 })
      const webhookIds = claim.deliveries.map((delivery) => delivery.webhookId)
      expect(webhookIds).toEqual([big.id, big.id, big.id, small.id, small.id])
      expect(claim).toMatchObject({
        more: [{ webhookId: big.id, workspaceId: big.workspaceId }],
        nextAfterWebhookId: 0,
      })
    })

    test('a call that reaches its limit returns where to continue, and every webhook has its turn', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhooks = []
      for (let i = 0; i < 5; i++) webhooks.push(await w.webhook(workspace))
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace, 2)
      const seen: number[] = []
      let afterWebhookId = 0
      do {
        const claim = await w.claim(nodeId, { limit: 2, perWebhook: 1, afterWebhookId })
        seen.push(...claim.deliveries.map((delivery) => delivery.webhookId))
        afterWebhookId = claim.nextAfterWebhookId
      } while (afterWebhookId !== 0)
      expect(seen).toEqual(webhooks.map((webhook) => webhook.id))
    })

    test('a limit that cuts off a webhook names it among those with more', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace, 3)
      const claim = await w.claim(nodeId, { limit: 2, perWebhook: 10 })
      expect(claim).toMatchObject({
        more: [{ webhookId: webhook.id, workspaceId: workspace.id }],
        nextAfterWebhookId: webhook.id,
      })
    })

    test('webhooks excluded by the caller are skipped', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [out, taken] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace)
      const claim = await w.claim(nodeId, { except: [out.id] })
      expect(claim).toMatchObject({ deliveries: [{ webhookId: taken.id }], more: [], nextDueAt: null })
    })

    test('workspaces excluded by the caller are skipped, and their webhooks with due deliveries are named', async () => {
      const w = world()
      const [out, other] = [await w.workspace(), await w.workspace()]
      const [due, taken] = [await w.webhook(out), await w.webhook(other)]
      const nodeId = await w.node()
      await w.waiting(nodeId, out, 2)
      await w.waiting(nodeId, other)
      const claim = await w.claim(nodeId, { exceptWorkspaces: [out.id] })
      expect(claim).toMatchObject({ deliveries: [{ webhookId: taken.id }], nextAfterWebhookId: 0 })
      expect(claim.more).toEqual([{ webhookId: due.id, workspaceId: out.id }])
      expect((await w.claim(nodeId)).deliveries).toHaveLength(2)
    })

    test('deliveries of a paused webhook or suspended workspace wait and continue afterwards', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace)
      await w.update(webhook, { status: 'paused' })
      expect(await w.claim(nodeId)).toMatchObject({ deliveries: [], more: [], nextDueAt: null })
      await w.update(webhook, { status: 'on' })
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      expect(await w.claim(nodeId)).toMatchObject({ deliveries: [], more: [], nextDueAt: null })
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: false, now: w.now })
      expect(await w.claimedIds(nodeId)).toHaveLength(1)
    })

    test('a result for a webhook paused in the meantime is recorded, and a retry waits for it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [done, retried] = await w.leased(nodeId, workspace, 2)
      await w.update(webhook, { status: 'paused' })
      expect((await w.record(nodeId, [w.success(done!), w.failure(retried!)])).lost).toEqual([])
      w.now += 60_000
      expect(await w.statuses(webhook)).toEqual(['delivered', 'pending'])
      expect(await w.claimedIds(nodeId)).toEqual([])
      await w.update(webhook, { status: 'on' })
      expect(await w.claimedIds(nodeId)).toEqual([retried!.deliveryId])
    })

    test('without waiting deliveries there is no next time', async () => {
      const w = world()
      expect(await w.claim(await w.node())).toEqual({
        deliveries: [],
        more: [],
        elsewhere: [],
        nextAfterWebhookId: 0,
        nextDueAt: null,
      })
    })
  })
}
