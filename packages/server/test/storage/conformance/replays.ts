import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { ReplayFilter } from '../../../src/storage/storage.ts'
import { ASKED, count, create, dead, finish, read, start } from './replayTools.ts'
import type { Subject } from './subject.ts'

export function replaySuite({ world }: Subject): void {
  describe('bulk replays', () => {
    test('every dead delivery is sent again, due now, with a new run', async () => {
      const from = await start(world())
      const { w, nodeId, webhook } = from
      const ids = await dead(from, ['a', 'b', 'c'])
      await w.leased(nodeId, from.workspace)
      w.now += 1000
      const replay = await create(from)
      w.now += 1000
      await finish(w)
      expect(await w.statuses(webhook)).toEqual(['pending', 'pending', 'pending', 'pending'])
      const { deliveries } = await w.claim(nodeId)
      expect(deliveries).toMatchObject(ids.map((id) => ({ id, attempts: 1, runStart: 1, trigger: 'replay' })))
      expect(await w.delivery(from.workspace, ids[0]!)).toMatchObject({
        nextAttemptAt: w.now,
        finishedAt: null,
      })
      expect(await read(from, replay)).toMatchObject({ replayed: 3, finishedAt: w.now })
    })

    test('the limit of replays in a workspace does not include finished ones', async () => {
      const from = await start(world())
      const { w, workspace } = from
      await dead(from, ['a'])
      const elsewhere = await w.workspace()
      await create({ ...from, workspace: elsewhere })
      const ask = (publicId: string) =>
        w.storage.createReplay({
          ...ASKED(w),
          workspaceId: workspace.id,
          publicId,
          max: 10,
          maxUnfinished: 2,
        })
      expect(await ask('rpl_1')).toMatchObject({ outcome: 'created' })
      expect(await ask('rpl_2')).toMatchObject({ outcome: 'created' })
      expect(await ask('rpl_3')).toEqual({ outcome: 'full' })
      expect(await w.storage.getReplay({ workspaceId: workspace.id, publicId: 'rpl_3' })).toBeNull()
      await finish(w)
      expect(await ask('rpl_3')).toMatchObject({ replay: { publicId: 'rpl_3', finishedAt: null } })
    })

    test('exactly the matches are counted and replayed', async () => {
      const from = await start(world())
      const { w, workspace, webhook } = from
      const started = w.now
      const other = await w.webhook(workspace)
      const elsewhere = await w.workspace()
      await w.webhook(elsewhere)
      await dead({ ...from, workspace: elsewhere }, ['a'])
      for (const type of ['a', 'b', 'a']) {
        await dead(from, [type])
        w.now += 10
      }
      const filters: [Partial<ReplayFilter>, string[], string[]][] = [
        [{ eventTypes: ['c'] }, [], []],
        [{ from: w.now, to: null }, [], []],
        [{ webhookId: other.id, eventTypes: ['b'] }, [], ['b 10']],
        [{ from: started + 10, to: started + 20 }, ['b 10'], []],
        [{ webhookId: webhook.id, from: started + 20 }, ['a 20'], []],
        [{ to: started + 1 }, ['a 0'], ['a 0']],
        [{}, [], ['a 20']],
      ]
      const pending = async (of: Webhook) =>
        (await w.log(of))
          .filter(({ status }) => status === 'pending')
          .map(({ eventType, createdAt }) => `${eventType} ${createdAt - started}`)
      const [mine, others] = [new Set<string>(), new Set<string>()]
      for (const [filter, inMine, inOther] of filters) {
        const matching = inMine.length + inOther.length
        expect(await count(from, filter)).toBe(matching)
        const replay = await create(from, filter)
        await finish(w)
        expect(await read(from, replay)).toMatchObject({ replayed: matching })
        for (const name of inMine) mine.add(name)
        for (const name of inOther) others.add(name)
        expect(new Set(await pending(webhook))).toEqual(mine)
        expect(new Set(await pending(other))).toEqual(others)
      }
      expect(await count({ ...from, workspace: elsewhere })).toBe(1)
    })

    test('at most the requested number is replayed: the oldest of the first webhook', async () => {
      const from = await start(world())
      const { w, workspace } = from
      await w.webhook(workspace)
      const ids = await dead(from, ['a', 'a', 'a'])
      const replay = await create(from, { max: 2 })
      await finish(w)
      expect(await read(from, replay)).toMatchObject({ replayed: 2, finishedAt: w.now })
      const due = (await w.claimedIds(from.nodeId)).sort((a, b) => a - b)
      expect(due).toEqual([ids[0], ids[2]])
    })

    test('a delivery that died after the request is skipped, also one that it had replayed', async () => {
      const from = await start(world())
      const { w, nodeId, webhook } = from
      const [first] = await dead(from, ['a', 'a'])
      const replay = await create(from)
      w.now += 1000
      await dead(from, ['a'])
      await w.storage.stepReplays({ now: w.now, limit: 1 })
      await w.claim(nodeId)
      const again = { deliveryId: first!, webhookId: webhook.id }
      const next = { status: 'dead' as const, nextAttemptAt: null }
      await w.record(nodeId, [w.failure(again, { attempt: { number: 2, trigger: 'replay' }, next })])
      await finish(w)
      expect(await w.statuses(webhook)).toEqual(['dead', 'pending', 'dead'])
      expect(await read(from, replay)).toMatchObject({ replayed: 2 })
      expect(await count(from)).toBe(2)
    })

    test('deliveries that died by a clock that was ahead are neither counted nor replayed', async () => {
      const from = await start(world())
      const { w, webhook } = from
      await dead(from, ['a'])
      w.now += 1000
      await dead(from, ['a'])
      w.now -= 500
      expect(await count(from)).toBe(1)
      await create(from)
      await finish(w)
      expect(await w.statuses(webhook)).toEqual(['pending', 'dead'])
    })

    test('no replayed delivery is canceled with those that are still being canceled', async () => {
      const from = await start(world())
      const { w, workspace, webhook, nodeId } = from
      const [id] = await dead(from, ['a'])
      for (let i = 0; i < 5; i++) await w.waiting(nodeId, workspace, 1000)
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      const replayable = await count(from)
      await create(from)
      await finish(w)
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
      const { status } = await w.delivery(workspace, id!)
      expect(status).toBe(replayable === 0 ? 'dead' : 'pending')
      await create(from)
      await finish(w)
      expect(await w.claimedIds(nodeId)).toEqual([id])
    })

    test('deliveries of a deleted or disabled webhook are skipped, those of a paused one wait', async () => {
      const from = await start(world())
      const { w, workspace, webhook, nodeId } = from
      const [off, paused] = [await w.webhook(workspace), await w.webhook(workspace)]
      await dead(from, ['a'])
      await w.remove(webhook)
      await w.update(off, { status: 'off' })
      await w.update(paused, { status: 'paused' })
      expect(await count(from)).toBe(1)
      const replay = await create(from)
      await finish(w)
      expect(await read(from, replay)).toMatchObject({ replayed: 1 })
      expect(await w.statuses(off)).toEqual(['dead'])
      expect(await w.statuses(paused)).toEqual(['pending'])
      expect(await w.claimedIds(nodeId)).toEqual([])
      await w.update(paused, { status: 'on' })
      expect(await w.claimedIds(nodeId)).toHaveLength(1)
    })

    test('in a suspended workspace replayed deliveries wait until it is resumed', async () => {
      const from = await start(world())
      const { w, workspace, nodeId } = from
      const ids = await dead(from, ['a'])
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      await create(from)
      await finish(w)
      expect(await w.claimedIds(nodeId)).toEqual([])
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: false, now: w.now })
      expect(await w.claimedIds(nodeId)).toEqual(ids)
    })
  })
}
