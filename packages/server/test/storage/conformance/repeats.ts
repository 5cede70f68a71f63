import { describe, expect, test } from 'vitest'
import type { EventToStore } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'

const [CONTENT, OTHER_CONTENT] = [Uint8Array.of(1, 2), Uint8Array.of(3)]

function brought(id: string, fingerprint = CONTENT): Partial<EventToStore> {
  return { broughtId: id, fingerprint }
}

export function repeatSuite({ world }: Subject): void {
  describe('events published twice', () => {
    test('the same id with the same content is answered with the first event and delivered once', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const first = await w.event(workspace, brought('evt_a'))
      await w.publish(nodeId, [first])
      w.now += 1000
      const again = await w.publish(nodeId, [await w.event(workspace, brought('evt_a'))])
      const { id, createdAt } = first
      expect(again).toMatchObject({ repeats: [{ id, broughtId: 'evt_a', createdAt }], leased: [] })
      expect(await w.statuses(webhook)).toEqual(['pending'])
    })

    test('the same id with other content rejects the whole batch and does not affect other batches', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.publish(nodeId, [await w.event(workspace, brought('evt_a'))])
      const refused = [
        await w.event(workspace, brought('evt_new')),
        await w.event(workspace, brought('evt_a', OTHER_CONTENT)),
      ]
      const batches = [await w.events(1, workspace), refused, await w.events(1, workspace)]
      const results = await w.storage.publish({
        nodeId,
        batches,
        room: 10,
        keepInStore: [],
        maxFanout: 1_000_000,
      })
      expect(results.map((result) => result.outcome)).toEqual(['accepted', 'id_conflict', 'accepted'])
      expect(results[1]).toEqual({ outcome: 'id_conflict', event: 1 })
      expect(await w.statuses(webhook)).toHaveLength(3)
      // None of the rejected batch was stored: its other id is still free.
      const retried = await w.publish(nodeId, [await w.event(workspace, brought('evt_new', OTHER_CONTENT))])
      expect(retried.repeats).toEqual([null])
    })

    test('an id twice in one batch is a repeat there too', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const batch = await w.events(2, workspace, brought('evt_a'))
      const result = await w.publish(await w.node(), batch)
      expect(result.repeats).toMatchObject([null, { id: batch[0]!.id }])
      expect(await w.statuses(webhook)).toEqual(['pending'])
    })

    test('an id twice in one batch with different content rejects the batch', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const batch = [
        await w.event(workspace, brought('evt_a')),
        await w.event(workspace, brought('evt_a', OTHER_CONTENT)),
      ]
      const nodeId = await w.node()
      const results = await w.storage.publish({
        nodeId,
        batches: [batch],
        room: 10,
        keepInStore: [],
        maxFanout: 1_000_000,
      })
      expect(results).toEqual([{ outcome: 'id_conflict', event: 1 }])
      expect(await w.statuses(webhook)).toEqual([])
    })

    test('a repeat in a later batch of the same call is recognized', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const batches = [
        await w.events(1, workspace, brought('evt_a')),
        await w.events(1, workspace, brought('evt_a')),
      ]
      const nodeId = await w.node()
      const results = await w.storage.publish({
        nodeId,
        batches,
        room: 10,
        keepInStore: [],
        maxFanout: 1_000_000,
      })
      expect(results).toMatchObject([{ repeats: [null] }, { repeats: [{ id: batches[0]![0]!.id }] }])
    })

    test('of two concurrent publishes of one id, one is accepted and one is its repeat', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const events = await w.events(2, workspace, brought('evt_a'))
      const results = await Promise.all(events.map((event) => w.publish(nodeId, [event])))
      expect(results.filter((result) => result.repeats[0] === null)).toHaveLength(1)
      expect(await w.statuses(webhook)).toEqual(['pending'])
    })

    test('two workspaces may use the same id', async () => {
      const w = world()
      const [one, two] = [await w.workspace(), await w.workspace()]
      const nodeId = await w.node()
      await w.publish(nodeId, [await w.event(one, brought('evt_a'))])
      const other = await w.publish(nodeId, [await w.event(two, brought('evt_a', OTHER_CONTENT))])
      expect(other.repeats).toEqual([null])
    })

    test('a publisher may repeat an id that the store created', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const first = await w.event(workspace)
      await w.publish(nodeId, [first])
      const repeat = await w.event(workspace, { ...brought('evt_derived'), broughtRowId: first.id })
      const result = await w.publish(nodeId, [repeat])
      expect(result.repeats).toEqual([{ id: first.id, broughtId: null, createdAt: first.createdAt }])
      expect(await w.statuses(webhook)).toEqual(['pending'])
    })

    test('an id that names an event of another workspace, or none, is a new id', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      await w.webhook(mine)
      const nodeId = await w.node()
      const foreign = await w.event(other)
      await w.publish(nodeId, [foreign])
      const result = await w.publish(nodeId, [
        await w.event(mine, { ...brought('evt_foreign'), broughtRowId: foreign.id }),
        await w.event(mine, { ...brought('evt_nothing'), broughtRowId: 1_000_000_000 }),
      ])
      expect(result.repeats).toEqual([null, null])
      expect(result.leased).toHaveLength(2)
    })

    test('events without an id are never repeats of each other', async () => {
      const w = world()
      const workspace = await w.workspace()
      const result = await w.publish(await w.node(), await w.events(3, workspace))
      expect(result.repeats).toEqual([null, null, null])
    })
  })
}
