import { describe, expect, test } from 'vitest'
import { MAX_LEASE_MS } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, STRICT, type World } from './world.ts'

/** As a wrong clock may have written them: one delivery for each of `webhooks` webhooks, due in `dueIn`. */
async function retries(w: World, webhooks: number, dueIn: number) {
  const workspace = await w.workspace()
  for (let i = 0; i < webhooks; i++) await w.webhook(workspace)
  const nodeId = await w.node()
  const refs = await w.leased(nodeId, workspace)
  const next = { status: 'pending' as const, nextAttemptAt: w.now + dueIn }
  await w.record(
    nodeId,
    refs.map((ref) => w.failure(ref, { next })),
  )
  return { workspace, nodeId, ids: refs.map(({ deliveryId }) => deliveryId) }
}

const pullIn = (w: World, changes: { limit?: number; afterWebhookId?: number } = {}) =>
  w.storage.pullInDue({ now: w.now, latest: w.now + DAY_MS, limit: 100, afterWebhookId: 0, ...changes })

export function pullInSuite({ world, opened }: Subject): void {
  describe('due times that are too far off', () => {
    test('they are moved to now, and valid due times stay unchanged', async () => {
      const w = world()
      const far = await retries(w, 2, 7 * DAY_MS)
      const lawful = await retries(w, 1, DAY_MS)
      expect(await pullIn(w)).toEqual({ pulled: 2, nextAfterWebhookId: 0 })
      for (const id of far.ids)
        expect(await w.delivery(far.workspace, id)).toMatchObject({
          status: 'pending',
          nextAttemptAt: w.now,
        })
      expect(await w.delivery(lawful.workspace, lawful.ids[0]!)).toMatchObject({
        nextAttemptAt: w.now + DAY_MS,
      })
      expect((await w.claimedIds(far.nodeId)).sort()).toEqual([...far.ids].sort())
      expect(await pullIn(w)).toEqual({ pulled: 0, nextAfterWebhookId: 0 })
    })

    test('it continues where it stopped, and reads and changes a limited number in each step', async () => {
      const w = world()
      const { nodeId, workspace, ids } = await retries(w, 5, 7 * DAY_MS)
      const more = await w.leased(nodeId, workspace, 3)
      const next = { status: 'pending' as const, nextAttemptAt: w.now + 8 * DAY_MS }
      await w.record(
        nodeId,
        more.map((ref) => w.failure(ref, { next })),
      )
      const steps: number[] = []
      let step = { pulled: 1, nextAfterWebhookId: 0 }
      while (step.pulled > 0 || step.nextAfterWebhookId > 0) {
        step = await pullIn(w, { limit: 2, afterWebhookId: step.nextAfterWebhookId })
        steps.push(step.pulled)
      }
      expect(Math.max(...steps)).toBe(2)
      expect(steps.reduce((a, b) => a + b)).toBe(ids.length + more.length)
      expect(await w.claimedIds(nodeId)).toHaveLength(ids.length + more.length)
    })

    test('leased deliveries are not touched', async () => {
      const w = world()
      const { nodeId, ids, workspace } = await retries(w, 1, 7 * DAY_MS)
      w.now += 7 * DAY_MS
      expect(await w.claimedIds(nodeId)).toEqual(ids)
      w.now -= 7 * DAY_MS
      expect(await pullIn(w)).toMatchObject({ pulled: 0 })
      await w.lapse(nodeId)
      await w.storage.rescueDeliveries({ byNodeId: await w.node() })
      expect(await pullIn(w)).toMatchObject({ pulled: 1 })
      expect(await w.delivery(workspace, ids[0]!)).toMatchObject({ nextAttemptAt: w.now })
    })

    test('e-mails that wait too long are moved to now', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [gone] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.gone(gone!)], STRICT)
      const claim = (name: string) =>
        w.storage.claimNotifications({ claim: name, claimMs: MINUTE_MS, now: w.now, limit: 10 })
      const { notifications } = await claim('first')
      expect(notifications).toHaveLength(1)
      await w.storage.settleNotification({
        id: notifications[0]!.id,
        claim: 'first',
        now: w.now,
        outcome: { result: 'again', dueAt: w.now + 7 * DAY_MS, error: 'busy' },
      })
      const pull = () =>
        w.storage.pullInNotifications({ latest: w.now + DAY_MS, to: w.now + HOUR_MS, limit: 10 })
      expect(await pull()).toBe(1)
      expect(await pull()).toBe(0)
      expect((await claim('early')).notifications).toEqual([])
      w.now += HOUR_MS
      expect((await claim('second')).notifications).toHaveLength(1)
    })

    test("a lease that ends too late is shortened, so that a dead node's deliveries are freed", async () => {
      const w = world()
      const dead = await w.node(7 * DAY_MS)
      const living = await w.node(MAX_LEASE_MS)
      await w.storage.rescueDeliveries({ byNodeId: living })
      const reference = await w.node(0)
      const nodes = await w.storage.listNodes({})
      const endOf = (id: number) => nodes.find((node) => node.id === id)!.leaseUntil
      expect(endOf(dead)).toBeLessThanOrEqual(endOf(reference) + MAX_LEASE_MS)
      expect(nodes.find(({ id }) => id === dead)!.alive).toBe(true)
    })
  })

  describe('the clock state', () => {
    test('a new store has none, and a recorded one survives', async () => {
      const { storage } = world()
      expect(await storage.readClock({})).toEqual({ steadyAt: null, leaptAt: null })
      await storage.noteClock({ steadyAt: 5, leaptAt: null })
      await storage.noteClock({ steadyAt: null, leaptAt: 7 })
      expect(await storage.readClock({})).toEqual({ steadyAt: 5, leaptAt: 7 })
      await storage.noteClock({ steadyAt: 3, leaptAt: null })
      expect(await storage.readClock({})).toEqual({ steadyAt: 3, leaptAt: 7 })
      expect(
        await opened()
          .reopen()
          .then((again) => again.readClock({})),
      ).toEqual({ steadyAt: 3, leaptAt: 7 })
    })
  })

  describe('failing under a clock that leaps', () => {
    test('time before the last leap does not count, so that no webhook is disabled for it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const fail = async (steadySince: number | null) => {
        const results = (await w.leased(nodeId, workspace)).map((ref) => w.failure(ref))
        await w.storage.recordAttempts({
          nodeId,
          now: w.now,
          steadySince,
          outageNotBefore: steadySince,
          failingFrom: null,
          healthPolicies: [STRICT],
          results,
        })
        return (await w.reread(webhook)).status
      }
      expect(await fail(null)).toBe('on')
      w.now += 7 * DAY_MS
      const leaptAt = w.now
      expect(await fail(leaptAt)).toBe('on')
      w.now = leaptAt + DAY_MS - 1
      expect(await fail(leaptAt)).toBe('on')
      w.now = leaptAt + DAY_MS
      expect(await fail(leaptAt)).toBe('off')
    })

    test('a time in the future is replaced by that of the next failure', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const fail = async () => {
        const [ref] = await w.leased(nodeId, workspace)
        const failure = w.failure(ref!)
        await w.record(nodeId, [{ ...failure, attempt: { ...failure.attempt, startedAt: w.now } }], STRICT)
        return (await w.reread(webhook)).failingSince
      }
      const now = w.now
      w.now += 7 * DAY_MS
      expect(await fail()).toBe(w.now)
      w.now = now
      expect(await fail()).toBe(now)
      w.now += MINUTE_MS
      expect(await fail()).toBe(now)
    })
  })
}
