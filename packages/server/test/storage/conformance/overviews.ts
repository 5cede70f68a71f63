import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS, STRICT, type World } from './world.ts'

const A_MINUTE = { max: 2, windowMs: 60_000 }

/** More than one call visits. */
const MANY = 3_000

async function state(w: World, webhook: Webhook, maxPending = 1000) {
  const { workspaceId, id } = webhook
  const [found] = await w.storage.webhookStates({ workspaceId, webhookIds: [id], maxPending })
  return found!
}

export function overviewSuite({ world }: Subject): void {
  describe('webhooks by their ids', () => {
    test('existing ones of the workspace are found, each once, newest first', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [first, second, gone] = [
        await w.webhook(workspace),
        await w.webhook(workspace, { eventTypes: ['a', 'b'] }),
        await w.webhook(workspace),
      ]
      const foreign = await w.webhook(await w.workspace())
      await w.remove(gone!)
      const asked = [first, second, second, gone, foreign].map((webhook) => webhook!.publicId)
      const find = (publicIds: readonly string[]) =>
        w.storage.findWebhooks({ workspaceId: workspace.id, publicIds })
      expect(await find([...asked, 'wh_unknown', ''])).toEqual([second, first])
      expect(await find([])).toEqual([])
    })
  })

  describe('since when a webhook receives nothing', () => {
    test('it is set when the webhook is disabled or paused, and cleared when it is enabled again', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const stoppedAt = async () => (await w.reread(webhook)).stoppedAt
      for (const status of ['off', 'paused'] as const) {
        w.now += 1000
        const stopped = await w.update(webhook, { status })
        expect(stopped!.stoppedAt).toBe(w.now)
        w.now += 1000
        await w.update(webhook, { description: `changed while ${status}` })
        expect(await stoppedAt()).toBe(w.now - 1000)
        expect((await w.update(webhook, { status: 'on' }))!.stoppedAt).toBeNull()
        expect(await stoppedAt()).toBeNull()
      }
    })

    test('disabling a paused webhook does not change it', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      const since = w.now
      await w.update(webhook, { status: 'paused' })
      w.now += 1000
      expect(await w.update(webhook, { status: 'off' })).toMatchObject({ status: 'off', stoppedAt: since })
    })

    test('it is set when attempts disable it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [gone, failing] = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 2)
      const [ofGone, ofFailing] = [gone, failing].map((one) =>
        refs.filter(({ webhookId }) => webhookId === one!.id),
      )
      await w.record(nodeId, [w.gone(ofGone![0]!), w.failure(ofFailing![0]!)], STRICT)
      expect(await w.reread(gone!)).toMatchObject({ status: 'off', stoppedAt: w.now })
      expect(await w.reread(failing!)).toMatchObject({ status: 'on', stoppedAt: null })
      const goneAt = w.now
      w.now += 25 * HOUR_MS
      await w.record(nodeId, [w.failure(ofFailing![1]!)], STRICT)
      expect(await w.reread(failing!)).toMatchObject({
        status: 'off',
        offReason: 'failing',
        stoppedAt: w.now,
      })
      expect((await w.reread(gone!)).stoppedAt).toBe(goneAt)
    })

    test('in a suspended workspace it is the earlier of the two', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [on, off, later] = [
        await w.webhook(workspace),
        await w.webhook(workspace),
        await w.webhook(workspace),
      ]
      const offAt = w.now
      await w.update(off!, { status: 'off' })
      w.now += 1000
      const suspendedAt = w.now
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: suspendedAt })
      w.now += 1000
      await w.update(later!, { status: 'paused' })
      const seen = async () => {
        const listed = await w.storage.listWebhooks({ workspaceId: workspace.id, limit: 10, before: null })
        const read = await Promise.all([later!, off!, on!].map((webhook) => w.reread(webhook)))
        expect(listed).toEqual(read)
        return read.map(({ stoppedAt }) => stoppedAt)
      }
      expect(await seen()).toEqual([suspendedAt, offAt, suspendedAt])
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: false, now: w.now })
      expect(await seen()).toEqual([w.now, offAt, null])
    })
  })

  describe('the state of webhooks', () => {
    test('one without deliveries has none, and nothing pending', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      expect(await state(w, webhook)).toEqual({ webhookId: webhook.id, latest: null, pending: 0 })
    })

    test('deleted webhooks and those of other workspaces are left out; the others come in order', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const [one, two, gone] = [await w.webhook(mine), await w.webhook(mine), await w.webhook(mine)]
      const foreign = await w.webhook(other)
      await w.remove(gone!)
      const webhookIds = [two!.id, foreign.id, gone!.id, one!.id, 999_999]
      const states = await w.storage.webhookStates({ workspaceId: mine.id, webhookIds, maxPending: 10 })
      expect(states.map(({ webhookId }) => webhookId)).toEqual([two!.id, one!.id])
    })

    test('the newest delivery is shown in its current state, with its latest attempt', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [old] = await w.leased(nodeId, workspace)
      w.now += 1000
      const [ref] = await w.leased(nodeId, workspace)
      const latest = async () => (await state(w, webhook)).latest
      const { deliveryId: id, createdAt } = ref!
      expect(await latest()).toEqual({ id, createdAt, status: 'pending', attempt: null })
      await w.record(nodeId, [w.success(old!)])
      const startedAt = w.now + 5
      await w.record(nodeId, [w.failure(ref!, { attempt: { startedAt } })])
      const failed = { startedAt, statusCode: 500, errorCode: 'http_status' }
      expect(await latest()).toEqual({ id, createdAt, status: 'pending', attempt: failed })
      w.now += 60_000
      const [again] = (await w.claim(nodeId)).deliveries
      const success = { number: 2, startedAt: w.now, statusCode: 204 }
      await w.record(nodeId, [w.success({ deliveryId: again!.id, webhookId: webhook.id }, success)])
      expect(await latest()).toEqual({
        id,
        createdAt,
        status: 'delivered',
        attempt: { startedAt: w.now, statusCode: 204, errorCode: null },
      })
    })

    test('a first success is its latest attempt', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.success(ref!, { statusCode: 201 })])
      expect((await state(w, webhook)).latest).toMatchObject({
        status: 'delivered',
        attempt: { startedAt: w.now, statusCode: 201, errorCode: null },
      })
    })

    test('each has its own newest delivery, whatever others of the workspace have', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhooks = [
        await w.webhook(workspace, { eventTypes: ['a'] }),
        await w.webhook(workspace, { eventTypes: ['b'] }),
        await w.webhook(workspace, { eventTypes: ['c'] }),
      ]
      const nodeId = await w.node()
      const newest = new Map<number, number>()
      for (const type of ['a', 'b', 'a', 'b', 'a']) {
        w.now += HOUR_MS * 13
        const { leased } = await w.publish(nodeId, [await w.event(workspace, { type })])
        newest.set(leased[0]!.webhookId, leased[0]!.deliveryId)
      }
      const webhookIds = webhooks.map(({ id }) => id)
      const states = await w.storage.webhookStates({ workspaceId: workspace.id, webhookIds, maxPending: 10 })
      expect(states.map(({ latest }) => latest?.id ?? null)).toEqual(
        webhookIds.map((id) => newest.get(id) ?? null),
      )
    })

    test('waiting and leased deliveries are pending; finished ones are not', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [webhook, other] = [
        await w.webhook(workspace, { eventTypes: ['a'] }),
        await w.webhook(workspace, { eventTypes: ['a', 'b'] }),
      ]
      const nodeId = await w.node()
      const batch = await w.events(4, workspace, { type: 'a' })
      const { leased } = await w.publish(nodeId, batch)
      await w.publish(nodeId, await w.events(3, workspace, { type: 'b' }), { room: 1 })
      expect([(await state(w, webhook!)).pending, (await state(w, other!)).pending]).toEqual([4, 7])
      const mine = leased.filter(({ webhookId }) => webhookId === webhook!.id)
      const dead = { status: 'dead', nextAttemptAt: null } as const
      await w.record(nodeId, [w.success(mine[0]!), w.failure(mine[1]!, { next: dead }), w.failure(mine[2]!)])
      expect([(await state(w, webhook!)).pending, (await state(w, other!)).pending]).toEqual([2, 7])
      expect((await state(w, other!, 5)).pending).toBe(5)
    })

    test('canceled deliveries are not pending, before and after their rows say so', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.leased(nodeId, workspace, 2)
      // More than the call that disables cancels directly.
      await w.waiting(nodeId, workspace, MANY)
      await w.update(webhook, { status: 'off' })
      expect(await state(w, webhook)).toMatchObject({ pending: 0, latest: { status: 'canceled' } })
      await w.update(webhook, { status: 'on' })
      await w.leased(nodeId, workspace, 1)
      await w.untilDone(() => w.storage.cancelDeliveries({ limit: 1000, now: w.now }))
      expect(await state(w, webhook)).toMatchObject({ pending: 1, latest: { status: 'pending' } })
    })
  })

  describe('secrets of a webhook', () => {
    test('those that sign are listed newest first', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      await w.webhook(await w.workspace())
      const list = (limit = 10) => w.storage.listSecrets({ webhookId: webhook.id, limit, now: w.now })
      const first = w.now
      expect(await list()).toEqual([{ createdAt: first, fromVersion: webhook.version, expiresAt: null }])
      w.now += 1000
      const rotated = await w.rotate(webhook, { overlapMs: HOUR_MS })
      const second = w.now
      const fromVersion = rotated?.outcome === 'rotated' ? rotated.webhook.version : null
      const both = [
        { createdAt: second, fromVersion, expiresAt: null },
        { createdAt: first, fromVersion: webhook.version, expiresAt: second + HOUR_MS },
      ]
      expect(await list()).toEqual(both)
      expect(await list(1)).toEqual(both.slice(0, 1))
      w.now = second + HOUR_MS
      expect(await list()).toEqual(both.slice(0, 1))
      await w.remove(webhook)
      expect(await list()).toEqual([])
    })
  })

  describe('the rest of the manual sends', () => {
    test('each uses one until it leaves the window, and reading uses none', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      const { id: webhookId } = await w.webhook(workspace)
      const left = async (limit = A_MINUTE) => {
        const params = { workspaceId: workspace.id, limit, now: w.now }
        const { remaining, resetMs } = await w.storage.manualSendsLeft(params)
        return [remaining, resetMs]
      }
      const send = async () => {
        const event = await w.event(workspace, { type: 'webhook.test' })
        await w.storage.sendTest({ event, webhookId, limit: A_MINUTE, now: w.now })
      }
      expect(await left()).toEqual([2, null])
      await send()
      w.now += 20_000
      expect(await left()).toEqual([1, 40_000])
      await send()
      expect(await left()).toEqual([0, 40_000])
      expect(await left({ ...A_MINUTE, max: 1 })).toEqual([0, 60_000])
      w.now += 40_000
      expect(await left()).toEqual([1, 20_000])
      w.now += 20_000
      expect(await left()).toEqual([2, null])
      const elsewhere = { workspaceId: other.id, limit: A_MINUTE, now: w.now }
      expect(await w.storage.manualSendsLeft(elsewhere)).toEqual({ remaining: 2, resetMs: null })
    })
  })
}
