import { describe, expect, test } from 'vitest'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { EventToStore } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { World } from './world.ts'

/** Deliveries that one call creates directly for a workspace. */
const AT_ONCE = 2_000
const WEBHOOKS = 3
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
/** Events whose deliveries are created directly, if each goes to all of the webhooks. */
const DIRECT = Math.floor(AT_ONCE / WEBHOOKS)

/** A workspace whose next publishes of more than {@link DIRECT} events fan out late. */
interface Crowd {
  readonly workspace: Workspace
  readonly webhooks: readonly [Webhook, Webhook, Webhook]
}

async function crowd(w: World): Promise<Crowd> {
  const workspace = await w.workspace()
  const webhooks = [
    await w.webhook(workspace),
    await w.webhook(workspace),
    await w.webhook(workspace),
  ] as const
  return { workspace, webhooks: [...webhooks] }
}

/** @returns the `count` events whose deliveries are not created yet */
async function publishLate(w: World, { workspace }: Crowd, count: number): Promise<EventToStore[]> {
  const events = await w.events(DIRECT + count, workspace)
  const { deliveries, late } = await w.publish(await w.node(), events, { room: 0 })
  expect({ deliveries, late }).toEqual({ deliveries: events.length * WEBHOOKS, late: count * WEBHOOKS })
  return events.slice(DIRECT)
}

const step = async (w: World, limit = 1_000) => (await w.storage.stepFanouts({ now: w.now, limit })).looked
const stepAll = (w: World) => w.finishFanouts()

/** Statuses of the deliveries of some events, by the webhook's index. */
async function outcomes(w: World, { webhooks }: Crowd, events: readonly EventToStore[]): Promise<string[][]> {
  const ids = new Set(events.map(({ id }) => id))
  const logs = await Promise.all(webhooks.map((webhook) => w.log(webhook)))
  return logs.map((log) => log.filter(({ eventId }) => ids.has(eventId)).map(({ status }) => status))
}

