import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { portionOf } from '../../../src/core/limit.ts'
import { QueueWatch } from '../../../src/engine/maintenance/watches.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS, MINUTE_MS, type World } from './world.ts'

const SLOW = { maxPerSecond: 0.5, maxInFlight: 3 }

async function limited(w: World, limit = SLOW) {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace, limit)
  return { workspace, webhook, ref: { webhookId: webhook.id, workspaceId: workspace.id } }
}

/** Which node may claim waiting deliveries of a webhook with a limit. */
export function limitClaimSuite({ world }: Subject): void {
  describe('claims of webhooks with limits', () => {
    test('published deliveries stay in the store, and only one node claims them', async () => {
      const w = world()
      const { workspace, webhook, ref } = await limited(w, { maxPerSecond: 5, maxInFlight: 4 })
      const [first, second] = [await w.node(), await w.node()]
      const published = await w.publish(second, await w.events(30, workspace))
      expect(published).toMatchObject({ leased: [], unleased: [webhook.id] })
      const claimed = await w.claim(first)
      expect(claimed.deliveries).toHaveLength(portionOf({ maxPerSecond: 5, maxInFlight: 4 }))
      expect(claimed).toMatchObject({ more: [ref], elsewhere: [] })
      expect(await w.claim(second)).toMatchObject({ deliveries: [], more: [], elsewhere: [ref] })
      expect((await w.claim(first)).deliveries).toHaveLength(claimed.deliveries.length)
    })

    test('another node claims once the first is gone, and not while its lease has only expired', async () => {
      const w = world()
      const { workspace } = await limited(w)
      const [first, second] = [await w.node(), await w.node()]
      await w.waiting(first, workspace, 9)
      const held = await w.claim(first)
      await w.lapse(first)
      expect((await w.claim(second)).deliveries).toEqual([])
      await w.storage.rescueDeliveries({ byNodeId: second })
      const ids = (await w.claim(second)).deliveries.map(({ id }) => id)
      expect(ids).toHaveLength(1)
      expect(held.deliveries.map(({ id }) => id)).toContain(ids[0])
      await w.storage.retireNode({ nodeId: second })
      expect((await w.claim(await w.node())).deliveries).toHaveLength(1)
    })

    test('a node that releases it leaves it to others, and one that never had it changes nothing', async () => {
      const w = world()
      const { workspace, webhook } = await limited(w)
      const [first, second] = [await w.node(), await w.node()]
      await w.waiting(first, workspace, 9)
      expect((await w.claim(first)).deliveries).toHaveLength(1)
      await w.storage.releaseLimits({ nodeId: second, webhookIds: [webhook.id] })
      expect((await w.claim(second)).deliveries).toEqual([])
      await w.storage.releaseLimits({ nodeId: first, webhookIds: [webhook.id] })
      expect((await w.claim(second)).deliveries).toHaveLength(1)
      expect((await w.claim(first)).deliveries).toEqual([])
    })

    test('without a limit any node claims again', async () => {
      const w = world()
      const { workspace, webhook } = await limited(w)
      const [first, second] = [await w.node(), await w.node()]
      await w.waiting(first, workspace, 9)
      await w.claim(first)
      const changes = { maxPerSecond: null, maxInFlight: null }
      const params = {
        workspaceId: workspace.id,
        webhookId: webhook.id,
        ifVersions: null,
        changes,
        now: w.now,
      }
      expect(await w.storage.updateWebhook(params)).toMatchObject({ changed: true, webhook: changes })
      expect((await w.claim(second)).deliveries).toHaveLength(8)
      expect((await w.publish(second, await w.events(2, workspace))).leased).toHaveLength(2)
    })

    test('a webhook without a limit next to it is claimed by any', async () => {
      const w = world()
      const { workspace, ref } = await limited(w)
      const other = await w.webhook(workspace)
      const [first, second] = [await w.node(), await w.node()]
      await w.waiting(first, workspace, 4)
      await w.claim(first, { perWebhook: 1 })
      const claimed = await w.claim(second)
      expect(claimed.deliveries.map(({ webhookId }) => webhookId)).toEqual([other.id, other.id, other.id])
      expect(claimed.elsewhere).toEqual([ref])
    })

    test('the limit is part of the data that a node needs to send', async () => {
      const w = world()
      const { webhook } = await limited(w)
      const webhookIds = [webhook.id]
      expect(await w.storage.loadTargets({ webhookIds, now: w.now })).toMatchObject([SLOW])
    })
  })
}

export function limitSuite(subject: Subject): void {
  const { world } = subject
  limitClaimSuite(subject)

  describe('limits of webhooks', () => {
    test('have three decimals, are changed separately, and an unchanged limit keeps the version', async () => {
      const w = world()
      const { workspace, webhook } = await limited(w, { maxPerSecond: 0.333, maxInFlight: 1 })
      expect(webhook).toMatchObject({ maxPerSecond: 0.333, maxInFlight: 1 })
      const change = (changes: object) =>
        w.storage.updateWebhook({
          workspaceId: workspace.id,
          webhookId: webhook.id,
          ifVersions: null,
          changes,
          now: w.now,
        })
      expect(await change({ maxPerSecond: 0.333 })).toMatchObject({ changed: false })
      expect(await change({ maxPerSecond: 10_000 })).toMatchObject({
        changed: true,
        webhook: { maxPerSecond: 10_000, maxInFlight: 1, version: webhook.version + 1 },
      })
      expect(await change({ maxInFlight: null })).toMatchObject({
        webhook: { maxPerSecond: 10_000, maxInFlight: null },
      })
      const [listed] = await w.storage.listWebhooks({ workspaceId: workspace.id, limit: 1, before: null })
      expect(listed).toMatchObject({ maxPerSecond: 10_000, maxInFlight: null })
    })

    test('due deliveries and those in flight are counted, and those waiting for a retry are not', async () => {
      const w = world()
      const { workspace, webhook } = await limited(w)
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace, 6)
      const [under] = (await w.claim(nodeId)).deliveries
      const count = (atMost: number) => w.storage.countDue({ webhookId: webhook.id, now: w.now, atMost })
      expect(await count(100)).toEqual({ due: 6, more: false })
      expect(await count(6)).toEqual({ due: 6, more: false })
      expect(await count(5)).toEqual({ due: 5, more: true })
      const next = { status: 'pending', nextAttemptAt: w.now + MINUTE_MS } as const
      await w.record(nodeId, [w.failure({ ...under!, deliveryId: under!.id }, { next })])
      expect(await count(100)).toEqual({ due: 5, more: false })
    })

    test('their backlogs are counted separately, and do not count as late', async () => {
      const w = world()
      const { workspace } = await limited(w)
      const other = await w.workspace()
      await w.webhook(other)
      const nodeId = await w.node()
      await w.waiting(nodeId, workspace, 5)
      w.now += HOUR_MS
      await w.waiting(nodeId, other, 2)
      const clock = { ...systemClock, now: () => w.now }
      expect(await new QueueWatch({ storage: w.storage, clock }).current()).toEqual({
        pending: 7,
        due: 2,
        limited: 5,
        unmade: 0,
        oldestDueAt: w.now,
      })
    })
  })
}
