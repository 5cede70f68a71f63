import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import {
  ask,
  attempt,
  end,
  filterOf,
  finish,
  read,
  recover,
  type Started,
  start,
  step,
} from './recoveryTools.ts'
import { countAll } from './replayTools.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, STRICT } from './world.ts'

export function recoverySuite({ world }: Subject): void {
  describe('recoveries', () => {
    test('restart failed and canceled deliveries, the oldest first, and count their results', async () => {
      const of = await start(world())
      const { w, webhook, nodeId } = of
      await w.waiting(nodeId, of.workspace, 1)
      const [canceled] = (await w.log(webhook)).map(({ id }) => id)
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      w.now += 10
      const failed = await end(of, 'failed', ['a', 'b'])
      w.now += 10
      const recovery = await recover(of)
      await finish(of)
      expect(await read(of, recovery)).toMatchObject({
        trigger: 'recover',
        total: 3,
        replayed: 3,
        delivered: 0,
        failed: 0,
        finishedAt: w.now,
        doneAt: null,
      })
      const { deliveries } = await w.claim(nodeId, { limit: 1 })
      expect(deliveries).toMatchObject([{ trigger: 'recover', replayId: recovery.id, retryNumber: null }])
      const [first] = deliveries
      const ref = { deliveryId: first!.id, webhookId: webhook.id }
      const named = { number: first!.attempts + 1, trigger: 'recover' as const }
      await w.record(nodeId, [{ ...w.success(ref, named), replayId: recovery.id }])
      expect(await read(of, recovery)).toMatchObject({ delivered: 1, failed: 0, doneAt: null })
      w.now += 1
      const others = await attempt(of, false)
      expect([first!.id, ...others].sort()).toEqual([canceled, ...failed].sort())
      expect(await read(of, recovery)).toMatchObject({ delivered: 1, failed: 2, doneAt: w.now })
    })

    test('create deliveries of missed events on request, each once, however often they are requested', async () => {
      const of = await start(world())
      const { w, workspace, webhook, nodeId } = of
      const other = await w.webhook(workspace)
      const failed = await end({ ...of, webhook }, 'failed', ['a'])
      await w.update(webhook, { status: 'paused' })
      const events = await Promise.all(['a', 'b', 'c'].map((type) => w.event(workspace, { type })))
      const { leased } = await w.publish(nodeId, events)
      await w.record(
        nodeId,
        leased.map((ref) => w.success(ref)),
      )
      w.now += 10
      await w.update(webhook, { status: 'on' })
      const asked = { missed: true, eventTypes: ['a', 'c'], total: 3 }
      const recovery = await recover(of, asked)
      for (let looked = 1; looked > 0; ) looked = (await step(of, 2)).looked
      expect(await read(of, recovery)).toMatchObject({
        replayed: 3,
        total: 3,
        finishedAt: w.now,
        doneAt: null,
      })
      const sent = await attempt(of, true)
      expect(sent).toEqual(expect.arrayContaining(failed.slice(0, 1)))
      expect(sent).toHaveLength(3)
      expect(await read(of, recovery)).toMatchObject({ delivered: 3, failed: 0, doneAt: w.now })
      const log = await w.log(webhook)
      expect(log).toHaveLength(3)
      expect(log.map(({ eventId }) => eventId)).toEqual(
        expect.arrayContaining([events[0]!.id, events[2]!.id]),
      )
      const again = await recover(of, asked)
      await finish(of)
      expect(await read(of, again)).toMatchObject({ replayed: 0, doneAt: w.now })
      expect(await w.log(webhook)).toHaveLength(3)
      expect(await w.log(other)).toHaveLength(4)
      const { id: webhookId, workspaceId } = webhook
      const span = { from: null, to: null }
      const counted = await w.storage.countMissed({ workspaceId, webhookId, eventTypes: [], ...span })
      expect(counted.types).toEqual([{ type: 'b', count: 1 }])
    })

    test('show later deliveries among those of an event, which stays as long as they do', async () => {
      const of = await start(world())
      const { w, workspace, webhook, nodeId } = of
      await w.update(webhook, { status: 'paused' })
      const event = await w.event(workspace)
      await w.publish(nodeId, [event])
      await w.update(webhook, { status: 'on' })
      await recover(of, { missed: true, total: 1 })
      await finish(of)
      const position = { id: event.id, createdAt: event.createdAt }
      const search = {
        ...{ workspaceId: workspace.id, eventTypes: null, text: null, event: position },
        ...{ from: null, to: null, limit: 10, before: null },
      }
      const found = await w.storage.searchEvents(search)
      expect(found.counts).toMatchObject([{ pending: 1, delivered: 0 }])
      await attempt(of, true)
      w.now += 3 * DAY_MS
      await w.expireAll(w.now - DAY_MS)
      expect(await w.log(webhook)).toEqual([])
      expect((await w.storage.searchEvents(search)).events).toEqual([])
    })

    test('skip tests, other types, other times, and deliveries in another final state', async () => {
      const of = await start(world())
      const { w, workspace, webhook, nodeId } = of
      const event = await w.event(workspace, { type: 'a' })
      await w.storage.sendTest({ event, webhookId: webhook.id, limit: null, now: w.now })
      const { deliveries } = await w.claim(nodeId)
      const ref = { deliveryId: deliveries[0]!.id, webhookId: webhook.id }
      const next = { status: 'failed' as const, nextAttemptAt: null }
      await w.record(nodeId, [w.failure(ref, { attempt: { trigger: 'test' }, next, signal: 'none' })])
      await end(of, 'failed', ['a'])
      w.now += 10
      const since = w.now
      const [wanted] = await end(of, 'failed', ['a', 'b'])
      await end(of, 'dead', ['a'])
      const until = w.now + 1
      w.now += 10
      await end(of, 'failed', ['a'])
      const span = { from: since, to: until, eventTypes: ['a'] }
      expect(await countAll(w, { ...filterOf(of), ...span })).toBe(1)
      const recovery = await recover(of, span)
      await finish(of)
      expect(await attempt(of, true)).toEqual([wanted])
      expect(await read(of, recovery)).toMatchObject({ total: 1, delivered: 1, doneAt: w.now })
    })

    test('each delivery is sent once, however often it is requested', async () => {
      const of = await start(world())
      await end(of, 'failed', ['a', 'b', 'c'])
      const asked = await Promise.all(Array.from({ length: 5 }, () => recover(of)))
      await finish(of)
      expect(await attempt(of, false)).toHaveLength(3)
      await finish(of)
      expect(await attempt(of, true)).toEqual([])
      const ends = await Promise.all(asked.map((one) => read(of, one)))
      expect(ends.map(({ replayed }) => replayed).sort()).toEqual([0, 0, 0, 0, 3])
      for (const { total, replayed, doneAt } of ends) expect([total, doneAt]).toEqual([replayed, of.w.now])
    })

    test.each([
      ['paused', async ({ w, webhook }: Started) => void (await w.update(webhook, { status: 'paused' }))],
      ['off', async ({ w, webhook }: Started) => void (await w.update(webhook, { status: 'off' }))],
      ['deleted', async ({ w, webhook }: Started) => void (await w.remove(webhook))],
      [
        'of a suspended workspace',
        async ({ w, workspace: { id: workspaceId } }: Started) =>
          void (await w.storage.suspendWorkspace({ workspaceId, suspended: true, now: w.now })),
      ],
      [
        'disabled by a 410',
        async ({ w, workspace, nodeId }: Started) => {
          const { leased } = await w.publish(nodeId, [await w.event(workspace)])
          const gone = { signal: 'gone', next: { status: 'failed', nextAttemptAt: null } } as const
          await w.record(
            nodeId,
            leased.map((ref) => w.failure(ref, gone)),
            STRICT,
          )
        },
      ],
    ])('are canceled once the webhook is %s', async (_, turn) => {
      const of = await start(world())
      const { w } = of
      await end(of, 'failed', ['a', 'b', 'c'])
      const recovery = await recover(of)
      await step(of, 2)
      w.now += 5
      await turn(of)
      await finish(of)
      expect(await read(of, recovery)).toMatchObject({
        replayed: 2,
        finishedAt: w.now,
        doneAt: null,
        canceledAt: w.now,
      })
    })

    test('an ended one stays unchanged, whatever happens to the webhook', async () => {
      const of = await start(world())
      await end(of, 'failed', ['a'])
      const recovery = await recover(of)
      await finish(of)
      await attempt(of, true)
      const before = await read(of, recovery)
      await of.w.update(of.webhook, { status: 'paused' })
      const params = { workspaceId: of.workspace.id, publicId: recovery.publicId, now: of.w.now + 9 }
      expect(await of.w.storage.cancelReplay(params)).toEqual({ replay: before, changed: false })
      expect(await read(of, recovery)).toEqual(before)
    })

    test('can be canceled: restarted deliveries continue, and no more are started', async () => {
      const of = await start(world())
      const { w, workspace } = of
      await end(of, 'failed', ['a', 'b', 'c'])
      const { publicId } = await recover(of)
      await step(of, 2)
      w.now += 5
      const params = { workspaceId: workspace.id, publicId, now: w.now }
      expect(await w.storage.cancelReplay(params)).toMatchObject({
        changed: true,
        replay: { replayed: 2, canceledAt: w.now, finishedAt: w.now, doneAt: null },
      })
      await finish(of)
      expect(await attempt(of, true)).toHaveLength(2)
      expect(await w.storage.getReplay(params)).toMatchObject({ delivered: 2, doneAt: null })
      expect(await w.storage.cancelReplay({ ...params, publicId: 'rpl_none' })).toBeNull()
    })

    test('are rejected for a webhook that is not enabled or missing, and count as one manual send', async () => {
      const of = await start(world())
      const { w, webhook } = of
      const limit = { max: 1, windowMs: 60_000 }
      expect(await ask(of, { webhookId: 12_345 })).toEqual({ outcome: 'not_found' })
      await w.update(webhook, { status: 'paused' })
      expect(await ask(of)).toEqual({ outcome: 'webhook_not_on', status: 'paused' })
      await w.update(webhook, { status: 'on' })
      const asked = { limit }
      expect(await ask(of, asked)).toMatchObject({ outcome: 'created', limit: { remaining: 0 } })
      expect(await ask(of, asked)).toMatchObject({ outcome: 'rate_limited' })
    })

    test('the latest of a webhook is known, ended or not', async () => {
      const of = await start(world())
      const { w, workspace, webhook } = of
      const other = await w.webhook(workspace)
      const latest = ({ id: webhookId }: Webhook) => w.storage.latestRecovery({ webhookId })
      expect(await latest(webhook)).toBeNull()
      const { publicId } = await recover(of)
      await recover(of, { webhookId: other.id })
      expect(await latest(webhook)).toBe(publicId)
      const second = await recover(of)
      await finish(of)
      expect(await latest(webhook)).toBe(second.publicId)
      expect(await latest(other)).not.toBe(second.publicId)
    })

    test('a resent test stays a test', async () => {
      const of = await start(world())
      const { w, workspace, webhook, nodeId } = of
      const event = await w.event(workspace, { type: 'a' })
      await w.storage.sendTest({ event, webhookId: webhook.id, limit: null, now: w.now })
      const [id] = await attempt(of, true)
      const resent = {
        workspaceId: workspace.id,
        deliveryId: id!,
        trigger: 'redeliver' as const,
        limit: null,
      }
      await w.storage.resend({ ...resent, from: ['delivered'], now: w.now })
      expect((await w.claim(nodeId)).deliveries).toMatchObject([{ id, trigger: 'test', runStart: 1 }])
    })
  })
}
