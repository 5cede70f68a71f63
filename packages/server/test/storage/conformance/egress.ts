import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { DAY_MS, HOUR_MS, STRICT, type World } from './world.ts'

const SECOND_MS = 1_000

export function egressSuite({ world }: Subject): void {
  const note = (w: World, waited = 0, notBefore: number | null = null) =>
    w.storage.noteOpen({ now: w.now, waited, notBefore })
  const outages = (w: World) => w.storage.listOutages({})

  describe("nodes' records that they can send", () => {
    test('a gap between two of them is an outage, if it is longer than 30 s', async () => {
      const w = world()
      expect(await w.storage.readOpen({})).toBeNull()
      await note(w)
      expect(await w.storage.readOpen({})).toBe(w.now)
      w.now += 30 * SECOND_MS
      await note(w, 5)
      expect(await outages(w)).toEqual([])
      const beganAt = w.now
      w.now += 30 * SECOND_MS + 1
      await note(w, 5)
      const first = { beganAt, endedAt: w.now, waited: 5 }
      expect(await outages(w)).toEqual([first])
      expect(await w.storage.readOpen({})).toBe(w.now)
      const began = w.now
      w.now += HOUR_MS
      await note(w, 1)
      expect(await outages(w)).toEqual([{ beganAt: began, endedAt: w.now, waited: 1 }, first])
    })

    test('of a gap in which the clock leapt, only the part after the leap is an outage', async () => {
      const w = world()
      await note(w)
      w.now += DAY_MS
      const steadySince = w.now
      w.now += 30 * SECOND_MS
      await note(w, 0, steadySince)
      expect(await outages(w)).toEqual([])
      w.now += DAY_MS
      const leapt = w.now
      w.now += HOUR_MS
      await note(w, 0, leapt)
      expect(await outages(w)).toEqual([{ beganAt: leapt, endedAt: w.now, waited: 0 }])
    })

    test('a gap backwards is not an outage', async () => {
      const w = world()
      await note(w)
      w.now -= HOUR_MS
      await note(w)
      expect(await outages(w)).toEqual([])
      expect(await w.storage.readOpen({})).toBe(w.now)
    })

    test('two nodes that come back at the same time find one outage', async () => {
      const w = world()
      await note(w)
      w.now += HOUR_MS
      await Promise.all([note(w, 1), note(w, 2), note(w, 3)])
      expect(await outages(w)).toHaveLength(1)
    })

    test('the newest 100 outages are kept', async () => {
      const w = world()
      for (let i = 0; i < 103; i++) {
        await note(w, i)
        w.now += HOUR_MS
      }
      const kept = await outages(w)
      expect(kept).toHaveLength(100)
      expect(kept[0]!.waited).toBe(102)
      expect(kept.at(-1)!.waited).toBe(3)
    })
  })

  describe('the time in which no node could send', () => {
    /** A webhook that failed at noon. */
    async function failing(w: World) {
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref, ...others] = await w.leased(nodeId, workspace, 4)
      const began = w.now
      await w.record(nodeId, [w.failure(ref!)], STRICT)
      const noteAt = async (hour: number) => {
        w.now = began + hour * HOUR_MS
        await note(w)
      }
      const failAt = async (hour: number, steadySinceHour: number | null = null) => {
        w.now = began + hour * HOUR_MS
        const steadySince = steadySinceHour === null ? null : began + steadySinceHour * HOUR_MS
        return w.record(nodeId, [w.failure(others.shift()!)], STRICT, steadySince)
      }
      return { webhook, noteAt, failAt }
    }

    test('does not count as failing, neither for the warning nor for disabling', async () => {
      const w = world()
      const { webhook, noteAt, failAt } = await failing(w)
      for (const hour of [2, 50]) await noteAt(hour)
      expect(await failAt(50)).toMatchObject({ disabled: [], notifications: [] })
      for (let hour = 50; hour <= 72; hour += 1 / 180) await noteAt(hour)
      expect((await failAt(72)).disabled).toEqual([{ webhookId: webhook.id, reason: 'failing' }])
    })

    test('does not count either while it still lasts, before any node recorded its end', async () => {
      const w = world()
      const { noteAt, failAt } = await failing(w)
      await noteAt(2)
      expect(await failAt(50)).toMatchObject({ disabled: [], notifications: [] })
      await noteAt(50)
      expect(await failAt(50)).toMatchObject({ disabled: [], notifications: [] })
    })

    test('does not count after a leap of the clock that came within it', async () => {
      const w = world()
      const { noteAt, failAt } = await failing(w)
      await noteAt(2)
      expect(await failAt(50, 3)).toMatchObject({ disabled: [], notifications: [] })
    })

    test('counts as far as it is before the first failure', async () => {
      const w = world()
      w.now -= 5 * HOUR_MS
      await note(w)
      w.now += 5 * HOUR_MS
      const { webhook, noteAt, failAt } = await failing(w)
      await noteAt(1)
      for (let hour = 1; hour < 25; hour += 1 / 180) await noteAt(hour)
      expect((await failAt(24.9)).disabled).toEqual([])
      expect((await failAt(25)).disabled).toEqual([{ webhookId: webhook.id, reason: 'failing' }])
    })
  })

  describe('recently reached receivers', () => {
    test('are those of enabled webhooks that are not failing, with a delivered delivery', async () => {
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

    test('are found however many of their deliveries wait, before and after counts are rolled up', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const webhook = await w.webhook(workspace)
      const [first] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.success(first!)])
      await w.waiting(nodeId, workspace, 50)
      const ask = () => w.storage.recentlyReached({ since: w.now - HOUR_MS, limit: 10 })
      const found = [{ webhookId: webhook.id, workspaceId: workspace.id, url: webhook.url }]
      expect(await ask()).toEqual(found)
      while (await w.storage.rollUpStats({ now: w.now }));
      expect(await ask()).toEqual(found)
    })

    test('are found by when they received something, not by when it was published', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node(100 * HOUR_MS)
      await w.webhook(workspace)
      const [ref] = await w.leased(nodeId, workspace)
      w.now += 40 * HOUR_MS
      await w.record(nodeId, [w.success(ref!)])
      while (await w.storage.rollUpStats({ now: w.now }));
      const ask = (since: number) => w.storage.recentlyReached({ since, limit: 10 })
      expect(await ask(w.now - DAY_MS)).toHaveLength(1)
      expect(await ask(w.now + HOUR_MS)).toEqual([])
    })

    test('are at most three of one workspace, at different origins', async () => {
      const w = world()
      const [many, few] = [await w.workspace(), await w.workspace()]
      const nodeId = await w.node()
      for (const name of ['a', 'b', 'c', 'd', 'd', 'd'])
        await w.webhook(many, { url: `https://${name}.example.com/${w.name('')}` })
      await w.webhook(few, { url: 'https://e.example.com/' })
      for (const workspace of [many, few])
        for (const ref of await w.leased(nodeId, workspace)) await w.record(nodeId, [w.success(ref)])
      const found = await w.storage.recentlyReached({ since: w.now, limit: 10 })
      expect(found.map(({ url }) => new URL(url).hostname[0])).toEqual(['e', 'd', 'c', 'b'])
    })

    test('are all enabled ones if no received delivery is required', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [on, off, failing] = [
        await w.webhook(workspace, { url: 'https://a.example.com/' }),
        await w.webhook(workspace, { url: 'https://b.example.com/' }),
        await w.webhook(workspace, { url: 'https://c.example.com/' }),
      ]
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.failure(refs.find(({ webhookId }) => webhookId === failing.id)!)])
      await w.update(off, { status: 'off' })
      const found = await w.storage.recentlyReached({ since: null, limit: 10 })
      expect(found.map(({ webhookId }) => webhookId)).toEqual([failing.id, on.id])
    })

    test('are from as many workspaces as possible, also if one created all of the newest webhooks', async () => {
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
