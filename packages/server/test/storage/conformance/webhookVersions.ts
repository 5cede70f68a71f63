import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'

export function webhookVersionSuite({ world }: Subject): void {
  describe('versions of webhooks', () => {
    test('an update returns whether it made a difference', async () => {
      const w = world()
      const { id: webhookId, workspaceId } = await w.webhook(await w.workspace(), { eventTypes: ['a'] })
      const update = async (changes: Parameters<typeof w.storage.updateWebhook>[0]['changes']) => {
        const result = await w.storage.updateWebhook({
          workspaceId,
          webhookId,
          ifVersions: null,
          changes,
          now: w.now,
        })
        return result?.outcome === 'updated' ? result.changed : result
      }
      expect([await update({ description: 'other' }), await update({ description: 'other' })]).toEqual([
        true,
        false,
      ])
      expect([await update({ eventTypes: ['b'] }), await update({ eventTypes: ['b'] })]).toEqual([
        true,
        false,
      ])
      expect([await update({ paused: true }), await update({ paused: true })]).toEqual([true, false])
      expect([await update({ enabled: false }), await update({ enabled: false })]).toEqual([true, false])
      expect(await update({})).toBe(false)
    })

    test('a change for another version changes nothing and returns the current version', async () => {
      const w = world()
      const workspace = await w.workspace()
      const made = await w.webhook(workspace)
      const webhook = (await w.update(made, { description: 'changed by another' }))!
      const secrets = () => w.storage.loadTargets({ webhookIds: [webhook.id], now: w.now })
      const before = await secrets()
      const { id: webhookId, workspaceId, version } = webhook
      for (const ifVersions of [[made.version], [made.version, version + 1], []]) {
        const params = { workspaceId, webhookId, ifVersions, now: w.now + 1 }
        const refused = { outcome: 'other_version', version }
        const changes = { url: 'https://elsewhere.example.com/', enabled: false }
        expect(await w.storage.updateWebhook({ ...params, changes })).toEqual(refused)
        expect(await w.storage.updateWebhook({ ...params, changes: {} })).toEqual(refused)
        expect(await w.storage.deleteWebhook(params)).toEqual(refused)
        const sealedSecret = Uint8Array.of(2)
        expect(await w.storage.rotateSecret({ ...params, sealedSecret, overlapMs: 0 })).toEqual(refused)
      }
      expect(await w.reread(webhook)).toEqual(webhook)
      expect(await secrets()).toEqual(before)
    })

    test('a change for this version among others is made', async () => {
      const w = world()
      const { id: webhookId, workspaceId, version } = await w.webhook(await w.workspace())
      const at = (current: number) => ({
        workspaceId,
        webhookId,
        ifVersions: [current - 1, current],
        now: w.now,
      })
      const changes = { description: 'changed' }
      const updated = { outcome: 'updated', webhook: { version: version + 1 } }
      expect(await w.storage.updateWebhook({ ...at(version), changes })).toMatchObject(updated)
      const rotation = { ...at(version + 1), sealedSecret: Uint8Array.of(2), overlapMs: 0 }
      const rotated = { outcome: 'rotated', webhook: { version: version + 2 } }
      expect(await w.storage.rotateSecret(rotation)).toMatchObject(rotated)
      expect(await w.storage.deleteWebhook(at(version + 2))).toEqual({ outcome: 'deleted' })
    })

    test('of several concurrent changes of one version, one succeeds', async () => {
      const w = world()
      const { id: webhookId, workspaceId, version } = await w.webhook(await w.workspace())
      const params = { workspaceId, webhookId, ifVersions: [version], now: w.now }
      const updates = ['a', 'b', 'c', 'd'].map((description) =>
        w.storage.updateWebhook({ ...params, changes: { description } }),
      )
      const outcomes = (await Promise.all(updates)).map((result) => result!.outcome)
      expect(outcomes.sort()).toEqual(['other_version', 'other_version', 'other_version', 'updated'])
    })
  })
}
