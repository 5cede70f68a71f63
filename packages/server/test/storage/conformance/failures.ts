import { describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'

export function failureSuite({ world }: Subject): void {
  describe('failing calls', () => {
    test('a wrong call fails separately: those made with it are kept', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const events = await w.events(3, workspace)
      const [known, second, third] = events
      await w.publish(nodeId, [known!])
      const settled = await Promise.allSettled([
        w.publish(nodeId, [{ ...known! }]),
        w.publish(nodeId, [second!]),
        w.publish(nodeId, [third!, { ...third!, workspaceId: workspace.id }]),
      ])
      expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
      expect(await w.statuses(webhook)).toEqual(['pending', 'pending'])
    })

    test('a wrong call is not mistaken for a store that is down', async () => {
      const w = world()
      const workspace = await w.workspace()
      const event = await w.event(workspace)
      const nodeId = await w.node()
      await w.publish(nodeId, [event])
      const error = await w.publish(nodeId, [event]).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(StoreUnavailableError)
    })

    test('reads of a failed call are discarded with it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const [event] = await w.events(1, workspace)
      await w.publish(nodeId, [event!])
      // A store that puts both into one commit undoes the first with the second, and must repeat it.
      const [made, failed] = await Promise.allSettled([w.webhook(workspace), w.publish(nodeId, [event!])])
      expect([made.status, failed.status]).toEqual(['fulfilled', 'rejected'])
      expect(await w.leased(nodeId, workspace)).toHaveLength(1)
    })

    test('a writable store says so', async () => {
      await expect(world().storage.check()).resolves.toBeUndefined()
    })

    test('closing completes earlier calls and rejects later ones', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const [event] = await w.events(1, workspace)
      const before = w.publish(nodeId, [event!])
      const closing = w.storage.close()
      const settled = await Promise.allSettled([
        before,
        w.storage.check(),
        w.storage.listWorkspaces({ limit: 1, before: null }),
        w.storage.recordAttempts({
          nodeId,
          now: w.now,
          steadySince: null,
          outageNotBefore: null,
          failingFrom: null,
          healthPolicies: [],
          results: [],
        }),
      ])
      await closing
      await w.storage.close()
      settled.push(...(await Promise.allSettled([w.storage.check()])))
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', ...Array(4).fill('rejected')])
      for (const late of settled.slice(1))
        expect(late).toMatchObject({ reason: expect.any(StoreUnavailableError) })
    })
  })
}
