import { describe, expect, test } from 'vitest'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import { body, deliveries, type EventSearch, found, index, publish, searched, text } from './searchTools.ts'
import type { Subject } from './subject.ts'
import { MINUTE_MS, type World } from './world.ts'

/** More than a segment of the index contains. */
const MANY = 1_100

export function searchIndexSuite({ world }: Subject): void {
  describe('a search by words', () => {
    test('finds events by all of the words of their members, before they are indexed and after', async () => {
      const w = world()
      const workspace = await w.workspace()
      const other = await w.workspace()
      const [chain, wheel] = await publish(w, workspace, [
        { id: 'gen_1', title: 'Chain care for Winter commuters', tags: ['bikes', 7] },
        { id: 'gen_2', title: 'How to true a wheel in winter', secret: 'hidden' },
      ])
      await publish(w, other, [{ id: 'gen_1', title: 'winter' }])
      for (const indexed of [0, 2]) {
        if (indexed > 0) expect(await index(w, workspace)).toBe(indexed)
        expect(await found(w, workspace, { text: text('winter') })).toEqual([wheel, chain])
        expect(await found(w, workspace, { text: text('winter', 'chain') })).toEqual([chain])
        expect(await found(w, workspace, { text: text('gen_2') })).toEqual([wheel])
        expect(await found(w, workspace, { text: text('bikes', '7') })).toEqual([chain])
        for (const word of ['wint', 'hidden', 'nothing'])
          expect(await found(w, workspace, { text: text(word) })).toEqual([])
      }
      expect(await index(w, workspace)).toBe(0)
    })

    test('returns until when it is complete, if more was published than it reads', async () => {
      const w = world()
      const workspace = await w.workspace()
      await publish(w, workspace, [{ id: 'first' }])
      w.now += MINUTE_MS
      for (let i = 0; i < 5; i++)
        await publish(
          w,
          workspace,
          Array.from({ length: 100 }, () => ({ id: 'x' })),
        )
      w.now += MINUTE_MS
      await publish(w, workspace, [{ id: 'last' }])
      const before = await searched(w, workspace, { text: text('last') })
      expect(before.events).toEqual([])
      expect(before.reachesUntil).toBe(w.now - MINUTE_MS)
      await index(w, workspace)
      const after = await searched(w, workspace, { text: text('last') })
      expect(after.events).toHaveLength(1)
      expect(after.reachesUntil).toBeNull()
    })

    test('reads all segments, newest first, in pages that stay the same while more arrive', async () => {
      const w = world()
      const workspace = await w.workspace()
      const all: number[] = []
      for (let i = 0; i < MANY; i += 100) {
        w.now += 1
        all.push(
          ...(await publish(
            w,
            workspace,
            Array.from({ length: 100 }, (_, n) => ({ id: `n${i + n}` })),
          )),
        )
      }
      await index(w, workspace, 130)
      const seen: number[] = []
      let before: EventSearch['before'] = null
      do {
        const page: Awaited<ReturnType<StorageCalls['searchEvents']>> = await searched(w, workspace, {
          before,
          limit: 90,
        })
        seen.push(...page.events.map(({ id }) => id))
        before = page.next
        await publish(w, workspace, [{ id: 'later' }])
        w.now += 1
      } while (before !== null)
      expect(seen).toEqual(all.reverse())
      expect(await found(w, workspace, { text: text('n3') })).toEqual([all.at(-4)])
      expect(await found(w, workspace, { text: text('n1050'), eventTypes: ['thing.happened'] })).toEqual([
        all.at(-1051),
      ])
      expect(await found(w, workspace, { text: text('n1050'), eventTypes: ['other'] })).toEqual([])
    })

    test('counts the results of the deliveries of each event, also if there are none', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace, { eventTypes: ['a'] })
      await w.webhook(workspace, { eventTypes: ['a'] })
      const nodeId = await w.node()
      const { leased } = await w.publish(nodeId, [await w.event(workspace, { type: 'a' })])
      await w.publish(nodeId, [await w.event(workspace, { type: 'b' })])
      await w.record(nodeId, [w.success(leased[0]!)])
      const { counts, events } = await searched(w, workspace)
      expect(events.map(({ type }) => type)).toEqual(['b', 'a'])
      const none = { pending: 0, delivered: 0, failed: 0, canceled: 0 }
      expect(counts).toEqual([none, { ...none, pending: 1, delivered: 1 }])
      await w.remove(webhook)
      expect((await searched(w, workspace, { eventTypes: ['a'] })).counts[0]).toMatchObject({ pending: 1 })
    })

    test('finds the deliveries of matching events, with the other filters', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [one, two] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const [event, noise] = await w.events(2, workspace)
      const { leased } = await w.publish(nodeId, [
        { ...event!, body: body({ id: 'gen_1' }) },
        { ...noise!, body: body({ id: 'gen_2' }) },
      ])
      const mine = leased.filter((ref) => ref.event === 0)
      await w.record(nodeId, [w.failure(mine[0]!, { next: { status: 'failed', nextAttemptAt: null } })])
      for (const indexed of [false, true]) {
        if (indexed) await index(w, workspace)
        const ids = async (filter: object) =>
          (await deliveries(w, workspace, { text: text('gen_1'), ...filter })).deliveries.map(({ id }) => id)
        expect(await ids({})).toEqual(mine.map(({ deliveryId }) => deliveryId).reverse())
        for (const { id } of [one, two]) {
          const ofWebhook = mine.filter(({ webhookId }) => webhookId === id)
          expect(await ids({ webhookId: id })).toEqual(ofWebhook.map(({ deliveryId }) => deliveryId))
        }
        expect(await ids({ status: 'failed' })).toEqual([mine[0]!.deliveryId])
        expect(await ids({ status: 'pending' })).toEqual([mine[1]!.deliveryId])
        expect(await ids({ eventTypes: ['other'] })).toEqual([])
        expect(await ids({ deliveryId: leased.at(-1)!.deliveryId, text: null })).toEqual([
          leased.at(-1)!.deliveryId,
        ])
      }
    })

    test('reads a limited amount of large bodies in one call, and continues in the next', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const large = 'x'.repeat(200_000)
      const events = await w.events(40, workspace)
      const { leased } = await w.publish(
        nodeId,
        events.map((event, i) => ({ ...event, body: body({ id: `gen_${i}`, large }) })),
      )
      await w.record(
        nodeId,
        leased.map((ref) => w.failure(ref, { next: { status: 'failed', nextAttemptAt: null } })),
      )
      const filter = { webhookId: webhook.id, status: 'failed', text: text('gen_0') } as const
      const all: number[] = []
      let calls = 0
      let before: EventSearch['before'] = null
      do {
        const page = await deliveries(w, workspace, { ...filter, before })
        all.push(...page.deliveries.map(({ id }) => id))
        before = page.next
        calls++
      } while (before !== null)
      expect(all).toEqual([leased[0]!.deliveryId])
      // 21 of them have 4 MiB, and 40 have 8 MB.
      expect(calls).toBeGreaterThanOrEqual(2)
    })

    test('finds tests among deliveries, and not among events', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const event = { ...(await w.event(workspace, { type: 'webhook.test' })), body: body({ id: 'tested' }) }
      await w.storage.sendTest({ event, webhookId: webhook.id, limit: null, now: w.now })
      for (const indexed of [0, 1, 0]) {
        if (indexed > 0) expect(await index(w, workspace)).toBe(indexed)
        const filter = { text: text('tested'), eventTypes: ['webhook.test'] }
        expect((await deliveries(w, workspace, filter)).deliveries).toHaveLength(1)
        expect(await found(w, workspace, { text: text('tested') })).toEqual([])
      }
    })
  })

  describe('a search by codes', () => {
    test('finds the code of the latest attempt, before it is indexed and after, and no earlier one', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 3)
      const [gone, silent, later] = refs
      await w.record(nodeId, [failed(w, gone!, 503), failed(w, silent!, null), failed(w, later!, 404)])
      const codes = async (from: number | 'none', to = from) => {
        const statusCodes = from === 'none' ? from : { from, to: to as number }
        const { deliveries: all } = await deliveries(w, workspace, { statusCodes, webhookId: webhook.id })
        return all.map(({ id }) => id)
      }
      for (const indexed of [false, true]) {
        if (indexed) await index(w, workspace)
        expect(await codes(503)).toEqual([gone!.deliveryId])
        expect(await codes('none')).toEqual([silent!.deliveryId])
        expect(await codes(400, 499)).toEqual([later!.deliveryId])
      }
      w.now += MINUTE_MS
      const again = (await w.claim(nodeId)).deliveries.find(({ id }) => id === later!.deliveryId)!
      const ref = { ...later!, lease: again.lease }
      await w.record(nodeId, [failed(w, ref, 500, 2)])
      for (const indexed of [false, true]) {
        if (indexed) await index(w, workspace)
        expect(await codes(404)).toEqual([])
        expect(await codes(500)).toEqual([later!.deliveryId])
        expect(await codes(500, 599)).toEqual([later!.deliveryId, gone!.deliveryId])
      }
    })
  })

  function failed(w: World, ref: Parameters<World['failure']>[0], statusCode: number | null, number = 1) {
    const result = w.failure(ref)
    return { ...result, attempt: { ...result.attempt, number, statusCode } }
  }
}
