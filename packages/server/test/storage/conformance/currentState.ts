import { describe, expect, test } from 'vitest'
import { findOldestPending } from '../../../src/engine/maintenance/watches.ts'
import { ManualClock } from '../../support/manualClock.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS, STRICT, type World } from './world.ts'

/** Without a limit, which a test may change. */
const oldest = (w: World, workspaceId: number | null, webhookId: number | null = null) =>
  findOldestPending({ storage: w.storage, clock: new ManualClock() }, { workspaceId, webhookId })

export function currentStateSuite({ world }: Subject): void {
  describe('the state of webhooks', () => {
    test('those that fail now are enabled, and failed since their last success', async () => {
      const w = world()
      const [one, other] = [await w.workspace(), await w.workspace()]
      const first = await w.webhook(one, { eventTypes: ['first'] })
      const second = await w.webhook(one, { eventTypes: ['second'] })
      const third = await w.webhook(other)
      const nodeId = await w.node()
      const of = (workspaceId: number | null) =>
        w.storage.countWebhooks({ workspaceId, disabledSince: w.now - HOUR_MS })
      const before = await of(null)
      const listed = async (
        workspaceId: number | null,
        after: { failingSince: number; id: number } | null = null,
      ) => (await w.storage.listFailing({ workspaceId, limit: 100, after })).map(({ id }) => id)
      const fail = async (workspace: typeof one, type: string) => {
        const { leased } = await w.publish(nodeId, [await w.event(workspace, { type })])
        await w.record(nodeId, [w.failure(leased[0]!, { attempt: { startedAt: w.now } })])
        w.now += 1_000
        return leased[0]!
      }
      expect(await of(one.id)).toEqual({ on: 2, failing: 0, disabled: 0 })
      await fail(one, 'second')
      const failed = await fail(one, 'first')
      await fail(other, 'any')
      expect(await of(one.id)).toEqual({ on: 2, failing: 2, disabled: 0 })
      expect(await of(null)).toEqual({ ...before, failing: before.failing + 3 })
      // Longest first, and after a position the later ones.
      expect(await listed(one.id)).toEqual([second.id, first.id])
      expect((await listed(null)).filter((id) => [first.id, second.id, third.id].includes(id))).toEqual([
        second.id,
        first.id,
        third.id,
      ])
      const [place] = await w.storage.listFailing({ workspaceId: one.id, limit: 1, after: null })
      expect(await listed(one.id, place!)).toEqual([first.id])

      w.now += HOUR_MS
      await w.claim(nodeId)
      await w.record(nodeId, [w.success(failed, { number: 2 })])
      expect(await listed(one.id)).toEqual([second.id])
      await w.update(second, { status: 'paused' })
      expect(await of(one.id)).toEqual({ on: 1, failing: 0, disabled: 0 })
      await w.update(second, { status: 'on' })
      await w.storage.suspendWorkspace({ workspaceId: other.id, suspended: true, now: w.now })
      expect(await of(other.id)).toEqual({ on: 0, failing: 0, disabled: 0 })
      expect(await listed(other.id)).toEqual([])
    })

    test('those recently disabled for failures count until they are enabled again', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [gone, manual] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.gone(refs.find(({ webhookId }) => webhookId === gone.id)!)], STRICT)
      await w.update(manual, { status: 'off' })
      const count = async (agoMs: number) =>
        (await w.storage.countWebhooks({ workspaceId: workspace.id, disabledSince: w.now - agoMs })).disabled
      w.now += 1_000
      expect([await count(1_000), await count(999)]).toEqual([1, 0])
      await w.update(gone, { status: 'on' })
      expect(await count(HOUR_MS)).toBe(0)
    })
  })

  describe('the oldest pending delivery', () => {
    test('is ordered by its event, whatever it waits for', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [retried, fresh] = [
        await w.webhook(workspace, { eventTypes: ['retried'] }),
        await w.webhook(workspace, { eventTypes: ['fresh'] }),
      ]
      const nodeId = await w.node()
      expect(await oldest(w, workspace.id)).toBeNull()
      const publish = async (type: string, room: number) =>
        w.publish(nodeId, [await w.event(workspace, { type })], { room })
      const madeAt = w.now
      const { leased } = await publish('retried', 1)
      w.now += 1_000
      await publish('fresh', 0)
      await publish('retried', 0)
      // Leased to a node.
      expect(await oldest(w, workspace.id)).toMatchObject({
        id: leased[0]!.deliveryId,
        webhookId: retried.id,
        webhookPublicId: retried.publicId,
        workspaceId: workspace.id,
        createdAt: madeAt,
        attempts: 0,
        attemptedAt: null,
        leased: true,
        othersLeased: false,
        webhookStatus: 'on',
        suspended: false,
      })
      w.now += 1_000
      const startedAt = w.now
      const nextAttemptAt = w.now + HOUR_MS
      await w.record(nodeId, [
        w.failure(leased[0]!, {
          attempt: { startedAt, durationMs: 40 },
          next: { status: 'pending', nextAttemptAt },
        }),
      ])
      const retry = {
        id: leased[0]!.deliveryId,
        createdAt: madeAt,
        attempts: 1,
        nextAttemptAt,
        leased: false,
      }
      expect(await oldest(w, workspace.id, retried.id)).toMatchObject({
        ...retry,
        attemptedAt: startedAt + 40,
      })
      expect(await oldest(w, workspace.id)).toMatchObject(retry)
      expect((await oldest(w, null))!.createdAt).toBeLessThanOrEqual(madeAt)
      expect(await oldest(w, workspace.id, fresh.id)).toMatchObject({
        createdAt: madeAt + 1_000,
        attempts: 0,
      })
      await w.claim(nodeId)
      expect(await oldest(w, workspace.id, retried.id)).toMatchObject({ ...retry, othersLeased: true })
      await w.update(retried, { status: 'paused' })
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      expect(await oldest(w, workspace.id, retried.id)).toMatchObject({
        webhookStatus: 'paused',
        suspended: true,
      })
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: false, now: w.now })
      await w.update(retried, { status: 'off' })
      expect(await oldest(w, workspace.id, retried.id)).toBeNull()
      await w.remove(fresh)
      expect(await oldest(w, workspace.id)).toBeNull()
    })

    test('is found among all webhooks of a workspace, and of all, part by part', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      for (let made = 0; made < 520; made += 20)
        await Promise.all(Array.from({ length: 20 }, () => w.webhook(workspace, { eventTypes: ['x'] })))
      const last = await w.webhook(workspace, { eventTypes: ['last'] })
      await w.webhook(other)
      const nodeId = await w.node()
      const publish = async (of: typeof workspace, type: string) => {
        const { late } = await w.publish(nodeId, [await w.event(of, { type })], { room: 0 })
        if (late > 0) await w.finishFanouts()
      }
      await publish(workspace, 'last')
      w.now += 1
      await publish(workspace, 'x')
      await publish(other, 'x')
      expect(await oldest(w, workspace.id)).toMatchObject({ webhookId: last.id, createdAt: w.now - 1 })
      const all = await oldest(w, null)
      expect(all!.createdAt).toBeLessThanOrEqual(w.now - 1)
      expect(await oldest(w, other.id)).toMatchObject({ createdAt: w.now, workspaceId: other.id })
    })
  })
}
