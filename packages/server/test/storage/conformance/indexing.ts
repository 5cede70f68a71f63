import { describe, expect, test } from 'vitest'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import { body, found, index, MEMBERS, publish, text } from './searchTools.ts'
import type { Subject } from './subject.ts'
import { DAY_MS } from './world.ts'

export function indexingSuite({ world }: Subject): void {
  describe('the index of the search', () => {
    test('is written once, however many write it concurrently', async () => {
      const w = world()
      const workspace = await w.workspace()
      await publish(
        w,
        workspace,
        Array.from({ length: 300 }, (_, n) => ({ id: `n${n}`, title: 'all' })),
      )
      await w.settled()
      const step = async () => {
        const { parts } = await w.storage.readUnindexed({
          workspaceIds: [workspace.id],
          searchable: { [workspace.dialect]: MEMBERS },
          limit: 100,
        })
        return w.storage.indexEvents({ parts })
      }
      let indexed = 0
      for (let i = 0; i < 20; i++) {
        const steps = await Promise.all([step(), step(), step()])
        indexed += steps.reduce((sum, one) => sum + one.indexed, 0)
      }
      expect(indexed).toBe(300)
      const events = await found(w, workspace, { text: text('all'), limit: 300 })
      expect(new Set(events).size).toBe(300)
      expect(events).toHaveLength(300)
    })

    test.each(['events', 'tests'] as const)(
      'skips %s that were indexed after they were read',
      async (kind) => {
        const w = world()
        const workspace = await w.workspace()
        const webhook = await w.webhook(workspace)
        const searchable = { [workspace.dialect]: MEMBERS }
        const add = async () => {
          const event = { ...(await w.event(workspace)), body: body({ id: 'x' }) }
          if (kind === 'events') await w.publish(await w.node(), [event])
          else await w.storage.sendTest({ event, webhookId: webhook.id, limit: null, now: w.now })
          await w.settled()
        }
        const read = async () =>
          (await w.storage.readUnindexed({ workspaceIds: [workspace.id], searchable, limit: 50 })).parts
        await add()
        const [first, second] = [await read(), await read()]
        expect(await w.storage.indexEvents({ parts: first })).toEqual({ indexed: 1, passedOver: [] })
        expect(await w.storage.indexEvents({ parts: second })).toEqual({
          indexed: 0,
          passedOver: [workspace.id],
        })
        await add()
        const third = await read()
        await add()
        expect(await w.storage.indexEvents({ parts: await read() })).toMatchObject({ indexed: 2 })
        // The segment that it would extend has grown.
        expect(await w.storage.indexEvents({ parts: third })).toMatchObject({ indexed: 0 })
        expect(await read()).toEqual([])
      },
    )

    test('is read in parts of the requested number of rows, and of one event at least', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      for (const of of [workspace, other])
        await publish(
          w,
          of,
          Array.from({ length: 3 }, (_, n) => ({ id: `n${n}`, title: 'all' })),
        )
      await w.settled()
      const read = async (limit: number) => {
        const { parts, left } = await w.storage.readUnindexed({
          workspaceIds: [workspace.id, other.id],
          searchable: { [workspace.dialect]: MEMBERS },
          limit,
        })
        return { events: parts.map(({ workspaceId, events }) => [workspaceId, events]), left }
      }
      // A row for the type and one for the common word, and two for each event: its own, and its word's.
      expect(await read(1)).toEqual({ events: [[workspace.id, 1]], left: [workspace.id, other.id] })
      expect(await read(6)).toEqual({ events: [[workspace.id, 2]], left: [workspace.id, other.id] })
      expect(await read(8)).toEqual({ events: [[workspace.id, 3]], left: [other.id] })
      expect(await read(1_000)).toEqual({
        events: [
          [workspace.id, 3],
          [other.id, 3],
        ],
        left: [],
      })
    })

    test('is read for fewer workspaces at once where their bodies are large', async () => {
      const w = world()
      const workspaces = [await w.workspace(), await w.workspace(), await w.workspace()]
      for (const one of workspaces) await publish(w, one, [{ id: 'x', text: 'y'.repeat(400_000) }])
      await w.settled()
      const { parts, left } = await w.storage.readUnindexed({
        workspaceIds: workspaces.map(({ id }) => id),
        searchable: { [workspaces[0]!.dialect]: MEMBERS },
        limit: 300,
      })
      expect(parts).toHaveLength(2)
      expect(left).toEqual([workspaces[2]!.id])
    })

    test('names the workspaces that have something to index', async () => {
      const w = world()
      const [idle, busy] = [await w.workspace(), await w.workspace()]
      await publish(w, busy, [{ id: 'x' }])
      await w.settled()
      const behind = async () => {
        const all: number[] = []
        let afterWorkspaceId = 0
        do {
          const look: Awaited<ReturnType<StorageCalls['findUnindexed']>> = await w.storage.findUnindexed({
            afterWorkspaceId,
            limit: 2,
          })
          all.push(...look.workspaceIds)
          afterWorkspaceId = look.nextAfterWorkspaceId
        } while (afterWorkspaceId > 0)
        return all
      }
      expect(await behind()).toContain(busy.id)
      expect(await behind()).not.toContain(idle.id)
      await index(w, busy)
      expect(await behind()).not.toContain(busy.id)
    })

    test('is deleted with the events that it finds', async () => {
      const w = world()
      const workspace = await w.workspace()
      await publish(w, workspace, [{ id: 'old' }])
      await index(w, workspace)
      w.now += 40 * DAY_MS
      await publish(w, workspace, [{ id: 'new' }])
      await index(w, workspace)
      const expiry = {
        before: w.now - 30 * DAY_MS,
        now: w.now,
        expiredBefore: w.now - 7 * DAY_MS,
        auditBefore: 0,
        idempotencyBefore: 0,
        limit: 1000,
      }
      while ((await w.storage.deleteExpired(expiry)).handled > 0) {}
      expect(await found(w, workspace, { text: text('old') })).toEqual([])
      expect(await found(w, workspace, { text: text('new') })).toHaveLength(1)
    })
  })
}
