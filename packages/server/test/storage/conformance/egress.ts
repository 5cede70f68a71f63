import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { DAY_MS, HOUR_MS, STRICT, type World } from './world.ts'

const SECOND_MS = 1_000

export function egressSuite({ world }: Subject): void {
  const note = (w: World, waited = 0, gapCounts = true) =>
    w.storage.noteOpen({ now: w.now, waited, gapCounts })

  describe('notes of nodes that they can send', () => {
    test('a gap between two of them is an outage, if it is longer than 30 s', async () => {
      const w = world()
      expect(await w.storage.readOpen({})).toBeNull()
      expect(await note(w)).toEqual([])
      expect(await w.storage.readOpen({})).toBe(w.now)
      w.now += 30 * SECOND_MS
      expect(await note(w, 5)).toEqual([])
      const beganAt = w.now
      w.now += 30 * SECOND_MS + 1
      const first = { beganAt, endedAt: w.now, waited: 5 }
      expect(await note(w, 5)).toEqual([first])
      expect(await w.storage.readOpen({})).toBe(w.now)
      const began = w.now
      w.now += HOUR_MS
      expect(await note(w, 1)).toEqual([{ beganAt: began, endedAt: w.now, waited: 1 }, first])
      expect(await w.storage.listOutages({})).toHaveLength(2)
    })

    test('a gap that a clock which leapt may have made is none, and neither is one backwards', async () => {
      const w = world()
      await note(w)
      w.now += DAY_MS
      expect(await note(w, 0, false)).toEqual([])
      w.now -= HOUR_MS
      expect(await note(w)).toEqual([])
      expect(await w.storage.readOpen({})).toBe(w.now)
    })

    test('two nodes that come back at the same time find one outage', async () => {
      const w = world()
      await note(w)
      w.now += HOUR_MS
      await Promise.all([note(w, 1), note(w, 2), note(w, 3)])
      expect(await w.storage.listOutages({})).toHaveLength(1)
    })

    test('the newest 100 outages are kept', async () => {
      const w = world()
      for (let i = 0; i < 103; i++) {
        await note(w, i)
        w.now += HOUR_MS
      }
      const outages = await w.storage.listOutages({})
      expect(outages).toHaveLength(100)
      expect(outages[0]!.waited).toBe(102)
      expect(outages.at(-1)!.waited).toBe(3)
    })
  })

  describe('the time in which no node could send', () => {
    /** A webhook that failed at noon, and an outage from one hour after that to another. */
    async function failing(w: World, fromHour: number, toHour: number) {
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref, ...others] = await w.leased(nodeId, workspace, 4)
      const began = w.now
      await w.record(nodeId, [w.failure(ref!)], STRICT)
      w.outages = [{ beganAt: began + fromHour * HOUR_MS, endedAt: began + toHour * HOUR_MS }]
      const failAt = async (hour: number) => {
        w.now = began + hour * HOUR_MS
        return w.record(nodeId, [w.failure(others.shift()!)], STRICT)
      }
      return { webhook, failAt }
    }

    test('does not count as failing, neither for the warning nor for switching off', async () => {
      const w = world()
      const { webhook, failAt } = await failing(w, 2, 50)
      expect(await failAt(51)).toMatchObject({ switchedOff: [], notifications: [] })
      expect((await failAt(61)).notifications).toMatchObject([{ kind: 'webhook_failing' }])
      const { switchedOff } = await failAt(72)
      expect(switchedOff).toEqual([{ webhookId: webhook.id, reason: 'failing' }])
    })

    test('counts as far as it lies before the first failure', async () => {
      const w = world()
      const { webhook, failAt } = await failing(w, -5, 1)
      expect((await failAt(24)).switchedOff).toEqual([])
      expect((await failAt(25)).switchedOff).toEqual([{ webhookId: webhook.id, reason: 'failing' }])
    })
  })

  describe('receivers that were reached lately', () => {
    test('are those of webhooks that are on and not failing, with a delivery that was received', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const reached = await w.webhook(workspace)
      const [failed, off] = [await w.webhook(workspace), await w.webhook(workspace)]
      const refs = await w.leased(nodeId, workspace)
      const refOf = ({ id }: { readonly id: number }) => refs.find(({ webhookId }) => webhookId === id)!
      await w.record(nodeId, [w.success(refOf(reached)), w.failure(refOf(failed)), w.success(refOf(off))])
      await w.update(off, { status: 'off' })
      const ask = (since: number, limit = 10) => w.storage.recentlyReached({ since, limit })
      const found = { webhookId: reached.id, workspaceId: workspace.id, url: reached.url }
      expect(await ask(w.now)).toEqual([found])
      expect(await ask(w.now + 1)).toEqual([])
      expect(await ask(w.now, 0)).toEqual([])
    })

    test('are of as many workspaces as possible, whoever made the most webhooks last', async () => {
      const w = world()
      const [few, many] = [await w.workspace(), await w.workspace()]
      const nodeId = await w.node()
      const first = await w.webhook(few)
      for (const ref of await w.leased(nodeId, few)) await w.record(nodeId, [w.success(ref)])
      for (let i = 0; i < 4; i++) await w.webhook(many)
      for (const ref of await w.leased(nodeId, many)) await w.record(nodeId, [w.success(ref)])
      const found = await w.storage.recentlyReached({ since: w.now, limit: 2 })
      expect(found.map(({ workspaceId }) => workspaceId)).toEqual([many.id, few.id])
      expect(found[1]).toMatchObject({ webhookId: first.id })
    })
  })
}
