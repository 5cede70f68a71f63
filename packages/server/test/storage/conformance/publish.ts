import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { STRICT } from './world.ts'

export function publishSuite({ world }: Subject): void {
  describe('publish', () => {
    test('reserved event ids are consecutive and unique', async () => {
      const { storage } = world()
      const [a, b, c] = await Promise.all([
        storage.reserveEventIds({ count: 10 }),
        storage.reserveEventIds({ count: 1 }),
        storage.reserveEventIds({ count: 5 }),
      ])
      const taken = [
        ...Array.from({ length: 10 }, (_, i) => a! + i),
        b!,
        ...Array.from({ length: 5 }, (_, i) => c! + i),
      ]
      expect(new Set(taken).size).toBe(16)
    })

    test('an event goes exactly to the webhooks that match its type', async () => {
      const w = world()
      const workspace = await w.workspace()
      const all = await w.webhook(workspace)
      const wanting = await w.webhook(workspace, { eventTypes: ['other.happened', 'thing.happened'] })
      await w.webhook(workspace, { eventTypes: ['other.happened'] })
      const { leased, unleased } = await w.publish(await w.node(), [await w.event(workspace)])
      expect(leased.map((ref) => ref.webhookId)).toEqual([all.id, wanting.id])
      expect(unleased).toEqual([])
    })

    test('an event goes only to webhooks of its own workspace', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const webhook = await w.webhook(mine)
      await w.webhook(other)
      const { leased } = await w.publish(await w.node(), [await w.event(mine)])
      expect(leased.map((ref) => ref.webhookId)).toEqual([webhook.id])
    })

    test('one batch may contain events of several workspaces and types', async () => {
      const w = world()
      const [one, two] = [await w.workspace(), await w.workspace()]
      const [first, second] = [await w.webhook(one), await w.webhook(two, { eventTypes: ['b'] })]
      const batch = [await w.event(two, { type: 'b' }), await w.event(two), await w.event(one)]
      const { leased } = await w.publish(await w.node(), batch)
      expect(leased.map(({ event, webhookId }) => [event, webhookId])).toEqual([
        [0, second.id],
        [2, first.id],
      ])
    })

    test('a disabled, paused or deleted webhook gets nothing, then or later', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const off = await w.webhook(workspace)
      const paused = await w.webhook(workspace)
      const deleted = await w.webhook(workspace)
      await w.leased(nodeId, workspace)
      await w.update(off, { status: 'off' })
      await w.update(paused, { status: 'paused' })
      await w.remove(deleted)
      const published = await w.publish(nodeId, [await w.event(workspace)])
      expect(published).toMatchObject({ leased: [], unleased: [] })
      await w.update(off, { status: 'on' })
      await w.update(paused, { status: 'on' })
      expect(await w.statuses(off)).toEqual(['canceled'])
      expect(await w.statuses(paused)).toEqual(['pending'])
    })

    test('webhooks of a suspended workspace get nothing until it is resumed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      expect(await w.leased(nodeId, workspace)).toEqual([])
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: false, now: w.now })
      expect(await w.leased(nodeId, workspace)).toMatchObject([{ webhookId: webhook.id }])
      expect(await w.statuses(webhook)).toEqual(['pending'])
    })

    test('a change of webhooks applies to the very next event', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const published = async () => (await w.leased(nodeId, workspace)).map((ref) => ref.webhookId)
      expect(await published()).toEqual([])
      const webhook = await w.webhook(workspace)
      expect(await published()).toEqual([webhook.id])
      await w.update(webhook, { eventTypes: ['other.happened'] })
      expect(await published()).toEqual([])
      await w.update(webhook, { eventTypes: ['thing.happened'] })
      expect(await published()).toEqual([webhook.id])
      await w.record(nodeId, [w.gone((await w.leased(nodeId, workspace))[0]!)], STRICT)
      expect(await published()).toEqual([])
    })

    test('deliveries are leased to the node as far as it has room, over all batches of the call', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const batches = [await w.events(2, workspace), await w.events(2, workspace)]
      const results = await w.storage.publish({
        nodeId,
        batches,
        room: 3,
        keepInStore: [],
        maxFanout: 1_000_000,
      })
      expect(results).toMatchObject([
        { leased: [{ event: 0 }, { event: 1 }], unleased: [] },
        { leased: [{ event: 0 }], unleased: [webhook.id] },
      ])
      expect((await w.claim(nodeId)).deliveries).toMatchObject([{ eventId: batches[1]![1]!.id }])
    })

    test('deliveries of webhooks to keep in the store are left there, due now', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [kept, free] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const { leased, unleased } = await w.publish(nodeId, [await w.event(workspace)], {
        keepInStore: [kept.id],
      })
      expect(leased.map((ref) => ref.webhookId)).toEqual([free.id])
      expect(unleased).toEqual([kept.id])
      expect((await w.claim(nodeId)).deliveries).toMatchObject([{ webhookId: kept.id }])
    })

    test('a leased delivery has the version of its webhook', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      await w.update(webhook, { description: 'changed' })
      const [ref] = await w.leased(await w.node(), workspace)
      expect(ref!.webhookVersion).toBe((await w.reread(webhook)).version)
      expect(ref!.webhookVersion).toBeGreaterThan(webhook.version)
    })

    test('a delivery is as old as its event and due from then on', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const event = await w.event(workspace, { createdAt: w.now - 5 })
      const { leased } = await w.publish(await w.node(), [event])
      expect(await w.delivery(workspace, leased[0]!.deliveryId)).toMatchObject({
        status: 'pending',
        createdAt: w.now - 5,
        nextAttemptAt: w.now - 5,
        finishedAt: null,
        attempts: [],
        eventId: event.id,
      })
    })

    test('a body is returned unchanged, whatever its characters', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const body = JSON.stringify({ text: 'Zażółć \u{1F426} \u2028 "\\" \u0001', pad: 'x'.repeat(300_000) })
      const nodeId = await w.node()
      await w.publish(nodeId, [await w.event(workspace, { body })], { room: 0 })
      expect((await w.claim(nodeId)).deliveries[0]!.body).toBe(body)
    })

    test('an event without subscribers is still stored', async () => {
      const w = world()
      const workspace = await w.workspace()
      const event = await w.event(workspace)
      expect(await w.publish(await w.node(), [event])).toMatchObject({ leased: [], unleased: [] })
      const latest = await w.storage.latestEvents({ workspaceId: workspace.id, type: event.type })
      expect(latest).toMatchObject([{ id: event.id }])
    })

    test('an empty batch is accepted', async () => {
      const w = world()
      expect(await w.publish(await w.node(), [])).toEqual({
        outcome: 'accepted',
        repeats: [],
        leased: [],
        unleased: [],
        deliveries: 0,
        late: 0,
      })
    })
  })
}
