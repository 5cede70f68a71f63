import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { DAY_MS, World } from './world.ts'

export function reopenSuite({ world, opened }: Subject): void {
  async function restart(from: World): Promise<World> {
    const next = new World(await opened().reopen())
    next.now = from.now
    return next
  }

  describe('after a restart', () => {
    test('every answered change is there, and ids keep their meaning', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.failure(ref!)])
      const [delivery, { idKey }] = [await w.delivery(workspace, ref!.deliveryId), w.storage]
      const after = await restart(w)
      expect(after.storage.idKey).toEqual(idKey)
      expect(await after.delivery(workspace, ref!.deliveryId)).toEqual(delivery)
      expect(await after.reread(webhook)).toMatchObject({ failingSince: w.now })
    })

    test('leases of the earlier process are free for this one, at once where no other process can live', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const earlier = await w.node()
      const leased = await w.leased(earlier, workspace, 3)
      const after = await restart(w)
      const nodeId = await after.node()
      if (!opened().exclusive) {
        await after.storage.rescueDeliveries({ byNodeId: nodeId })
        expect(await after.claimedIds(nodeId)).toEqual([])
        await after.lapse(earlier)
      }
      await after.untilDone(() => after.storage.rescueDeliveries({ byNodeId: nodeId }))
      expect(await after.claimedIds(nodeId)).toEqual(leased.map((ref) => ref.deliveryId))
    })

    test('no id of an event or delivery is used twice, though retention removed the first', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 5)
      await w.record(
        nodeId,
        refs.map((ref) => w.success(ref)),
      )
      const lastEventId = await w.storage.reserveEventIds({ count: 1 })
      w.now += DAY_MS
      await w.expireAll(w.now)
      const after = await restart(w)
      const [ref] = await after.leased(await after.node(), workspace)
      expect(ref!.deliveryId).toBeGreaterThan(refs.at(-1)!.deliveryId)
      expect(await after.storage.reserveEventIds({ count: 1 })).toBeGreaterThan(lastEventId)
    })
  })
}
