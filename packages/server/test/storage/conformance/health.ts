import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { DAY_MS, HOUR_MS, LENIENT, STRICT } from './world.ts'

export function healthSuite({ world }: Subject): void {
  describe('health of webhooks', () => {
    test('the first failure starts a spell of failing, later ones continue it, a success ends it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const began = w.now
      for (let i = 0; i < 2; i++) {
        const [ref] = await w.leased(nodeId, workspace)
        await w.record(nodeId, [w.failure(ref!)], STRICT)
        expect((await w.reread(webhook)).failingSince).toBe(began)
        w.now += HOUR_MS
      }
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.success(ref!)], STRICT)
      expect((await w.reread(webhook)).failingSince).toBeNull()
    })

    test('results of one call count in order', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [a, b, c, d] = await w.leased(nodeId, workspace, 4)
      await w.record(nodeId, [w.failure(a!), w.success(b!)], STRICT)
      expect((await w.reread(webhook)).failingSince).toBeNull()
      await w.record(nodeId, [w.success(c!), w.failure(d!)], STRICT)
      expect((await w.reread(webhook)).failingSince).toBe(w.now)
    })

    test('a success and then a failure that began long ago, in one call, disable the webhook', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [a, b, c] = await w.leased(nodeId, workspace, 3)
      w.now += DAY_MS
      const long = w.failure(b!)
      const began = { ...long, attempt: { ...long.attempt, startedAt: w.now - DAY_MS } }
      await w.record(nodeId, [w.failure(a!)], STRICT)
      const { disabled } = await w.record(nodeId, [w.success(c!), began], STRICT)
      expect(disabled).toEqual([{ webhookId: webhook.id, reason: 'failing' }])
    })

    test('steady successes and passing failures do not mark a webhook as changed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      w.now += 1000
      const [a, b, c] = await w.leased(nodeId, workspace, 3)
      await w.record(nodeId, [w.success(a!)], STRICT)
      await w.record(nodeId, [w.failure(b!)], STRICT)
      await w.record(nodeId, [w.success(c!)], STRICT)
      expect(await w.reread(webhook)).toEqual(webhook)
    })

    test('a 410 disables the webhook: that delivery failed, the others are canceled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [gone] = await w.leased(nodeId, workspace)
      await w.waiting(nodeId, workspace, 2)
      w.now += 1000
      const result = await w.record(nodeId, [w.gone(gone!)], STRICT)
      expect(result.disabled).toEqual([{ webhookId: webhook.id, reason: 'gone' }])
      expect(await w.reread(webhook)).toMatchObject({
        status: 'off',
        offReason: 'gone',
        updatedAt: w.now,
        version: webhook.version + 1,
      })
      expect(await w.statuses(webhook)).toEqual(['failed', 'canceled', 'canceled'])
    })

    test('where a 410 has no special meaning it is a failure like any other', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      expect((await w.record(nodeId, [w.gone(ref!)], LENIENT)).disabled).toEqual([])
      expect(await w.reread(webhook)).toMatchObject({ status: 'on', failingSince: w.now })
    })

    test('failing for too long disables the webhook and cancels the delivery that failed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [first, last] = await w.leased(nodeId, workspace, 2)
      const began = w.now
      await w.record(nodeId, [w.failure(first!)], STRICT)
      w.now += DAY_MS
      const result = await w.record(nodeId, [w.failure(last!)], STRICT)
      expect(result.disabled).toEqual([{ webhookId: webhook.id, reason: 'failing' }])
      const after = await w.reread(webhook)
      expect(after).toMatchObject({ status: 'off', offReason: 'failing', failingSince: began })
      expect(await w.statuses(webhook)).toEqual(['canceled', 'canceled'])
      expect((await w.delivery(workspace, last!.deliveryId)).attempts).toHaveLength(1)
    })

    test('a last attempt that disables its webhook leaves its delivery failed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [first, last] = await w.leased(nodeId, workspace, 2)
      await w.record(nodeId, [w.failure(first!)], STRICT)
      w.now += DAY_MS
      await w.record(nodeId, [w.failure(last!, { next: { status: 'failed', nextAttemptAt: null } })], STRICT)
      expect(await w.statuses(webhook)).toEqual(['canceled', 'failed'])
    })

    test('after the result that disables, later ones of the same call find their deliveries canceled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [gone, retried, ended, done] = await w.leased(nodeId, workspace, 4)
      const ends = { next: { status: 'failed' as const, nextAttemptAt: null } }
      const results = [w.gone(gone!), w.failure(retried!), w.failure(ended!, ends), w.success(done!)]
      const { lost, disabled } = await w.record(nodeId, results, STRICT)
      expect({ lost, disabled: disabled.length }).toEqual({ lost: [], disabled: 1 })
      expect(await w.statuses(webhook)).toEqual(['failed', 'canceled', 'canceled', 'delivered'])
    })

    test('late results of a disabled webhook neither disable it again nor hide since when it failed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [gone, late, ok] = await w.leased(nodeId, workspace, 3)
      await w.record(nodeId, [w.gone(gone!)], STRICT)
      const off = await w.reread(webhook)
      w.now += 2 * DAY_MS
      const result = await w.record(nodeId, [w.gone(late!), w.success(ok!)], STRICT)
      expect(result).toEqual({ lost: [], disabled: [], notifications: [] })
      expect(await w.reread(webhook)).toEqual(off)
    })

    test('a paused webhook can be disabled by rules as well', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.update(webhook, { status: 'paused' })
      await w.record(nodeId, [w.gone(ref!)], STRICT)
      expect(await w.reread(webhook)).toMatchObject({ status: 'off', offReason: 'gone' })
    })

    test('each result is judged by its own policy', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [strict, lenient] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace)
      const { disabled } = await w.storage.recordAttempts({
        nodeId,
        now: w.now,
        steadySince: null,
        outageNotBefore: null,
        failingFrom: null,
        healthPolicies: [LENIENT, STRICT],
        results: refs.map((ref) => ({
          ...w.gone(ref),
          healthPolicy: ref.webhookId === strict.id ? 1 : 0,
        })),
      })
      expect(disabled.map(({ webhookId }) => webhookId)).toEqual([strict.id])
      expect((await w.reread(lenient)).status).toBe('on')
    })

    test('a lost result does not affect its webhook', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const [ref] = await w.leased(await w.node(), workspace)
      await w.record(await w.node(), [w.failure(ref!)], STRICT)
      expect((await w.reread(webhook)).failingSince).toBeNull()
    })
  })
}
