import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

function rotate(w: World, webhook: Webhook, secret: number, overlapMs: number) {
  return w.storage.rotateSecret({
    workspaceId: webhook.workspaceId,
    webhookId: webhook.id,
    sealedSecret: Uint8Array.of(secret),
    overlapMs,
    now: w.now,
  })
}

async function secretsOf(w: World, webhook: Webhook): Promise<[number, number | null][]> {
  const [target] = await w.storage.loadTargets({ webhookIds: [webhook.id] })
  return target!.secrets.map(({ sealed, expiresAt }) => [sealed[0]!, expiresAt])
}

export function secretSuite({ world }: Subject): void {
  describe('secrets and sending targets', () => {
    test('a target holds what the sender must know of a webhook', async () => {
      const w = world()
      const workspace = await w.workspace({ dialect: 'ads' })
      const webhook = await w.webhook(workspace, { sealedSecret: Uint8Array.of(7, 8, 9) })
      expect(await w.storage.loadTargets({ webhookIds: [webhook.id, 12_345] })).toEqual([
        {
          id: webhook.id,
          publicId: webhook.publicId,
          version: webhook.version,
          dialect: 'ads',
          url: webhook.url,
          status: 'on',
          secrets: [{ sealed: Uint8Array.of(7, 8, 9), expiresAt: null }],
        },
      ])
    })

    test('a target shows whether its webhook may be sent to', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const status = async () => (await w.storage.loadTargets({ webhookIds: [webhook.id] }))[0]!.status
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspendedAt: w.now })
      expect(await status()).toBe('paused')
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspendedAt: null })
      expect(await status()).toBe('on')
      await w.update(webhook, { status: 'off' })
      expect(await status()).toBe('off')
    })

    test('a replaced secret goes on signing for the overlap, after the new one', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      w.now += 1000
      const rotated = await rotate(w, webhook, 2, 5000)
      expect(rotated).toEqual({ ...webhook, updatedAt: w.now, version: webhook.version + 1 })
      expect(await secretsOf(w, webhook)).toEqual([
        [2, null],
        [1, w.now + 5000],
      ])
    })

    test('a second rotation leaves the overlap of the first alone', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const start = w.now
      await rotate(w, webhook, 2, 5000)
      w.now += 1000
      await rotate(w, webhook, 3, 5000)
      expect(await secretsOf(w, webhook)).toEqual([
        [3, null],
        [2, start + 6000],
        [1, start + 5000],
      ])
    })

    test('without an overlap the old secret is gone at once', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      await rotate(w, webhook, 2, 0)
      expect(await secretsOf(w, webhook)).toEqual([[2, null]])
    })

    test('upkeep removes secrets whose overlap is over and no others', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      await rotate(w, webhook, 2, 1000)
      await rotate(w, webhook, 3, 5000)
      w.now += 1000
      await w.storage.deleteExpired({ before: 0, now: w.now, limit: 100 })
      expect((await secretsOf(w, webhook)).map(([secret]) => secret)).toEqual([3, 2])
    })
  })
}
