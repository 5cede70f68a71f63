import { describe, expect, test } from 'vitest'
import { attempt, end, finish, read, recover, start, step } from './recoveryTools.ts'
import { create, read as readReplay } from './replayTools.ts'
import type { Subject } from './subject.ts'
import { DAY_MS } from './world.ts'

const WAITS = { looked: 0, started: 0, waits: true }
/** More than the call that disables a webhook cancels directly. */
const MANY = 2_100

export function recoveryWaitSuite({ world }: Subject): void {
  describe('waits of recoveries', () => {
    test('wait while many deliveries of the webhook are due, and others continue in the meantime', async () => {
      const of = await start(world())
      const { w } = of
      const other = await start(w)
      await end(of, 'failed', ['a'])
      await end(other, 'failed', ['a'])
      for (let i = 0; i < 4; i++) await w.waiting(of.nodeId, of.workspace, 500)
      const [waits, goes] = [await recover(of), await recover(other)]
      await w.untilDone(async () => (await step(of)).looked)
      expect(await step(of)).toEqual(WAITS)
      expect(await read(of, waits)).toMatchObject({ replayed: 0, finishedAt: null })
      expect(await read(other, goes)).toMatchObject({ replayed: 1, finishedAt: w.now })
    })

    test('missed events wait as well, even if one more might be due', async () => {
      const of = await start(world())
      const { w, workspace, webhook, nodeId } = of
      await w.update(webhook, { status: 'paused' })
      for (let i = 0; i < 4; i++)
        await w.publish(nodeId, await Promise.all(Array.from({ length: 510 }, () => w.event(workspace))))
      await w.update(webhook, { status: 'on' })
      const recovery = await recover(of, { missed: true, total: 2_040 })
      await w.untilDone(async () => (await step(of, 1_000)).looked)
      expect(await step(of, 1_000)).toEqual(WAITS)
      const { replayed } = await read(of, recovery)
      expect(replayed).toBeGreaterThan(1_990)
      expect(await attempt(of, true)).toHaveLength(100)
      await w.untilDone(async () => (await step(of, 1_000)).looked)
      expect(await read(of, recovery)).toMatchObject({ replayed: 2_040, finishedAt: w.now })
    })

    test('deliveries that are still being canceled are waited for, and then restarted', async () => {
      const of = await start(world())
      const { w, workspace, webhook, nodeId } = of
      for (let left = MANY; left > 0; left -= 700) await w.waiting(nodeId, workspace, 700)
      w.now += 10
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      const [recovery, replay] = [await recover(of), await create(of, { statuses: ['canceled'] })]
      expect(await step(of)).toEqual(WAITS)
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1_000 }))
      await step(of)
      expect(await read(of, recovery)).toMatchObject({ replayed: 100, finishedAt: null })
      expect(await readReplay(of, replay)).toMatchObject({ finishedAt: null })
    })

    test('a step returns how many of the visited deliveries it made due', async () => {
      const of = await start(world())
      await end(of, 'failed', ['a', 'b', 'a', 'b', 'a'])
      const recovery = await recover(of, { eventTypes: ['b'] })
      expect(await step(of, 3)).toEqual({ looked: 3, started: 1, waits: false })
      expect(await step(of, 1)).toMatchObject({ started: 1 })
      await finish(of)
      expect(await read(of, recovery)).toMatchObject({ replayed: 2, total: 2 })
    })

    test('deliveries that expire before their attempt count as failed, so that the recovery ends', async () => {
      const of = await start(world())
      const { w } = of
      await end(of, 'failed', ['a', 'b'])
      w.now += 3 * DAY_MS
      const recovery = await recover(of)
      await finish(of)
      await w.expireAll(w.now - DAY_MS)
      expect(await read(of, recovery)).toMatchObject({ replayed: 2, delivered: 0, failed: 2, doneAt: w.now })
    })
  })
}
