import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { alerts, attempt, EARLY, fail, listening, mail } from './warningTools.ts'
import { HOUR_MS, MINUTE_MS } from './world.ts'

export function alertSuite({ world }: Subject): void {
  describe('alerts', () => {
    test('are kept only for their recipients: the workspace itself and the operator', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      const webhook = await w.webhook(workspace)
      await listening(w, other.id)
      await w.update(webhook, { status: 'off' })
      expect(await w.storage.readAlerts({ limit: 100 })).toEqual([])
      await w.update(webhook, { status: 'on' })
      const own = await listening(w, workspace.id)
      const operators = await listening(w, null)
      await w.update(webhook, { status: 'off' })
      const read = await w.storage.readAlerts({ limit: 100 })
      expect(read).toMatchObject([
        {
          alert: { type: 'webhook.disabled', data: { reason: 'manual' } },
          targets: [
            { id: own.workspaceId, publicId: workspace.publicId, slug: workspace.slug, name: workspace.name },
            { id: operators.workspaceId, publicId: '', slug: '' },
          ],
        },
      ])
      await w.storage.settleAlerts({ ids: read.map(({ alert }) => alert.id) })
      expect(await w.storage.readAlerts({ limit: 100 })).toEqual([])
    })

    test('do not cover operational webhooks, so that there is no loop', async () => {
      const w = world()
      const workspace = await w.workspace()
      const own = await listening(w, workspace.id)
      await listening(w, null)
      const nodeId = await w.node()
      const operational = { ...workspace, id: own.workspaceId }
      await fail(w, nodeId, operational, 5)
      w.now += HOUR_MS
      await attempt(w, nodeId, operational, 'failure', EARLY, {
        next: { status: 'failed', nextAttemptAt: null },
      })
      expect(await alerts(w)).toEqual([])
      expect(await mail(w)).toEqual([])
    })

    test('of exhausted deliveries are limited per minute; the others are counted', async () => {
      const w = world()
      const workspace = await w.workspace()
      await listening(w, workspace.id)
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const ends = { next: { status: 'failed' as const, nextAttemptAt: null } }
      const refs = await w.leased(nodeId, workspace, 30)
      const results = refs.map((ref) => w.failure(ref, ends))
      await w.record(nodeId, results.slice(0, 4))
      await w.record(nodeId, results.slice(4))
      const stored = await alerts(w)
      expect(stored).toHaveLength(10)
      expect(stored[0]).toMatchObject({
        type: 'delivery.exhausted',
        webhook: { publicId: webhook.publicId },
        data: { delivery: { deliveryId: refs[0]!.deliveryId, eventType: 'thing.happened' }, left_out: 0 },
      })
      await w.storage.settleAlerts({ ids: stored.map(({ id }) => id) })
      expect(await w.storage.closeMinutes({ now: w.now, limit: 100 })).toBe(0)
      w.now += MINUTE_MS
      await w.storage.closeMinutes({ now: w.now, limit: 100 })
      expect(await alerts(w)).toMatchObject([{ data: { delivery: null, left_out: 20 } }])
    })

    test('of exhausted deliveries are limited for a workspace as well', async () => {
      const w = world()
      const workspace = await w.workspace()
      await listening(w, workspace.id)
      for (let i = 0; i < 15; i++) await w.webhook(workspace)
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 10)
      const ends = { next: { status: 'failed' as const, nextAttemptAt: null } }
      await w.record(
        nodeId,
        refs.map((ref) => w.failure(ref, ends)),
      )
      const read = await w.storage.readAlerts({ limit: 1_000 })
      expect(read).toHaveLength(100)
      const behind = { limit: 1_000, after: read[59]!.alert.id }
      expect(await w.storage.readAlerts(behind)).toEqual(read.slice(60))
      await w.storage.settleAlerts({ ids: read.map(({ alert }) => alert.id) })
      w.now += MINUTE_MS
      while ((await w.storage.closeMinutes({ now: w.now, limit: 100 })) > 0);
      expect(await alerts(w)).toMatchObject([{ webhook: null, data: { left_out: 50 } }])
    })

    test('are deleted with their workspace', async () => {
      const w = world()
      const workspace = await w.workspace()
      const own = await listening(w, workspace.id)
      const gone = await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      expect(gone).toContain(own.id)
      expect(await w.storage.getOperational({ workspaceId: workspace.id })).toBeNull()
      expect(
        await w.storage.makeOperational({
          workspaceId: workspace.id,
          publicId: 'ws_x',
          dialect: 'o',
          now: w.now,
        }),
      ).toBeNull()
    })

    test('an operational workspace is created once, and in no list', async () => {
      const w = world()
      const workspace = await w.workspace()
      const own = await listening(w, workspace.id)
      expect((await w.storage.getOperational({ workspaceId: workspace.id }))?.id).toBe(own.workspaceId)
      const again = { workspaceId: workspace.id, publicId: w.name('ws_'), dialect: 'operational', now: w.now }
      expect((await w.storage.makeOperational(again))?.id).toBe(own.workspaceId)
      const listed = await w.storage.listWorkspaces({ limit: 1_000, before: null })
      expect(listed.map(({ id }) => id)).not.toContain(own.workspaceId)
      expect(await w.storage.describeWorkspaces({ workspaceIds: [own.workspaceId] })).toEqual([])
      expect(await w.storage.describeWebhooks({ webhookIds: [own.id] })).toEqual([])
    })
  })
}
