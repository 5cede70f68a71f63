import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, type World } from './world.ts'

async function secretsOf(w: World, webhook: Webhook): Promise<[number, number | null][]> {
  const [target] = await w.storage.loadTargets({ webhookIds: [webhook.id], now: w.now })
  return target!.secrets.map(({ sealed, expiresAt }) => [sealed[0]!, expiresAt])
}

export function secretSuite({ world }: Subject): void {
  describe('secrets and sending targets', () => {
    test('a target has the webhook data that a sender needs', async () => {
      const w = world()
      const workspace = await w.workspace({ dialect: 'ads' })
      const webhook = await w.webhook(workspace, { sealedSecret: Uint8Array.of(7, 8, 9) })
      expect(await w.storage.loadTargets({ webhookIds: [webhook.id, 12_345], now: w.now })).toEqual([
        {
          id: webhook.id,
          workspaceId: workspace.id,
          publicId: webhook.publicId,
          version: webhook.version,
          dialect: 'ads',
          workspaceSlug: workspace.slug,
          url: webhook.url,
          status: 'on',
          maxPerSecond: null,
          maxInFlight: null,
          secrets: [{ sealed: Uint8Array.of(7, 8, 9), expiresAt: null }],
        },
      ])
    })

    test('a target shows whether its webhook may be sent to', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const load = () => w.storage.loadTargets({ webhookIds: [webhook.id], now: w.now })
      const status = async () => (await load())[0]!.status
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      expect(await status()).toBe('paused')
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: false, now: w.now })
      expect(await status()).toBe('on')
      await w.update(webhook, { status: 'off' })
      expect(await status()).toBe('off')
    })

    test('a replaced secret keeps signing during the overlap, after the new one', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      w.now += 1000
      const rotated = await w.rotate(webhook, { secret: 2, overlapMs: 5000 })
      expect(rotated).toEqual({
        outcome: 'rotated',
        webhook: { ...webhook, updatedAt: w.now, version: webhook.version + 1 },
      })
      expect(await secretsOf(w, webhook)).toEqual([
        [2, null],
        [1, w.now + 5000],
      ])
    })

    test('of a flood of rotations within one overlap, the newest 32 sign', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      for (let secret = 2; secret <= 40; secret++) await w.rotate(webhook, { secret, overlapMs: 5000 })
      const newest = Array.from({ length: 32 }, (_, i) => 40 - i)
      expect((await secretsOf(w, webhook)).map(([secret]) => secret)).toEqual(newest)
    })

    test('a second rotation does not change the overlap of the first', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const start = w.now
      await w.rotate(webhook, { secret: 2, overlapMs: 5000 })
      w.now += 1000
      await w.rotate(webhook, { secret: 3, overlapMs: 5000 })
      expect(await secretsOf(w, webhook)).toEqual([
        [3, null],
        [2, start + 6000],
        [1, start + 5000],
      ])
    })

    test('without an overlap the old secret stops signing at once', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      await w.rotate(webhook)
      expect(await secretsOf(w, webhook)).toEqual([[2, null]])
    })

    test('a secret stops signing at the moment its overlap ends', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      await w.rotate(webhook, { secret: 2, overlapMs: 1000 })
      await w.rotate(webhook, { secret: 3, overlapMs: 5000 })
      const signing = async () => (await secretsOf(w, webhook)).map(([secret]) => secret)
      w.now += 999
      expect(await signing()).toEqual([3, 2, 1])
      w.now += 1
      expect(await signing()).toEqual([3, 2])
      w.now += 4000
      expect(await signing()).toEqual([3])
    })

    test('the signing secrets are found by only the id of their webhook, newest first', async () => {
      const w = world()
      const workspace = await w.workspace({ dialect: 'ads' })
      const webhook = await w.webhook(workspace)
      await w.webhook(await w.workspace())
      const signing = (limit = 10, publicId = webhook.publicId) =>
        w.storage.getSigningSecrets({ publicId, limit, now: w.now })
      await w.rotate(webhook, { secret: 2, overlapMs: 1000 })
      const newest = { sealed: Uint8Array.of(2), expiresAt: null }
      const replaced = { sealed: Uint8Array.of(1), expiresAt: w.now + 1000 }
      expect(await signing()).toEqual({ dialect: 'ads', secrets: [newest, replaced] })
      expect(await signing(1)).toEqual({ dialect: 'ads', secrets: [newest] })
      w.now += 1000
      expect(await signing()).toEqual({ dialect: 'ads', secrets: [newest] })
      expect(await signing(10, `${webhook.publicId}x`)).toBeNull()
    })

    test('a webhook that is disabled or in a suspended workspace has its secrets, a deleted one has none', async () => {
      const w = world()
      const [first, second] = [await w.workspace(), await w.workspace()]
      const [removed, orphaned] = [await w.webhook(first), await w.webhook(second)]
      const signing = async ({ publicId }: Webhook) =>
        (await w.storage.getSigningSecrets({ publicId, limit: 10, now: w.now }))?.secrets.length ?? null
      await w.update(removed, { status: 'off' })
      await w.storage.suspendWorkspace({ workspaceId: second.id, suspended: true, now: w.now })
      expect(await Promise.all([removed, orphaned].map(signing))).toEqual([1, 1])
      await w.remove(removed)
      await w.storage.deleteWorkspace({ workspaceId: second.id, now: w.now })
      expect(await Promise.all([removed, orphaned].map(signing))).toEqual([null, null])
    })

    test('maintenance keeps signing secrets, however old they are', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      w.now += 100 * DAY_MS
      await w.rotate(webhook, { secret: 2, overlapMs: 1000 })
      await w.expireAll(w.now)
      expect((await secretsOf(w, webhook)).map(([secret]) => secret)).toEqual([2, 1])
    })

    test('the log shows the signatures of a secret for as long as it shows the delivery', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      const { version: webhookVersion } = webhook
      await w.record(nodeId, [w.success(ref!, { webhookVersion })])
      const deliveredAt = w.now
      w.now += 1000
      await w.rotate(webhook)
      w.now += 20 * DAY_MS
      await w.expireAll(deliveredAt)
      const sent = await w.storage.getSentRequests({ workspaceId: workspace.id, deliveryId: ref!.deliveryId })
      expect(sent).toMatchObject([{ url: webhook.url, secrets: [Uint8Array.of(1)] }])
    })
  })
}
