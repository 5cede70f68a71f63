import { describe, expect, test } from 'vitest'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { ManualSendLimit } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS, LENIENT, type World } from './world.ts'

const TWO_A_MINUTE: ManualSendLimit = { max: 2, windowMs: 60_000 }

async function sendTest(
  w: World,
  workspace: Workspace,
  webhookId: number,
  limit: ManualSendLimit | null = null,
) {
  const event = await w.event(workspace, { type: 'webhook.test' })
  return w.storage.sendTest({ event, webhookId, limit, now: w.now })
}

export function manualSendSuite({ world }: Subject): void {
  describe('tests', () => {
    test('a test is one delivery of a new event to only that webhook, due now', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [webhook, other] = [await w.webhook(workspace, { eventTypes: ['a'] }), await w.webhook(workspace)]
      const result = await sendTest(w, workspace, webhook.id)
      expect(result).toMatchObject({
        outcome: 'accepted',
        limit: null,
        delivery: {
          webhookPublicId: webhook.publicId,
          eventType: 'webhook.test',
          status: 'pending',
          nextAttemptAt: w.now,
          attempts: [],
        },
      })
      expect(await w.statuses(other)).toEqual([])
      const claim = await w.claim(await w.node())
      expect(claim.deliveries).toMatchObject([{ webhookId: webhook.id, trigger: 'test' }])
    })

    test('the attempt of a test is marked as one', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      await sendTest(w, workspace, webhook.id)
      const nodeId = await w.node()
      const [claimed] = (await w.claim(nodeId)).deliveries
      const ref = { deliveryId: claimed!.id, webhookId: webhook.id }
      await w.record(nodeId, [w.success(ref, { trigger: 'test' })], LENIENT)
      const { attempts } = await w.delivery(workspace, claimed!.id)
      expect(attempts).toMatchObject([{ number: 1, trigger: 'test', statusCode: 200, errorCode: null }])
    })

    test('a test event is no sample of real events', async () => {
      const w = world()
      const workspace = await w.workspace()
      await sendTest(w, workspace, (await w.webhook(workspace)).id)
      const latest = await w.storage.latestEvents({ workspaceId: workspace.id, type: 'webhook.test' })
      expect(latest).toEqual([])
    })

    test('a disabled or paused webhook cannot be tested', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const refused = { outcome: 'webhook_not_on', status: 'paused' }
      await w.update(webhook, { status: 'paused' })
      expect(await sendTest(w, workspace, webhook.id)).toEqual(refused)
      await w.update(webhook, { status: 'off' })
      expect(await sendTest(w, workspace, webhook.id)).toEqual({ ...refused, status: 'off' })
      await w.update(webhook, { status: 'on' })
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      expect(await sendTest(w, workspace, webhook.id)).toEqual(refused)
      expect(await w.statuses(webhook)).toEqual([])
    })

    test('a missing webhook, or one in another workspace, cannot be tested', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const foreign = await w.webhook(other)
      expect(await sendTest(w, mine, 12_345)).toEqual({ outcome: 'not_found' })
      expect(await sendTest(w, mine, foreign.id)).toEqual({ outcome: 'not_found' })
    })
  })

  describe('limit of manual sends', () => {
    async function start(): Promise<{ w: World; workspace: Workspace; webhook: Webhook }> {
      const w = world()
      const workspace = await w.workspace()
      return { w, workspace, webhook: await w.webhook(workspace) }
    }

    test('the limit applies to any window, and each answer returns the rest and the wait for the next', async () => {
      const { w, workspace, webhook } = await start()
      const send = async () => {
        const result = await sendTest(w, workspace, webhook.id, TWO_A_MINUTE)
        if (result.outcome !== 'accepted' && result.outcome !== 'rate_limited')
          throw new Error(result.outcome)
        return [result.outcome, result.limit]
      }
      expect(await send()).toEqual(['accepted', { remaining: 1, resetMs: 60_000 }])
      w.now += 20_000
      expect(await send()).toEqual(['accepted', { remaining: 0, resetMs: 40_000 }])
      w.now += 20_000
      expect(await send()).toEqual(['rate_limited', { remaining: 0, resetMs: 20_000 }])
      w.now += 19_999
      expect(await send()).toEqual(['rate_limited', { remaining: 0, resetMs: 1 }])
      w.now += 1
      expect(await send()).toEqual(['accepted', { remaining: 0, resetMs: 20_000 }])
      expect(await send()).toEqual(['rate_limited', { remaining: 0, resetMs: 20_000 }])
    })

    test('under a lowered limit, the wait lasts until few enough are left', async () => {
      const { w, workspace, webhook } = await start()
      for (let i = 0; i < 3; i++) {
        await sendTest(w, workspace, webhook.id, { max: 3, windowMs: 60_000 })
        w.now += 10_000
      }
      const lowered = { max: 1, windowMs: 60_000 }
      expect(await sendTest(w, workspace, webhook.id, lowered)).toEqual({
        outcome: 'rate_limited',
        limit: { remaining: 0, resetMs: 50_000 },
      })
    })

    test('concurrent sends do not exceed it together', async () => {
      const { w, workspace, webhook } = await start()
      const sends = Array.from({ length: 6 }, () => sendTest(w, workspace, webhook.id, TWO_A_MINUTE))
      const outcomes = (await Promise.all(sends)).map((result) => result.outcome)
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(2)
      expect(await w.statuses(webhook)).toHaveLength(2)
    })

    test('a rejected send does not count', async () => {
      const { w, workspace, webhook } = await start()
      for (let i = 0; i < 3; i++) await sendTest(w, workspace, 12_345, TWO_A_MINUTE)
      await w.update(webhook, { status: 'paused' })
      for (let i = 0; i < 3; i++) await sendTest(w, workspace, webhook.id, TWO_A_MINUTE)
      await w.update(webhook, { status: 'on' })
      expect(await sendTest(w, workspace, webhook.id, TWO_A_MINUTE)).toMatchObject({
        limit: { remaining: 1 },
      })
    })

    test('each workspace has its own', async () => {
      const { w, workspace, webhook } = await start()
      const other = await w.workspace()
      const foreign = await w.webhook(other)
      for (let i = 0; i < 3; i++) await sendTest(w, other, foreign.id, TWO_A_MINUTE)
      expect(await sendTest(w, workspace, webhook.id, TWO_A_MINUTE)).toMatchObject({
        limit: { remaining: 1 },
      })
    })

    test('a clock that was set back locks out no one', async () => {
      const { w, workspace, webhook } = await start()
      w.now += HOUR_MS
      for (let i = 0; i < 2; i++) await sendTest(w, workspace, webhook.id, TWO_A_MINUTE)
      w.now -= HOUR_MS
      expect(await sendTest(w, workspace, webhook.id, TWO_A_MINUTE)).toMatchObject({
        limit: { remaining: 1 },
      })
    })

    test('a limit of zero rejects with a wait', async () => {
      const { w, workspace, webhook } = await start()
      const none = { max: 0, windowMs: 1000 }
      expect(await sendTest(w, workspace, webhook.id, none)).toEqual({
        outcome: 'rate_limited',
        limit: { remaining: 0, resetMs: 1000 },
      })
    })
  })
}
