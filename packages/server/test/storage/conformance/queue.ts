import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { QueueWatch } from '../../../src/engine/maintenance/watches.ts'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import type { QueuePosition } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS } from './world.ts'

export function queueSuite({ world }: Subject): void {
  describe('the queue', () => {
    test('counts deliveries still to be attempted, and those that could be attempted now', async () => {
      const w = world()
      const [one, other] = [await w.workspace(), await w.workspace()]
      const webhook = await w.webhook(one)
      await w.webhook(other)
      const nodeId = await w.node()
      const queue = () =>
        new QueueWatch({ storage: w.storage, clock: { ...systemClock, now: () => w.now } }).current()
      expect(await queue()).toEqual({ pending: 0, due: 0, limited: 0, unmade: 0, oldestDueAt: null })
      const [inFlight, failing, done] = await w.leased(nodeId, one, 3)
      expect(await queue()).toEqual({ pending: 3, due: 0, limited: 0, unmade: 0, oldestDueAt: null })
      await w.waiting(nodeId, one, 2)
      const dueAt = w.now
      w.now += 1000
      await w.waiting(nodeId, other, 4)
      await w.record(nodeId, [w.success(done!), w.failure(failing!)])
      expect(await queue()).toEqual({ pending: 8, due: 6, limited: 0, unmade: 0, oldestDueAt: dueAt })
      await w.update(webhook, { status: 'paused' })
      expect(await queue()).toEqual({ pending: 8, due: 4, limited: 0, unmade: 0, oldestDueAt: w.now })
      await w.storage.suspendWorkspace({ workspaceId: other.id, suspended: true, now: w.now })
      expect(await queue()).toEqual({ pending: 8, due: 0, limited: 0, unmade: 0, oldestDueAt: null })
      await w.update(webhook, { status: 'on' })
      w.now += HOUR_MS
      expect(await queue()).toEqual({ pending: 8, due: 3, limited: 0, unmade: 0, oldestDueAt: dueAt })
      await w.record(nodeId, [w.success(inFlight!)])
      expect((await queue()).pending).toBe(7)
    })

    test('is the sum of its parts, wherever they end', async () => {
      const w = world()
      const workspace = await w.workspace()
      await Promise.all(Array.from({ length: 30 }, () => w.webhook(workspace)))
      const paused = await w.webhook(workspace)
      const nodeId = await w.node()
      const from = w.now
      for (let round = 0; round < 3; round++) {
        await w.waiting(nodeId, workspace, 170)
        w.now += 1
      }
      await w.waiting(nodeId, workspace, 3)
      await w.update(paused, { status: 'paused' })
      const [deliveries, webhooks] = [513, 31]
      const clock = { ...systemClock, now: () => w.now - 1 }
      expect(await new QueueWatch({ storage: w.storage, clock }).current()).toEqual({
        pending: deliveries * webhooks,
        due: 510 * (webhooks - 1),
        limited: 0,
        unmade: 0,
        oldestDueAt: from,
      })
    })

    test('is counted for one workspace, in parts, wherever they end', async () => {
      const w = world()
      const [one, other] = [await w.workspace(), await w.workspace()]
      const pending = async (workspace = one) => {
        let [sum, parts] = [0, 0]
        let from: QueuePosition | null = null
        do {
          const part: Awaited<ReturnType<StorageCalls['countPending']>> = await w.storage.countPending({
            workspaceId: workspace.id,
            from,
          })
          sum += part.pending
          parts += 1
          from = part.next
        } while (from !== null)
        return { sum, parts }
      }
      expect(await pending()).toEqual({ sum: 0, parts: 1 })
      const webhooks = await Promise.all(Array.from({ length: 60 }, () => w.webhook(one)))
      await w.webhook(other)
      const nodeId = await w.node()
      await w.waiting(nodeId, other, 7)
      for (let round = 0; round < 3; round++) {
        await w.waiting(nodeId, one, 170)
        w.now += 1
      }
      const { sum, parts } = await pending()
      expect(sum).toBe(510 * 60)
      expect(parts).toBeGreaterThan(1)
      expect(await pending(other)).toEqual({ sum: 7, parts: 1 })
      await w.storage.deleteWebhook({
        workspaceId: one.id,
        webhookId: webhooks[0]!.id,
        ifVersions: null,
        now: w.now,
      })
      expect((await pending()).sum).toBe(510 * 59)
      const { deliveries } = await w.claim(nodeId, { limit: 100 })
      expect((await pending()).sum + (await pending(other)).sum).toBe(510 * 59 + 7 - deliveries.length)
    })

    test('is stored once for a time, and read in order of time', async () => {
      const { storage, now } = world()
      const sample = { at: now + 120_000, pending: 5, due: 2, oldestDueAt: now + 7 }
      expect(await storage.hasQueueSample(sample)).toBe(false)
      const later = { at: now + 180_000, pending: 1, due: 0, oldestDueAt: null }
      await storage.keepQueueSample(later)
      await Promise.all([storage.keepQueueSample(sample), storage.keepQueueSample(sample)])
      await storage.keepQueueSample({ ...sample, pending: 9 })
      expect(await storage.hasQueueSample(sample)).toBe(true)
      expect(await storage.hasQueueSample({ at: sample.at + 1 })).toBe(false)
      const peaks = async (from: number, to: number, stepMs = 60_000) => {
        const found = await storage.queuePeaks({ from: now + from, to: now + to, stepMs })
        return found.map(({ at, pending, oldestDueMs }) => [at - now, pending, oldestDueMs])
      }
      const peak = [5, 119_993]
      expect(await peaks(0, 300_000)).toEqual([
        [120_000, ...peak],
        [180_000, 1, 0],
      ])
      expect(await peaks(120_000, 180_000)).toEqual([[120_000, ...peak]])
      expect(await peaks(60_000, 300_000, 90_000)).toEqual([
        [60_000, ...peak],
        [150_000, 1, 0],
      ])
      expect(await peaks(60_000, 300_000, 240_000)).toEqual([[60_000, ...peak]])
    })
  })
}
