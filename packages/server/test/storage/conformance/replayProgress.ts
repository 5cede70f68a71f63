import { describe, expect, test } from 'vitest'
import { create, type Dying, dead, finish, read, start } from './replayTools.ts'
import type { Subject } from './subject.ts'
import { World } from './world.ts'

export function replayProgressSuite({ world, opened }: Subject): void {
  describe('progress of bulk replays', () => {
    test('a replay shows its request and progress, only in its own workspace', async () => {
      const from = await start(world())
      const { w, workspace, webhook } = from
      await dead(from, ['a', 'a'])
      const range = { from: w.now, to: w.now + 5 }
      const filter = { webhookId: webhook.id, eventTypes: ['a'], ...range }
      const replay = await create(from, { ...filter, publicId: 'rpl_mine', total: 2 })
      expect(replay).toEqual({
        id: expect.any(Number),
        publicId: 'rpl_mine',
        trigger: 'replay',
        webhookId: webhook.id,
        webhookPublicId: webhook.publicId,
        statuses: ['dead'],
        eventTypes: ['a'],
        ...range,
        total: 2,
        replayed: 0,
        delivered: 0,
        failed: 0,
        createdAt: w.now,
        finishedAt: null,
        doneAt: null,
        canceledAt: null,
      })
      expect(await read(from, replay)).toEqual(replay)
      expect(await read({ w, workspace: await w.workspace() }, replay)).toBeNull()
      await w.storage.stepReplays({ now: w.now, limit: 1 })
      expect(await read(from, replay)).toEqual({ ...replay, replayed: 1 })
      await finish(w)
      expect(await read(from, replay)).toEqual({ ...replay, replayed: 2, finishedAt: w.now })
      expect(await create(from)).toMatchObject({
        webhookPublicId: null,
        eventTypes: [],
        from: null,
        to: null,
      })
      expect(await w.storage.getReplay({ workspaceId: workspace.id, publicId: 'rpl_none' })).toBeNull()
    })

    test('in a workspace, replays run in the order of their requests', async () => {
      const from = await start(world())
      const { w } = from
      await dead(from, ['a', 'a'])
      const [first, second] = [await create(from, { max: 1 }), await create(from)]
      for (let replayed = 0; replayed < 1; ) {
        expect((await w.storage.stepReplays({ now: w.now, limit: 1 })).looked).toBe(1)
        replayed = (await read(from, first))!.replayed
        expect(await read(from, second)).toMatchObject({ replayed: 0, finishedAt: null })
      }
      await finish(w)
      for (const replay of [first, second])
        expect(await read(from, replay)).toMatchObject({ replayed: 1, finishedAt: w.now })
    })

    test('a workspace waits for at most a step of each other one, however many replays they have', async () => {
      const greedy = await start(world())
      const { w } = greedy
      const others: Dying[] = []
      for (let i = 0; i < 2; i++) {
        const workspace = await w.workspace()
        others.push({ ...greedy, workspace, webhook: await w.webhook(workspace) })
      }
      await dead(greedy, Array(20).fill('a'))
      for (const other of others) await dead(other, ['a'])
      const many = await Promise.all(Array.from({ length: 5 }, () => create(greedy)))
      const few = await Promise.all(others.map((other) => create(other)))
      // Two steps for one webhook each: its delivery and its end; one more ends the replay.
      for (let step = 0; step < 3 * 3; step++) await w.storage.stepReplays({ now: w.now, limit: 1 })
      for (const [i, replay] of few.entries())
        expect(await read(others[i]!, replay)).toMatchObject({ replayed: 1, finishedAt: w.now })
      expect(await read(greedy, many[0]!)).toMatchObject({ finishedAt: null })
      await finish(w)
      const replayed = await Promise.all(many.map(async (replay) => (await read(greedy, replay))!.replayed))
      // Requested at once, they may have been stored in any order.
      expect(replayed.sort((x, y) => y - x)).toEqual([20, 0, 0, 0, 0])
    })

    test('one without matches ends, and then nothing is left to do', async () => {
      const from = await start(world())
      const { w } = from
      expect((await w.storage.stepReplays({ now: w.now, limit: 5 })).looked).toBe(0)
      const replay = await create(from)
      expect((await w.storage.stepReplays({ now: w.now, limit: 5 })).looked).toBeGreaterThan(0)
      expect(await read(from, replay)).toMatchObject({ replayed: 0, finishedAt: w.now })
      expect((await w.storage.stepReplays({ now: w.now, limit: 5 })).looked).toBe(0)
    })

    test('a replay of a deleted workspace ends', async () => {
      const from = await start(world())
      const { w, workspace } = from
      await dead(from, ['a'])
      await create(from)
      await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      await finish(w)
      expect((await w.storage.stepReplays({ now: w.now, limit: 100 })).looked).toBe(0)
    })

    test('a replay continues after a restart where it was', async () => {
      const from = await start(world())
      const { w, workspace } = from
      await dead(from, ['a', 'a', 'a'])
      const replay = await create(from)
      while ((await read(from, replay))!.replayed < 2) await w.storage.stepReplays({ now: w.now, limit: 1 })
      const after = new World(await opened().reopen())
      after.now = w.now
      await finish(after)
      expect(await read({ w: after, workspace }, replay)).toMatchObject({ replayed: 3, finishedAt: w.now })
    })
  })
}
