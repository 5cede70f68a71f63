import { describe, expect, test } from 'vitest'
import { create, dead, finish, read, start } from './replayTools.ts'
import type { Subject } from './subject.ts'
import { World } from './world.ts'

export function replayProgressSuite({ world, opened }: Subject): void {
  describe('progress of bulk replays', () => {
    test('a replay says what was asked and how far it is, in its own workspace alone', async () => {
      const from = await start(world())
      const { w, workspace, webhook } = from
      await dead(from, ['a', 'a'])
      const range = { from: w.now, to: w.now + 5 }
      const filter = { webhookId: webhook.id, eventType: 'a', ...range }
      const replay = await create(from, { ...filter, publicId: 'rpl_mine', total: 2 })
      expect(replay).toEqual({
        id: expect.any(Number),
        publicId: 'rpl_mine',
        webhookPublicId: webhook.publicId,
        eventType: 'a',
        ...range,
        total: 2,
        replayed: 0,
        createdAt: w.now,
        finishedAt: null,
      })
      expect(await read(from, replay)).toEqual(replay)
      expect(await read({ w, workspace: await w.workspace() }, replay)).toBeNull()
      await w.storage.stepReplays({ now: w.now, limit: 1 })
      expect(await read(from, replay)).toEqual({ ...replay, replayed: 1 })
      await finish(w)
      expect(await read(from, replay)).toEqual({ ...replay, replayed: 2, finishedAt: w.now })
      expect(await create(from)).toMatchObject({
        webhookPublicId: null,
        eventType: null,
        from: null,
        to: null,
      })
      expect(await w.storage.getReplay({ workspaceId: workspace.id, publicId: 'rpl_none' })).toBeNull()
    })

    test('the replay that was asked for first is carried out first', async () => {
      const from = await start(world())
      const { w, workspace } = from
      const other = { ...from, workspace: await w.workspace() }
      await w.webhook(other.workspace)
      await dead(from, ['a', 'a'])
      await dead(other, ['a'])
      const [first, second] = [await create(from), await create(other)]
      for (let replayed = 0; replayed < 2; ) {
        expect(await w.storage.stepReplays({ now: w.now, limit: 1 })).toBe(1)
        replayed = (await read({ w, workspace }, first))!.replayed
        expect(await read(other, second)).toMatchObject({ replayed: 0, finishedAt: null })
      }
      await finish(w)
      for (const [of, replay] of [
        [from, first],
        [other, second],
      ] as const)
        expect(await read(of, replay)).toMatchObject({ finishedAt: w.now })
    })

    test('one that matches nothing ends, and then nothing is left to do', async () => {
      const from = await start(world())
      const { w } = from
      expect(await w.storage.stepReplays({ now: w.now, limit: 5 })).toBe(0)
      const replay = await create(from)
      expect(await w.storage.stepReplays({ now: w.now, limit: 5 })).toBeGreaterThan(0)
      expect(await read(from, replay)).toMatchObject({ replayed: 0, finishedAt: w.now })
      expect(await w.storage.stepReplays({ now: w.now, limit: 5 })).toBe(0)
    })

    test('a replay of a workspace that was deleted ends', async () => {
      const from = await start(world())
      const { w, workspace } = from
      await dead(from, ['a'])
      await create(from)
      await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      await finish(w)
      expect(await w.storage.stepReplays({ now: w.now, limit: 100 })).toBe(0)
    })

    test('a replay goes on after a restart where it was', async () => {
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
