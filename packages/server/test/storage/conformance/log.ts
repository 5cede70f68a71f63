import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'

export function logSuite({ world }: Subject): void {
  describe('the log', () => {
    test('a delivery is found only in its own workspace', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      await w.webhook(mine)
      const [ref] = await w.leased(await w.node(), mine)
      const { deliveryId } = ref!
      expect(await w.storage.getDelivery({ workspaceId: other.id, deliveryId })).toBeNull()
      expect(await w.storage.getDelivery({ workspaceId: mine.id, deliveryId: 12_345 })).toBeNull()
      expect(await w.storage.getDelivery({ workspaceId: mine.id, deliveryId })).not.toBeNull()
    })

    test('a read sees every write that was answered before it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      for (let i = 1; i <= 20; i++) {
        const [ref] = await w.leased(nodeId, workspace)
        expect(await w.statuses(webhook)).toHaveLength(i)
        await w.record(nodeId, [w.success(ref!)])
        expect((await w.delivery(workspace, ref!.deliveryId)).status).toBe('delivered')
      }
    })

    test('the newest three events of a type are available, newest first', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      const nodeId = await w.node()
      const ofType = (type: string) => w.storage.latestEvents({ workspaceId: workspace.id, type })
      const events = await w.events(5, workspace)
      await w.publish(nodeId, events.slice(0, 4))
      await w.publish(nodeId, [await w.event(workspace, { type: 'other.happened' }), await w.event(other)])
      expect((await ofType('thing.happened')).map(({ id }) => id)).toEqual(
        [3, 2, 1].map((i) => events[i]!.id),
      )
      await w.publish(nodeId, [events[4]!])
      const { id, type, body, createdAt } = events[4]!
      const latest = await ofType('thing.happened')
      expect(latest[0]).toEqual({ id, broughtId: null, type, body, createdAt })
      expect(latest).toHaveLength(3)
      expect(await ofType('other.happened')).toHaveLength(1)
      expect(await ofType('nothing.happened')).toEqual([])
    })

    test('the types of stored events are known by name', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      const nodeId = await w.node()
      const types = (limit = 10) => w.storage.seenEventTypes({ workspaceId: workspace.id, limit })
      expect(await types()).toEqual([])
      await w.publish(nodeId, [
        await w.event(workspace, { type: 'thing.happened' }),
        await w.event(workspace, { type: 'other.happened' }),
        await w.event(workspace, { type: 'other.happened' }),
        await w.event(other, { type: 'nothing.happened' }),
      ])
      await expect.poll(types, { timeout: 10_000 }).toEqual(['other.happened', 'thing.happened'])
      expect(await types(1)).toEqual(['other.happened'])
    })

    test('events that arrive out of order leave the newest available', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const events = await w.events(6, workspace)
      for (const i of [5, 0, 4, 1, 3, 2]) await w.publish(nodeId, [events[i]!])
      const latest = await w.storage.latestEvents({ workspaceId: workspace.id, type: 'thing.happened' })
      expect(latest.map(({ id }) => id)).toEqual([5, 4, 3].map((i) => events[i]!.id))
    })
  })
}
