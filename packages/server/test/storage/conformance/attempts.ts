import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'

export function attemptSuite({ world }: Subject): void {
  describe('recorded attempts', () => {
    test('a first attempt that succeeds ends its delivery and is its only attempt', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      w.now += 40
      const without = { contentType: null, responseBody: null }
      const result = w.success(ref!, { statusCode: 204, webhookVersion: 7, ...without })
      expect(await w.record(nodeId, [result])).toEqual({ lost: [], disabled: [], notifications: [] })
      expect(await w.delivery(workspace, ref!.deliveryId)).toMatchObject({
        status: 'delivered',
        nextAttemptAt: null,
        finishedAt: w.now,
        attempts: [result.attempt],
      })
    })

    test('attempts are in order, each with everything recorded', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      const first = w.failure(ref!, {
        attempt: {
          statusCode: null,
          errorCode: 'timeout',
          cause: 'path',
          contentType: null,
          responseBody: null,
        },
      })
      await w.record(nodeId, [first])
      w.now += 60_000
      await w.claim(nodeId)
      const second = w.failure(ref!, { attempt: { number: 2, webhookVersion: null, startedAt: w.now } })
      await w.record(nodeId, [second])
      w.now += 60_000
      await w.claim(nodeId)
      const third = w.success(ref!, { number: 3, webhookVersion: 9, startedAt: w.now })
      await w.record(nodeId, [third])
      const delivery = await w.delivery(workspace, ref!.deliveryId)
      expect(delivery).toMatchObject({ status: 'delivered', nextAttemptAt: null, finishedAt: w.now })
      expect(delivery.attempts).toEqual([first.attempt, second.attempt, third.attempt])
    })

    test.each(['failed', 'dead'] as const)('a last failed attempt leaves its delivery %s', async (status) => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.failure(ref!, { next: { status, nextAttemptAt: null } })])
      const delivery = await w.delivery(workspace, ref!.deliveryId)
      expect(delivery).toMatchObject({ status, nextAttemptAt: null, finishedAt: w.now })
      expect(await w.claim(nodeId)).toMatchObject({ deliveries: [], nextDueAt: null })
    })

    test('a failed attempt releases the delivery to any node when it is due', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const [first, second] = [await w.node(), await w.node()]
      const [ref] = await w.leased(first, workspace)
      await w.record(first, [w.failure(ref!)])
      w.now += 60_000
      expect(await w.claimedIds(second)).toEqual([ref!.deliveryId])
      expect((await w.record(first, [w.success(ref!, { number: 2 })])).lost).toEqual([ref!.deliveryId])
      expect((await w.record(second, [w.success(ref!, { number: 2 })])).lost).toEqual([])
    })

    test('a result of a node without the lease changes nothing', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const [holder, other] = [await w.node(), await w.node()]
      const [ref] = await w.leased(holder, workspace)
      const before = await w.delivery(workspace, ref!.deliveryId)
      expect(await w.record(other, [w.gone(ref!)])).toMatchObject({
        lost: [ref!.deliveryId],
        disabled: [],
      })
      expect(await w.delivery(workspace, ref!.deliveryId)).toEqual(before)
      expect(await w.reread(webhook)).toEqual(webhook)
    })

    test.each([
      ['a first attempt', 1],
      ['a later attempt', 3],
    ])('%s that is not the next one of its delivery is lost', async (_, number) => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.failure(ref!)])
      w.now += 60_000
      await w.claim(nodeId)
      for (const result of [w.success(ref!, { number }), w.failure(ref!, { attempt: { number } })])
        expect((await w.record(nodeId, [result])).lost).toEqual([ref!.deliveryId])
      expect((await w.delivery(workspace, ref!.deliveryId)).attempts).toHaveLength(1)
    })

    test('one attempt is recorded once, however often it is reported', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      const result = w.failure(ref!)
      const twice = [result, { ...result }]
      const both = await Promise.all([w.record(nodeId, [result]), w.record(nodeId, twice)])
      // Whichever call comes first: one of three reports counts.
      expect(both.flatMap(({ lost }) => lost)).toEqual([ref!.deliveryId, ref!.deliveryId])
      expect((await w.delivery(workspace, ref!.deliveryId)).attempts).toHaveLength(1)
    })

    test('in one call, results of leased deliveries are recorded and the others are returned', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [inFlight] = await w.leased(nodeId, workspace)
      const [foreign] = await w.leased(await w.node(), workspace)
      const missing = { deliveryId: 999_999, webhookId: webhook.id }
      const results = [w.success(foreign!), w.success(inFlight!), w.failure(missing)]
      expect((await w.record(nodeId, results)).lost).toEqual([foreign!.deliveryId, missing.deliveryId])
      expect(await w.statuses(webhook)).toEqual(['delivered', 'pending'])
    })

    test('any bytes of a response are returned unchanged', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const bytes = Uint8Array.from({ length: 2048 }, (_, i) => i % 256)
      const [ok, failed] = await w.leased(nodeId, workspace, 2)
      await w.record(nodeId, [
        w.success(ok!, { responseBody: bytes }),
        w.failure(failed!, { attempt: { responseBody: bytes } }),
      ])
      for (const ref of [ok!, failed!]) {
        const [attempt] = (await w.delivery(workspace, ref.deliveryId)).attempts
        expect(Buffer.compare(attempt!.responseBody!, bytes)).toBe(0)
      }
    })

    test('a response in a larger buffer is stored without the rest', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      const chunk = Buffer.from('a chunk from the network, and the answer is ok')
      await w.record(nodeId, [w.success(ref!, { responseBody: chunk.subarray(-2) })])
      const [attempt] = (await w.delivery(workspace, ref!.deliveryId)).attempts
      expect(Buffer.from(attempt!.responseBody!).toString()).toBe('ok')
    })

    test('hundreds of results of many webhooks are recorded in one call', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhooks = []
      for (let i = 0; i < 10; i++) webhooks.push(await w.webhook(workspace))
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 50)
      const results = refs.map((ref, i) => (i % 5 === 0 ? w.failure(ref) : w.success(ref)))
      expect((await w.record(nodeId, results)).lost).toEqual([])
      const statuses = await Promise.all(webhooks.map((webhook) => w.statuses(webhook)))
      expect(statuses.flat().filter((status) => status === 'delivered')).toHaveLength(400)
      expect(statuses.flat().filter((status) => status === 'pending')).toHaveLength(100)
    })
  })
}
