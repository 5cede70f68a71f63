import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'

export function nodeSuite({ world }: Subject): void {
  describe('nodes and leases', () => {
    test('two nodes never have the same id, not even after one is gone', async () => {
      const { storage } = world()
      const first = await world().node()
      await storage.retireNode({ nodeId: first })
      expect(await world().node()).not.toBe(first)
    })

    test('a live node can renew its lease; a retired one cannot', async () => {
      const { storage } = world()
      const nodeId = await world().node()
      expect(await storage.renewNode({ nodeId, leaseMs: 1000 })).toBe(true)
      await storage.retireNode({ nodeId })
      expect(await storage.renewNode({ nodeId, leaseMs: 1000 })).toBe(false)
    })

    test('nodes are listed from their registration until another finds them gone', async () => {
      const w = world()
      const before = await w.storage.listNodes({})
      const [first, second] = [await w.node(), await w.node()]
      await w.lapse(first)
      const listed = async () => (await w.storage.listNodes({})).filter(({ id }) => id >= first)
      const nodes = await listed()
      expect(nodes.map(({ id, alive }) => [id, alive])).toEqual([
        [first, false],
        [second, true],
      ])
      for (const { startedAt, leaseUntil } of nodes) expect(leaseUntil).toBeGreaterThanOrEqual(startedAt!)
      await w.storage.rescueDeliveries({ byNodeId: second })
      expect((await listed()).map(({ id }) => id)).toEqual([second])
      await w.storage.retireNode({ nodeId: second })
      expect(await listed()).toEqual([])
      expect(before.filter(({ id }) => id >= first)).toEqual([])
    })

    test('deliveries of a node whose lease expired are freed, and another node can claim them', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const dead = await w.node()
      const rescuer = await w.node()
      const leased = await w.leased(dead, workspace, 3)
      await w.lapse(dead)
      expect(await w.claimedIds(rescuer)).toEqual([])
      expect(await w.storage.rescueDeliveries({ byNodeId: rescuer })).toBe(3)
      expect(await w.claimedIds(rescuer)).toEqual(leased.map((ref) => ref.deliveryId))
    })

    test('a rescued node records nothing any more, and learns that when it renews', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const dead = await w.node()
      const [ref] = await w.leased(dead, workspace)
      await w.lapse(dead)
      await w.storage.rescueDeliveries({ byNodeId: await w.node() })
      expect((await w.record(dead, [w.success(ref!)])).lost).toEqual([ref!.deliveryId])
      expect((await w.delivery(workspace, ref!.deliveryId)).status).toBe('pending')
      expect(await w.storage.renewNode({ nodeId: dead, leaseMs: 1000 })).toBe(false)
    })

    test('deliveries of live nodes are not touched', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const living = await w.node()
      await w.leased(living, workspace)
      expect(await w.storage.rescueDeliveries({ byNodeId: await w.node() })).toBe(0)
      expect(await w.storage.renewNode({ nodeId: living, leaseMs: 1000 })).toBe(true)
    })

    test('an expired lease that is renewed before a rescue continues', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const late = await w.node()
      const [ref] = await w.leased(late, workspace)
      await w.lapse(late)
      expect(await w.storage.renewNode({ nodeId: late, leaseMs: 60_000 })).toBe(true)
      expect(await w.storage.rescueDeliveries({ byNodeId: await w.node() })).toBe(0)
      expect((await w.record(late, [w.success(ref!)])).lost).toEqual([])
    })

    test('a node never rescues from itself', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      await w.leased(nodeId, workspace)
      await w.lapse(nodeId)
      expect(await w.storage.rescueDeliveries({ byNodeId: nodeId })).toBe(0)
      expect(await w.storage.renewNode({ nodeId, leaseMs: 1000 })).toBe(true)
    })

    test('rescuing many deliveries takes several limited steps and then ends', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const dead = await w.node()
      const rescuer = await w.node()
      for (let batch = 0; batch < 6; batch++) await w.leased(dead, workspace, 1000)
      await w.lapse(dead)
      expect(await w.untilDone(() => w.storage.rescueDeliveries({ byNodeId: rescuer }))).toBe(6000)
      expect(await w.storage.renewNode({ nodeId: dead, leaseMs: 1000 })).toBe(false)
    })

    test('a node that retires releases all its leases', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const leaving = await w.node()
      const leased = await w.leased(leaving, workspace, 3)
      await w.storage.retireNode({ nodeId: leaving })
      expect(await w.claimedIds(await w.node())).toEqual(leased.map((ref) => ref.deliveryId))
    })

    test('a removed node claims nothing, and its publishes are leased to no node', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const gone = await w.node()
      await w.storage.retireNode({ nodeId: gone })
      const published = await w.publish(gone, [await w.event(workspace)])
      expect(published).toMatchObject({ leased: [], unleased: [webhook.id] })
      expect(await w.claimedIds(gone)).toEqual([])
      expect(await w.claimedIds(await w.node())).toHaveLength(1)
    })

    test("a release affects only the node's own leases", async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const [one, other] = [await w.node(), await w.node()]
      const [mine] = await w.leased(one, workspace)
      const [theirs] = await w.leased(other, workspace)
      await w.storage.releaseDeliveries({ nodeId: one, deliveries: [mine!, theirs!] })
      expect(await w.claimedIds(await w.node())).toEqual([mine!.deliveryId])
      expect((await w.record(other, [w.success(theirs!)])).lost).toEqual([])
    })

    test('a released delivery has made no attempt', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.storage.releaseDeliveries({ nodeId, deliveries: [ref!] })
      const delivery = await w.delivery(workspace, ref!.deliveryId)
      expect(delivery).toMatchObject({ status: 'pending', attempts: [], nextAttemptAt: w.now })
    })
  })
}
