import { describe, expect, test } from 'vitest'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

async function publish(
  w: World,
  { id }: Workspace | { id: number },
  types: readonly string[],
): Promise<void> {
  const nodeId = await w.node()
  for (const type of types) await w.publish(nodeId, [await w.event({ id } as Workspace, { type })])
}

const missed = async (w: World, webhook: Webhook, changes: { from?: number; to?: number } = {}) => {
  const { id: webhookId, workspaceId, eventTypes } = webhook
  const { from = null, to = null } = changes
  return w.storage.countMissed({ workspaceId, webhookId, eventTypes, from, to })
}

const NONE = { count: 0, more: false, types: [], before: null }

export function stopSuite({ world }: Subject): void {
  describe('the events that a webhook missed', () => {
    test('are those of its types published to its workspace while it was disabled or paused', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace, { eventTypes: ['a', 'b'] })
      await publish(w, workspace, ['a'])
      expect(await missed(w, webhook)).toEqual(NONE)
      const of = { workspaceId: workspace.id, webhookId: webhook.id, eventTypes: ['a'], from: 0 }
      expect(await w.storage.missedOf(of)).toBeNull()
      w.now += 10
      const pausedAt = w.now
      await w.update(webhook, { status: 'paused' })
      await publish(w, workspace, ['c', 'a', 'b', 'a'])
      await publish(w, await w.workspace(), ['a'])
      expect(await missed(w, webhook)).toMatchObject({
        count: 3,
        types: [
          { type: 'a', count: 2 },
          { type: 'b', count: 1 },
        ],
      })
      w.now += 10
      await w.update(webhook, { status: 'on' })
      await publish(w, workspace, ['a'])
      expect(await missed(w, webhook)).toMatchObject({ count: 3, more: false })
      const { last, earlier } = (await w.storage.missedOf(of))!
      expect(last).toMatchObject({ count: 2, more: false, beganAt: pausedAt, endedAt: w.now })
      expect(earlier).toBeNull()
      expect(await w.storage.missedOf({ ...of, from: w.now + 1 })).toBeNull()
    })

    test('are counted for the last stop, and for all earlier ones', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { id: workspaceId } = workspace
      const suspend = async (suspended: boolean) => {
        w.now += 10
        await w.storage.suspendWorkspace({ workspaceId, suspended, now: w.now })
      }
      const earlier = await w.webhook(workspace)
      await suspend(true)
      w.now += 10
      const during = await w.webhook(workspace)
      await publish(w, workspace, ['a'])
      await suspend(false)
      const resumedAt = w.now
      const later = await w.webhook(workspace)
      const missedOf = (webhookId: number) =>
        w.storage.missedOf({ workspaceId, webhookId, eventTypes: [], from: 0 })
      const suspended = { count: 1, beganAt: resumedAt - 20, endedAt: resumedAt }
      expect(await missedOf(earlier.id)).toMatchObject({ last: suspended, earlier: null })
      // It was created while the workspace was suspended.
      expect((await missedOf(during.id))!.last.beganAt).toBe(resumedAt - 10)
      w.now += 10
      const pausedAt = w.now
      await w.update(earlier, { status: 'paused' })
      await suspend(true)
      await publish(w, workspace, ['b', 'c'])
      expect(await missedOf(earlier.id)).toMatchObject({
        last: { count: 2, beganAt: pausedAt, endedAt: null },
        earlier: { count: 1, types: [{ type: 'a', count: 1 }], beganAt: suspended.beganAt },
      })
      expect(await missed(w, during)).toMatchObject({ count: 3 })
      expect(await missed(w, later)).toMatchObject({ count: 2 })
    })

    test('do not include events before it was created', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      await publish(w, workspace, ['a'])
      w.now += 10
      const webhook = await w.webhook(workspace)
      await publish(w, workspace, ['b'])
      expect((await missed(w, webhook)).types).toEqual([{ type: 'b', count: 1 }])
    })

    test('are found in the feed after the returned position', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace, { eventTypes: ['b'] })
      await publish(w, workspace, ['a', 'b'])
      await w.update(webhook, { status: 'off' })
      await publish(w, workspace, ['a', 'b', 'c', 'b'])
      const { before } = await missed(w, webhook)
      const read = { workspaceId: workspace.id, eventTypes: null, after: before, limit: 10 }
      await w.settled()
      const { events } = await w.storage.listEvents(read)
      expect(events.map(({ type }) => type)).toEqual(['b', 'c', 'b'])
    })

    test('of several stops, and of those of its workspace, include each event once', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { id: workspaceId } = workspace
      const webhook = await w.webhook(workspace)
      const times: number[] = []
      const publishAt = async (type: string) => {
        w.now += 10
        times.push(w.now)
        await publish(w, workspace, [type])
      }
      await w.update(webhook, { status: 'paused' })
      await publishAt('a')
      await w.storage.suspendWorkspace({ workspaceId, suspended: true, now: w.now })
      await publishAt('b')
      await w.update(webhook, { status: 'on' })
      await publishAt('c')
      await w.storage.suspendWorkspace({ workspaceId, suspended: false, now: w.now })
      await publishAt('d')
      await w.update(webhook, { status: 'off' })
      await publishAt('e')
      const types = async (changes?: Parameters<typeof missed>[2]) =>
        (await missed(w, webhook, changes)).types.map(({ type }) => type).sort()
      expect(await types()).toEqual(['a', 'b', 'c', 'e'])
      expect(await types({ from: times[1]!, to: times[4]! })).toEqual(['b', 'c'])
    })

    test('are counted up to 10,000 events of the workspace', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace, { eventTypes: ['rare'] })
      await w.update(webhook, { status: 'paused' })
      const nodeId = await w.node()
      for (let i = 0; i < 5; i++)
        await w.publish(nodeId, await w.events(2_000, workspace, { type: 'frequent' }))
      await publish(w, workspace, ['rare'])
      expect(await missed(w, webhook)).toEqual({ ...NONE, more: true })
    })

    test('do not include tests', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [webhook, other] = [await w.webhook(workspace), await w.webhook(workspace)]
      await w.update(webhook, { status: 'paused' })
      const event = await w.event(workspace, { type: 'webhook.test' })
      await w.storage.sendTest({ event, webhookId: other.id, limit: null, now: w.now })
      expect(await missed(w, webhook)).toEqual(NONE)
    })
  })

  describe('a pause that holds events', () => {
    test('keeps published events until it ends, and none is missed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.update(webhook, { status: 'paused' }, { pauseHolds: true })
      const { leased, unleased } = await w.publish(nodeId, await w.events(3, workspace))
      expect([leased, unleased]).toEqual([[], [webhook.id]])
      expect((await w.claim(nodeId)).deliveries).toEqual([])
      expect(await missed(w, webhook)).toEqual(NONE)
      await w.update(webhook, { description: 'still paused' })
      await w.publish(nodeId, await w.events(1, workspace))
      await w.update(webhook, { status: 'on' })
      expect((await w.claim(nodeId)).deliveries).toHaveLength(4)
    })

    test('ends with its held events when the webhook is disabled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await w.update(webhook, { status: 'paused' }, { pauseHolds: true })
      await w.publish(nodeId, await w.events(2, workspace))
      await w.update(webhook, { status: 'off' })
      await w.publish(nodeId, await w.events(1, workspace))
      expect(await w.statuses(webhook)).toEqual(['canceled', 'canceled'])
      expect(await missed(w, webhook)).toMatchObject({ count: 1 })
    })
  })
}
