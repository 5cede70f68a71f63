import { describe, expect, test } from 'vitest'
import { idempotencyOf } from './idempotency.ts'
import type { Subject } from './subject.ts'

export function idempotencySendSuite({ world }: Subject): void {
  describe('publishing with an idempotency key', () => {
    test('a repeat publishes nothing more, and leases nothing', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [on, kept] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const brought = await w.event(workspace, { broughtId: 'evt_1', fingerprint: Uint8Array.of(1) })
      await w.publish(nodeId, [brought])
      const batch = [await w.event(workspace), { ...brought, id: (await w.event(workspace)).id }]
      const publish = () =>
        w.storage.change({
          call: 'publish',
          params: { nodeId, batches: [batch], room: 100, keepInStore: [kept.id], maxFanout: 1_000_000 },
          audit: null,
          idempotency: idempotencyOf(w),
          now: w.now,
        })
      const repeats = [null, { id: brought.id, broughtId: 'evt_1', createdAt: brought.createdAt }]
      const accepted = { outcome: 'accepted', repeats, deliveries: 2, late: 0 }
      const first = await publish()
      const named = { deliveryId: expect.any(Number), createdAt: w.now, lease: expect.any(Number) }
      const leased = [{ ...named, webhookId: on.id, webhookVersion: 1, event: 0 }]
      expect(first.result).toEqual([{ ...accepted, leased, unleased: [kept.id] }])
      const again = await publish()
      expect(again).toMatchObject({ repeated: true })
      expect(again.result).toEqual([{ ...accepted, leased: [], unleased: [] }])
      expect(await w.statuses(on)).toHaveLength(2)
    })

    test('a rejected batch can be published with the same key once it is right', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const taken = { broughtId: 'evt_1', fingerprint: Uint8Array.of(1) }
      await w.publish(nodeId, [await w.event(workspace, taken)])
      const publish = async (fingerprint: Uint8Array) => {
        const event = await w.event(workspace, { broughtId: 'evt_1', fingerprint })
        const params = { nodeId, batches: [[event]], room: 1, keepInStore: [], maxFanout: 1_000_000 }
        const idempotency = idempotencyOf(w, { fingerprint })
        return w.storage.change({ call: 'publish', params, audit: null, idempotency, now: w.now })
      }
      expect((await publish(Uint8Array.of(2))).result).toEqual([{ outcome: 'id_conflict', event: 0 }])
      expect((await publish(Uint8Array.of(1))).result).toMatchObject([{ outcome: 'accepted' }])
    })
  })

  describe('sending with an idempotency key', () => {
    test('a repeat shows the delivery as the first answer did, with all response data', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      const responseBody = Uint8Array.of(0, 0xff, 0xfe, 0x80, 0x22)
      const contentType = 'text/plain; name="\ud83d\ude00"'
      const ends = { status: 'failed', nextAttemptAt: null } as const
      await w.record(nodeId, [w.failure(ref!, { attempt: { responseBody, contentType }, next: ends })])
      const resend = () =>
        w.storage.change({
          call: 'resend',
          params: {
            workspaceId: workspace.id,
            deliveryId: ref!.deliveryId,
            trigger: 'redeliver',
            from: ['failed'],
            limit: { max: 10, windowMs: 60_000 },
            now: w.now,
          },
          audit: null,
          idempotency: idempotencyOf(w),
          now: w.now,
        })
      const first = await resend()
      expect(first.result).toMatchObject({
        outcome: 'accepted',
        delivery: { status: 'pending', attempts: [{ responseBody }] },
        limit: { remaining: 9 },
      })
      // Pending now: a second one would be rejected.
      expect(await resend()).toEqual({ ...first, repeated: true })
    })
  })
}
