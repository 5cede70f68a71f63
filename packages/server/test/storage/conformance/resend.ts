import { describe, expect, test } from 'vitest'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import { ATTEMPTS_SHOWN } from '../../../src/storage/queries/deliveries.ts'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { LeasedRef } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

interface Ended {
  readonly w: World
  readonly workspace: Workspace
  readonly webhook: Webhook
  readonly nodeId: number
  readonly ref: LeasedRef
}

const FINISHED = ['delivered', 'failed', 'canceled'] as const

export function resendSuite({ world }: Subject): void {
  /** A delivery whose first attempt was its last. */
  async function ended(status: 'delivered' | 'failed' | 'dead'): Promise<Ended> {
    const w = world()
    const workspace = await w.workspace()
    const webhook = await w.webhook(workspace)
    const nodeId = await w.node()
    const [ref] = await w.leased(nodeId, workspace)
    const ends = (to: 'failed' | 'dead') => ({ next: { status: to, nextAttemptAt: null } })
    const result = status === 'delivered' ? w.success(ref!) : w.failure(ref!, ends(status))
    await w.record(nodeId, [result])
    w.now += 1000
    return { w, workspace, webhook, nodeId, ref: ref! }
  }

  function resend(
    { w, workspace, ref }: Pick<Ended, 'w' | 'workspace' | 'ref'>,
    changes: Partial<Parameters<StorageCalls['resend']>[0]> = {},
  ) {
    return w.storage.resend({
      workspaceId: workspace.id,
      deliveryId: ref.deliveryId,
      trigger: 'redeliver',
      from: FINISHED,
      limit: null,
      now: w.now,
      ...changes,
    })
  }

  describe('redeliveries and replays', () => {
    test.each(['delivered', 'failed'] as const)('a %s delivery is sent again, due now', async (status) => {
      const before = await ended(status)
      const { w, workspace, nodeId, ref } = before
      expect(await resend(before)).toMatchObject({
        outcome: 'accepted',
        limit: null,
        delivery: { status: 'pending', nextAttemptAt: w.now, finishedAt: null, attempts: [{ number: 1 }] },
      })
      const claim = await w.claim(nodeId)
      expect(claim.deliveries).toMatchObject([
        { id: ref.deliveryId, attempts: 1, runStart: 1, trigger: 'redeliver' },
      ])
      await w.record(nodeId, [w.success(ref, { number: 2, trigger: 'redeliver' })])
      expect(await w.delivery(workspace, ref.deliveryId)).toMatchObject({
        status: 'delivered',
        attempts: [
          { number: 1, trigger: 'schedule' },
          { number: 2, trigger: 'redeliver' },
        ],
      })
    })

    test.each(['failed', 'delivered'] as const)(
      'of a delivery that was %s and is resent repeatedly only the newest attempts are read',
      async (status) => {
        const before = await ended(status)
        const { w, workspace, nodeId, ref } = before
        const last = 2 + ATTEMPTS_SHOWN
        for (let number = 2; number <= last; number++) {
          await resend(before)
          await w.claim(nodeId)
          const attempt = { number, trigger: 'redeliver' } as const
          await w.record(nodeId, [
            w.failure(ref, { attempt, next: { status: 'failed', nextAttemptAt: null } }),
          ])
        }
        const newest = Array.from({ length: ATTEMPTS_SHOWN }, (_, i) => i + 3)
        const numbersOf = (list: readonly { readonly number: number }[]) => list.map(({ number }) => number)
        expect(numbersOf((await w.delivery(workspace, ref.deliveryId)).attempts)).toEqual(newest)
        const { workspaceId } = before.webhook
        const sent = await w.storage.getSentRequests({ workspaceId, deliveryId: ref.deliveryId })
        expect(numbersOf(sent)).toEqual(newest)
      },
    )

    test('a dead delivery is replayed with a new run of attempts', async () => {
      const before = await ended('dead')
      const { w, nodeId, ref } = before
      expect(await resend(before, { trigger: 'replay', from: ['dead'] })).toMatchObject({
        outcome: 'accepted',
      })
      await w.claim(nodeId)
      await w.record(nodeId, [w.failure(ref, { attempt: { number: 2, trigger: 'replay' } })])
      w.now += 60_000
      expect((await w.claim(nodeId)).deliveries).toMatchObject([
        { id: ref.deliveryId, attempts: 2, runStart: 1, trigger: 'replay' },
      ])
    })

    test('it is possible only from the states that the caller names', async () => {
      const before = await ended('delivered')
      expect(await resend(before, { trigger: 'replay', from: ['dead'] })).toEqual({
        outcome: 'wrong_status',
        status: 'delivered',
      })
    })

    test('a pending delivery cannot be sent again', async () => {
      const before = await ended('failed')
      await resend(before)
      expect(await resend(before)).toEqual({ outcome: 'wrong_status', status: 'pending' })
    })

    test('of two concurrent redeliveries, one is made', async () => {
      const before = await ended('failed')
      const outcomes = (await Promise.all([resend(before), resend(before)])).map(({ outcome }) => outcome)
      expect(outcomes.sort()).toEqual(['accepted', 'wrong_status'])
    })

    test('nothing is resent to a disabled or paused webhook', async () => {
      const before = await ended('failed')
      const { w, webhook } = before
      await w.update(webhook, { status: 'paused' })
      expect(await resend(before)).toEqual({ outcome: 'webhook_not_on', status: 'paused' })
      await w.update(webhook, { status: 'off' })
      expect(await resend(before)).toEqual({ outcome: 'webhook_not_on', status: 'off' })
    })

    test('a delivery that is missing, in another workspace or of a deleted webhook is not found', async () => {
      const before = await ended('failed')
      const { w, webhook } = before
      const elsewhere = await w.workspace()
      expect(await resend(before, { deliveryId: 12_345 })).toEqual({ outcome: 'not_found' })
      expect(await resend(before, { workspaceId: elsewhere.id })).toEqual({ outcome: 'not_found' })
      await w.remove(webhook)
      expect(await resend(before)).toEqual({ outcome: 'not_found' })
    })

    test('redeliveries and tests share one limit', async () => {
      const before = await ended('failed')
      const { w, workspace, webhook } = before
      const limit = { max: 2, windowMs: 60_000 }
      const event = await w.event(workspace)
      const tested = await w.storage.sendTest({ event, webhookId: webhook.id, limit, now: w.now })
      expect(tested).toMatchObject({ limit: { remaining: 1, resetMs: 60_000 } })
      w.now += 1000
      expect(await resend(before, { limit })).toMatchObject({ limit: { remaining: 0, resetMs: 59_000 } })
      const again = { event: await w.event(workspace), webhookId: webhook.id, limit, now: w.now }
      expect(await w.storage.sendTest(again)).toMatchObject({ outcome: 'rate_limited' })
    })

    test('a redelivery rejected for its state does not count', async () => {
      const before = await ended('failed')
      const limit = { max: 2, windowMs: 60_000 }
      for (let i = 0; i < 3; i++) await resend(before, { from: ['dead'], limit })
      expect(await resend(before, { limit })).toMatchObject({ limit: { remaining: 1 } })
    })

    test('a canceled delivery can be sent again, but not while an attempt may still be in flight', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      const inFlight = { w, workspace, ref: ref! }
      expect(await resend(inFlight)).toEqual({ outcome: 'wrong_status', status: 'pending' })
      await w.record(nodeId, [w.failure(ref!)])
      expect(await resend(inFlight)).toMatchObject({ outcome: 'accepted' })
      expect((await w.claim(nodeId)).deliveries).toMatchObject([{ id: ref!.deliveryId, runStart: 1 }])
    })

    test('no old delivery is sent again while very many rows are still being canceled', async () => {
      const before = await ended('delivered')
      const { w, workspace, webhook, nodeId } = before
      for (let i = 0; i < 5; i++) await w.waiting(nodeId, workspace, 1000)
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      expect(await resend(before)).toEqual({ outcome: 'wrong_status', status: 'pending' })
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
      expect(await resend(before)).toMatchObject({ outcome: 'accepted' })
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
      expect(await w.claimedIds(nodeId)).toEqual([before.ref.deliveryId])
    })
  })
}