export function fanoutSuite({ world, opened }: Subject): void {
  describe('fan-out after the acknowledgement', () => {
    test('up to the limit all deliveries are created directly', async () => {
      const w = world()
      const all = await crowd(w)
      const published = await w.publish(await w.node(), await w.events(DIRECT, all.workspace))
      expect(published).toMatchObject({ deliveries: DIRECT * WEBHOOKS, late: 0 })
      expect(await step(w)).toBe(0)
    })

    test('beyond the limit each delivery is created once, in steps', async () => {
      const w = world()
      const all = await crowd(w)
      const late = await publishLate(w, all, 5)
      expect(await outcomes(w, all, late)).toEqual([[], [], []])
      expect(await stepAll(w)).toBe(5 * WEBHOOKS)
      expect(await step(w)).toBe(0)
      const [log] = await Promise.all(all.webhooks.map((webhook) => w.log(webhook)))
      expect(log!.map(({ eventId }) => eventId).slice(0, 5)).toEqual(late.map(({ id }) => id).reverse())
      expect(await outcomes(w, all, late)).toEqual(Array(WEBHOOKS).fill(Array(5).fill('pending')))
    })

    test('a delivery that is created late is as old as its event and due from then on', async () => {
      const w = world()
      const all = await crowd(w)
      const [event] = await publishLate(w, all, 1)
      w.now += 60_000
      await stepAll(w)
      const [newest] = await w.log(all.webhooks[0])
      const { createdAt } = event!
      expect(newest).toMatchObject({ eventId: event!.id, createdAt, nextAttemptAt: createdAt, attempts: [] })
    })

    test('a step visits no more webhooks than its limit, and the next continues from there', async () => {
      const w = world()
      const all = await crowd(w)
      const late = await publishLate(w, all, 2)
      expect(await step(w, 4)).toBe(4)
      expect(await outcomes(w, all, late)).toEqual([['pending', 'pending'], ['pending'], ['pending']])
      expect(await step(w, 4)).toBe(2)
      expect(await outcomes(w, all, late)).toEqual(Array(WEBHOOKS).fill(['pending', 'pending']))
    })

    test('events of one workspace with different sets of webhooks get their deliveries', async () => {
      const w = world()
      const workspace = await w.workspace()
      const kinds = Array.from({ length: 40 }, (_, n) => `kind.${n}`)
      // Each webhook subscribes to three neighboring kinds, so that each kind goes to three webhooks.
      const ids: number[] = []
      for (const n of kinds.keys()) {
        const eventTypes = [0, 1, 2].map((next) => kinds[(n + next) % kinds.length]!)
        ids.push((await w.webhook(workspace, { eventTypes })).id)
      }
      const direct = await w.events(DIRECT, workspace, { type: kinds[0]! })
      const late: EventToStore[] = []
      for (const type of kinds) late.push(await w.event(workspace, { type }))
      const published = await w.publish(await w.node(), [...direct, ...late], { room: 0 })
      expect(published.late).toBe(kinds.length * WEBHOOKS)
      expect([await step(w, 4), await step(w, 70)]).toEqual([4, 70])
      expect(await stepAll(w)).toBe(kinds.length * WEBHOOKS - 74)
      const claimed = await w.claimAll()
      const webhooksOf = ({ id }: EventToStore) =>
        claimed.filter(({ eventId }) => eventId === id).map(({ webhookId }) => ids.indexOf(webhookId))
      for (const [n, event] of late.entries()) {
        const expected = [n, n + 39, n + 38].map((at) => at % kinds.length)
        expect(new Set(webhooksOf(event))).toEqual(new Set(expected))
        expect(webhooksOf(event)).toHaveLength(WEBHOOKS)
      }
    })

    test('a step returns the traces of its events, and how many deliveries each got', async () => {
      const w = world()
      const { workspace } = await crowd(w)
      const direct = await w.events(DIRECT, workspace)
      const traced = await w.events(2, workspace, { traceparent: TRACEPARENT })
      const [untraced] = await w.events(1, workspace)
      await w.publish(await w.node(), [...direct, traced[0]!, untraced!, traced[1]!], { room: 0 })
      const stepOf = async (limit: number) => (await w.storage.stepFanouts({ now: w.now, limit })).traced
      expect(await stepOf(2)).toEqual([{ traceparent: TRACEPARENT, deliveries: 2 }])
      expect(await stepOf(1_000)).toEqual([
        { traceparent: TRACEPARENT, deliveries: 1 },
        { traceparent: TRACEPARENT, deliveries: WEBHOOKS },
      ])
    })

    test('a step returns the workspaces for which it created deliveries', async () => {
      const w = world()
      const all = await crowd(w)
      await publishLate(w, all, 1)
      const steps = [1, 2].map(() => w.storage.stepFanouts({ now: w.now, limit: 1_000 }))
      expect((await Promise.all(steps)).flatMap(({ workspaceIds }) => workspaceIds)).toEqual([
        all.workspace.id,
      ])
    })

    test('workspaces take turns', async () => {
      const w = world()
      const [first, second] = [await crowd(w), await crowd(w)]
      const [lateOfFirst, lateOfSecond] = [await publishLate(w, first, 250), await publishLate(w, second, 1)]
      await step(w, 250)
      await step(w, 250)
      expect((await outcomes(w, second, lateOfSecond)).flat()).toHaveLength(WEBHOOKS)
      expect((await outcomes(w, first, lateOfFirst)).flat().length).toBeLessThan(250 * WEBHOOKS)
    })

    test('late deliveries can be claimed', async () => {
      const w = world()
      const all = await crowd(w)
      const [event] = await publishLate(w, all, 1)
      await stepAll(w)
      const claimed = await w.claimAll()
      expect(claimed.filter(({ eventId }) => eventId === event!.id)).toHaveLength(WEBHOOKS)
      expect(claimed).toHaveLength((DIRECT + 1) * WEBHOOKS)
    })

    test('late fan-out uses the webhooks enabled when the event was accepted, as they are now', async () => {
      const w = world()
      const all = await crowd(w)
      const late = await publishLate(w, all, 1)
      const [narrowed, paused, deleted] = all.webhooks
      await w.update(narrowed, { eventTypes: ['other.happened'] })
      await w.update(paused, { status: 'paused' })
      await w.remove(deleted)
      const added = await w.webhook(all.workspace)
      await stepAll(w)
      expect((await outcomes(w, all, late)).slice(0, 2)).toEqual([['pending'], ['pending']])
      expect(await w.log(deleted)).toEqual([])
      expect(await w.log(added)).toEqual([])
      const ofEvent = (await w.claimAll()).filter(({ eventId }) => eventId === late[0]!.id)
      expect(ofEvent.map(({ webhookId }) => webhookId)).toEqual([narrowed.id])
    })

    test('a webhook disabled since then gets a canceled delivery, also when it is enabled again', async () => {
      const w = world()
      const all = await crowd(w)
      const late = await publishLate(w, all, 1)
      const [off, onAgain] = all.webhooks
      w.now += 1_000
      const disabledAt = w.now
      await w.update(off, { status: 'off' })
      await w.update(onAgain, { status: 'off' })
      w.now += 1_000
      await w.update(onAgain, { status: 'on' })
      await stepAll(w)
      expect(await outcomes(w, all, late)).toEqual([['canceled'], ['canceled'], ['pending']])
      const [canceled] = await w.log(onAgain)
      expect(canceled).toMatchObject({ finishedAt: disabledAt, nextAttemptAt: null, attempts: [] })
      const again = await w.leased(await w.node(), all.workspace)
      expect(again.map(({ webhookId }) => webhookId)).toEqual([onAgain.id, all.webhooks[2].id])
    })

    test('a webhook disabled before the event and enabled again gets it', async () => {
      const w = world()
      const all = await crowd(w)
      await w.update(all.webhooks[0], { status: 'off' })
      await w.update(all.webhooks[0], { status: 'on' })
      const late = await publishLate(w, all, 1)
      await stepAll(w)
      expect(await outcomes(w, all, late)).toEqual([['pending'], ['pending'], ['pending']])
    })

    test('while its workspace is suspended a delivery is created and waits', async () => {
      const w = world()
      const all = await crowd(w)
      const late = await publishLate(w, all, 1)
      const suspend = (suspended: boolean) =>
        w.storage.suspendWorkspace({ workspaceId: all.workspace.id, suspended, now: w.now })
      await suspend(true)
      await stepAll(w)
      expect((await outcomes(w, all, late)).flat()).toHaveLength(WEBHOOKS)
      expect((await w.claim(await w.node())).deliveries).toEqual([])
      await suspend(false)
      expect((await w.claim(await w.node())).deliveries).not.toEqual([])
    })

    test('nothing is created for a deleted workspace', async () => {
      const w = world()
      const all = await crowd(w)
      await publishLate(w, all, 2)
      await w.storage.deleteWorkspace({ workspaceId: all.workspace.id, now: w.now })
      expect(await stepAll(w)).toBe(2 * WEBHOOKS)
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1_000 }))
      await w.expireAll(w.now + 1)
      expect(await w.storage.getWorkspace({ ref: all.workspace.publicId, dialects: null })).toBeNull()
    })

    test("beyond a workspace's waiting limit none of a batch is stored", async () => {
      const w = world()
      const all = await crowd(w)
      const nodeId = await w.node()
      const publish = async (count: number, maxFanout: number) => {
        const batches = [await w.events(DIRECT + count, all.workspace)]
        return (await w.storage.publish({ nodeId, batches, room: 0, keepInStore: [], maxFanout }))[0]
      }
      // The first is accepted whatever its size: otherwise it could never be published.
      expect(await publish(2, 1)).toMatchObject({ outcome: 'accepted', late: 6 })
      expect(await publish(1, 8)).toEqual({ outcome: 'fanout_full', waiting: 6 })
      expect(await publish(1, 9)).toMatchObject({ outcome: 'accepted', late: 3 })
      expect(await publish(0, 9)).toMatchObject({ outcome: 'accepted', late: 0 })
      expect(await stepAll(w)).toBe(9)
      expect(await publish(1, 3)).toMatchObject({ outcome: 'accepted', late: 3 })
    })

    test('a rejected batch does not affect the others of its call', async () => {
      const w = world()
      const [one, other] = [await crowd(w), await crowd(w)]
      await publishLate(w, one, 1)
      const batches = [await w.events(DIRECT + 1, one.workspace), await w.events(1, other.workspace)]
      const params = { nodeId: await w.node(), batches, room: 10, keepInStore: [], maxFanout: 3 }
      const results = await w.storage.publish(params)
      expect(results).toMatchObject([
        { outcome: 'fanout_full', waiting: 3 },
        { outcome: 'accepted', deliveries: WEBHOOKS, late: 0 },
      ])
      await stepAll(w)
      expect((await w.log(one.webhooks[0])).length).toBe(DIRECT + 1)
    })

    test('the feed, samples and repeats include the event before its deliveries are created', async () => {
      const w = world()
      const all = await crowd(w)
      const nodeId = await w.node()
      const events = await w.events(DIRECT + 1, all.workspace)
      const last = { ...events.at(-1)!, broughtId: 'evt_mine', fingerprint: Buffer.from('f') }
      await w.publish(nodeId, [...events.slice(0, -1), last])
      const [known] = await w.storage.latestEvents({ workspaceId: all.workspace.id, type: last.type })
      expect(known).toMatchObject({ id: last.id })
      const id = await w.storage.reserveEventIds({ count: 1 })
      const repeated = await w.publish(nodeId, [{ ...last, id }])
      expect(repeated).toMatchObject({ repeats: [{ id: last.id }], deliveries: 0, late: 0 })
      await w.settled()
      const feed = { workspaceId: all.workspace.id, eventTypes: null, after: null, limit: DIRECT + 2 }
      expect((await w.storage.listEvents(feed)).events.at(-1)).toMatchObject({ id: last.id })
    })

    test('retention keeps an event until its deliveries are created', async () => {
      const w = world()
      const all = await crowd(w)
      const [event] = await publishLate(w, all, 1)
      const find = () =>
        w.storage.getEvent({ workspaceId: all.workspace.id, broughtId: null, rowId: event!.id })
      await w.expireAll(w.now + 1)
      expect(await find()).not.toBeNull()
      expect(await stepAll(w)).toBe(WEBHOOKS)
    })

    test('the queue counts deliveries still to be created', async () => {
      const w = world()
      const all = await crowd(w)
      const count = async () => {
        let [pending, unmade] = [0, 0]
        let oldest: number | null = null
        for (let from: readonly number[] | null | undefined; from !== null; ) {
          const part = await (from === undefined
            ? w.storage.readQueue({ now: w.now })
            : w.storage.readQueueLater({ now: w.now, from }))
          pending += part.pending
          unmade += part.unmade
          oldest ??= part.oldestDueAt
          from = part.next
        }
        return { pending, unmade, oldest }
      }
      const at = w.now
      await publishLate(w, all, 2)
      w.now += 5_000
      const pending = (DIRECT + 2) * WEBHOOKS
      expect(await count()).toEqual({ pending, unmade: 6, oldest: at })
      await step(w, 4)
      expect(await count()).toEqual({ pending, unmade: 2, oldest: at })
      await stepAll(w)
      expect(await count()).toEqual({ pending, unmade: 0, oldest: at })
    })

    test('a restart continues where the last step ended', async () => {
      const w = world()
      const all = await crowd(w)
      const late = await publishLate(w, all, 3)
      await step(w, 4)
      const after = new World(await opened().reopen())
      after.now = w.now
      expect(await stepAll(after)).toBe(5)
      expect(await outcomes(after, all, late)).toEqual(Array(WEBHOOKS).fill(Array(3).fill('pending')))
    })

    test('concurrent steps create each delivery once', async () => {
      const w = world()
      const all = await crowd(w)
      const late = await publishLate(w, all, 40)
      const looked = await Promise.all(Array.from({ length: 8 }, () => step(w, 50)))
      const sum = looked.reduce((a, b) => a + b, 0)
      expect(sum + (await stepAll(w))).toBe(40 * WEBHOOKS)
      expect((await outcomes(w, all, late)).map((statuses) => statuses.length)).toEqual([40, 40, 40])
    })
  })
}
