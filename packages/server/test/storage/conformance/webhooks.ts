import { describe, expect, test } from 'vitest'
import type { EnabledState } from '../../../src/core/enabledState.ts'
import type { Subject } from './subject.ts'
import { STRICT } from './world.ts'

export function webhookSuite({ world }: Subject): void {
  describe('webhooks', () => {
    test('a webhook is stored as created', async () => {
      const w = world()
      const workspace = await w.workspace()
      const createdBy = { type: 'key' as const, publicId: 'key_1' }
      const webhook = await w.webhook(workspace, { eventTypes: ['a', 'b'], createdBy })
      expect(webhook).toEqual({
        id: expect.any(Number),
        publicId: expect.any(String),
        workspaceId: workspace.id,
        url: 'https://receiver.example.com/hooks',
        eventTypes: ['a', 'b'],
        description: 'A webhook',
        maxPerSecond: null,
        maxInFlight: null,
        status: 'on',
        offReason: null,
        stoppedAt: null,
        failingSince: null,
        alertedAt: null,
        warn: null,
        snoozedUntil: null,
        createdBy,
        createdAt: w.now,
        updatedAt: w.now,
        version: expect.any(Number),
      })
      expect(await w.reread(webhook)).toEqual(webhook)
    })

    test('a workspace has no more webhooks than its limit, however many are created at once', async () => {
      const w = world()
      const workspace = await w.workspace()
      const create = () =>
        w.webhook(workspace, { maxWebhooks: 5 }).then(
          () => 'created',
          (error: Error) => error.message,
        )
      const outcomes = await Promise.all(Array.from({ length: 8 }, create))
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(5)
      expect(outcomes.filter((outcome) => outcome === 'limit_reached')).toHaveLength(3)
    })

    test('deleted webhooks and those of other workspaces do not count against the limit', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace, { maxWebhooks: 1 })
      await w.webhook(await w.workspace(), { maxWebhooks: 1 })
      await expect(w.webhook(workspace, { maxWebhooks: 1 })).rejects.toThrow('limit_reached')
      await w.remove(webhook)
      await w.webhook(workspace, { maxWebhooks: 1 })
    })

    test('a deleted workspace gets no webhook', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      await expect(w.webhook(workspace)).rejects.toThrow('workspace_not_found')
    })

    test('webhooks are listed newest first, in pages that stay the same while more are created', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(await w.workspace())
      const made = []
      for (let i = 0; i < 5; i++) made.push(await w.webhook(workspace))
      const page = (before: number | null) =>
        w.storage.listWebhooks({ workspaceId: workspace.id, limit: 3, before })
      const first = await page(null)
      await w.webhook(workspace)
      const second = await page(first.at(-1)!.id)
      expect([...first, ...second]).toEqual(made.reverse())
    })

    test('a webhook is found only in its own workspace', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const { id: webhookId, publicId } = await w.webhook(mine)
      const elsewhere = { workspaceId: other.id, webhookId, ifVersions: null, now: w.now }
      expect(await w.storage.getWebhook({ workspaceId: other.id, publicId })).toBeNull()
      expect(await w.storage.updateWebhook({ ...elsewhere, changes: { description: 'x' } })).toBeNull()
      expect(await w.storage.deleteWebhook(elsewhere)).toBeNull()
      const sealedSecret = Uint8Array.of(2)
      expect(await w.storage.rotateSecret({ ...elsewhere, sealedSecret, overlapMs: 0 })).toBeNull()
      expect(await w.storage.getWebhook({ workspaceId: mine.id, publicId })).not.toBeNull()
    })

    test('a change changes only the given members, and the version and time', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      w.now += 1000
      const url = 'https://elsewhere.example.com/'
      const changed = await w.update(webhook, { url, eventTypes: ['a'] })
      expect(changed).toEqual({
        ...webhook,
        url,
        eventTypes: ['a'],
        updatedAt: w.now,
        version: webhook.version + 1,
      })
      expect(await w.reread(webhook)).toEqual(changed)
    })

    test('a change without effect keeps the version and time', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace(), { eventTypes: ['a'] })
      w.now += 1000
      const { url, description } = webhook
      expect(await w.update(webhook, { url, description, eventTypes: ['a'], status: 'on' })).toEqual(webhook)
      expect(await w.update(webhook, {})).toEqual(webhook)
    })

    test('disabling by hand is reported, and a second time changes nothing', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const off = await w.update(webhook, { status: 'off' })
      expect(off).toMatchObject({ status: 'off', offReason: 'manual', version: webhook.version + 1 })
      w.now += 1000
      expect(await w.update(webhook, { status: 'off' })).toEqual(off)
    })

    test('disabling a disabled webhook keeps the reason', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.gone(ref!)], STRICT)
      expect(await w.update(webhook, { status: 'off' })).toMatchObject({ offReason: 'gone' })
    })

    test('enabling ends the spell of failing', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.gone(ref!)], STRICT)
      const on = await w.update(webhook, { status: 'on' })
      expect(on).toMatchObject({ status: 'on', offReason: null, failingSince: null })
      const [next] = await w.leased(nodeId, workspace)
      w.now += 1000
      await w.record(nodeId, [w.failure(next!)], STRICT)
      expect((await w.reread(webhook)).failingSince).toBe(w.now)
    })

    test('a pause does not end a spell of failing', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.failure(ref!)], STRICT)
      const failingSince = w.now
      expect(await w.update(webhook, { status: 'paused' })).toMatchObject({ status: 'paused', failingSince })
      expect(await w.update(webhook, { status: 'on' })).toMatchObject({ status: 'on', failingSince })
    })

    test('pausing a disabled webhook leaves it disabled', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const off = await w.update(webhook, { status: 'off' })
      expect(await w.update(webhook, { status: 'paused' })).toEqual(off)
    })

    test('a pause of a disabled webhook is rejected with all other changes of the call', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const off = await w.update(webhook, { status: 'off' })
      const { id: webhookId, workspaceId } = webhook
      const changes = { paused: true, description: 'changed' }
      const params = { workspaceId, webhookId, ifVersions: null, changes, now: w.now + 1 }
      expect(await w.storage.updateWebhook(params)).toEqual({ outcome: 'off' })
      expect(await w.reread(webhook)).toEqual(off)
    })

    test('a disabled webhook can be enabled and paused in one step', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.record(nodeId, [w.gone((await w.leased(nodeId, workspace))[0]!)], STRICT)
      const { id: webhookId, workspaceId, version } = await w.reread(webhook)
      const changes = { enabled: true, paused: true }
      const params = { workspaceId, webhookId, ifVersions: null, changes, now: w.now }
      expect(await w.storage.updateWebhook(params)).toMatchObject({
        outcome: 'updated',
        changed: true,
        webhook: { status: 'paused', offReason: null, failingSince: null, version: version + 1 },
      })
      expect(await w.leased(nodeId, workspace)).toEqual([])
    })

    test('enabling leaves a paused webhook paused unless its pause is ended too', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const { id: webhookId, workspaceId } = webhook
      const change = (changes: EnabledState) =>
        w.storage.updateWebhook({ workspaceId, webhookId, ifVersions: null, changes, now: w.now })
      await change({ paused: true })
      expect(await change({ enabled: true })).toMatchObject({ webhook: { status: 'paused' } })
      expect(await change({ enabled: true, paused: false })).toMatchObject({ webhook: { status: 'on' } })
    })

    test('a paused webhook can be disabled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      await w.waiting(await w.node(), workspace)
      await w.update(webhook, { status: 'paused' })
      const off = await w.update(webhook, { status: 'off' })
      expect(off).toMatchObject({ status: 'off', offReason: 'manual' })
      expect(await w.statuses(webhook)).toEqual(['canceled'])
    })

    test('a deleted webhook is gone, together with its log', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const { id: webhookId, publicId } = webhook
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      const { id: workspaceId } = workspace
      expect(await w.remove(webhook)).toEqual({ outcome: 'deleted' })
      expect(await w.remove(webhook)).toBeNull()
      expect(await w.storage.getWebhook({ workspaceId, publicId })).toBeNull()
      expect(await w.storage.listWebhooks({ workspaceId, limit: 10, before: null })).toEqual([])
      expect(await w.log(webhook)).toEqual([])
      expect(await w.storage.getDelivery({ workspaceId, deliveryId: ref!.deliveryId })).toBeNull()
      expect(await w.storage.loadTargets({ webhookIds: [webhookId], now: w.now })).toEqual([])
      expect(await w.leased(nodeId, workspace)).toEqual([])
      // Its attempt in flight ends without harm.
      expect(await w.record(nodeId, [w.gone(ref!)], STRICT)).toMatchObject({ lost: [], disabled: [] })
    })
  })
}
