import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { counterOf, EVENTS_COUNTER } from '../../../src/core/stats/counters.ts'
import { deliveriesOf } from '../../../src/core/stats/summary.ts'
import { addTally, type Tally } from '../../../src/core/stats/tally.ts'
import {
  coverOf,
  KEPT_MS,
  type StatsScope,
  type StatsUnit,
  startOf,
  UNIT_MS,
} from '../../../src/core/stats/units.ts'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { LeasedRef } from '../../../src/storage/storage.ts'
import { countsOf, ended, expected, rollUpAll, statsOf } from './statsCounts.ts'
import { StatsRun, step } from './statsRun.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, HOUR_MS, type World } from './world.ts'

export function statsSuite({ world }: Subject): void {
  describe('stats', () => {
    test('an attempt counts at once, for its webhook, its workspace and everything', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 3)
      w.now += 250
      await w.record(nodeId, [w.success(refs[0]!), w.success(refs[1]!), w.failure(refs[2]!)])
      for (const read of [() => Promise.resolve(), () => rollUpAll(w)]) {
        await read()
        for (const [scope, id] of [
          ['webhook', webhook.id],
          ['workspace', workspace.id],
          ['all', 0],
        ] as const) {
          const stats = await statsOf(w, scope, id)
          expect(stats.map(({ at }) => at)).toEqual([startOf(w.now, UNIT_MS.minute)])
          expect(stats[0]!.counts.get(counterOf('delivered'))).toBe(2)
          expect(stats[0]!.counts.get(counterOf('http_status'))).toBe(1)
          expect(stats[0]!.counts.get(EVENTS_COUNTER)).toBe(scope === 'webhook' ? undefined : 3)
        }
      }
    })

    test('a lost result is not counted, whatever comes with it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [inFlight, other, failed] = await w.leased(nodeId, workspace, 3)
      const [foreign] = await w.leased(await w.node(), workspace)
      const missing = { deliveryId: 999_999, webhookId: webhook.id }
      await w.record(nodeId, [
        w.success(inFlight!, { durationMs: 700 }),
        w.success(foreign!),
        w.success(missing),
      ])
      await w.record(nodeId, [w.success(inFlight!), w.success(other!, { durationMs: 90 })])
      await w.record(nodeId, [w.success(other!), w.failure(failed!), w.failure(missing)])
      await w.record(nodeId, [w.success(foreign!)])
      expect(await countsOf(w, 'webhook', webhook.id)).toEqual(await expected(w, [webhook]))
    })

    test('a rejected batch and a repeated event are not counted', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const brought = { broughtId: 'evt_mine', fingerprint: Uint8Array.of(1) }
      await w.publish(nodeId, [await w.event(workspace, brought), await w.event(workspace)])
      await w.publish(nodeId, [await w.event(workspace, brought)])
      const other = await w.event(workspace, { ...brought, fingerprint: Uint8Array.of(2) })
      const refused = {
        nodeId,
        batches: [[await w.event(workspace), other]],
        room: 0,
        keepInStore: [],
        maxFanout: 1_000_000,
      }
      expect(await w.storage.publish(refused)).toEqual([{ outcome: 'id_conflict', event: 1 }])
      expect(await countsOf(w, 'workspace', workspace.id)).toEqual(new Map([[EVENTS_COUNTER, 2]]))
      expect(await countsOf(w, 'all', 0)).toEqual(new Map([[EVENTS_COUNTER, 2]]))
    })

    test('an event counts in the minute in which it was accepted', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const [before, after] = await w.events(2, workspace)
      await w.publish(nodeId, [{ ...before!, createdAt: w.now - 1 }, after!])
      await rollUpAll(w)
      const stats = await statsOf(w, 'workspace', workspace.id)
      expect(stats.map(({ at, counts }) => [at - w.now, counts.get(EVENTS_COUNTER)])).toEqual([
        [-60_000, 1],
        [0, 1],
      ])
    })

    test('after any calls, with rollups in between, the counts match the log', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 50, size: 'max' }), async (steps) => {
          const run = await StatsRun.start(world())
          for (const one of steps) await run.take(one)
          await run.compare()
          await run.end()
        }),
        { numRuns: 30 },
      )
    }, 120_000)

    test('a delivery that is sent again counts where it ends last', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [arrived, failed, canceled, inFlight] = await w.leased(nodeId, workspace, 4)
      const dead = { next: { status: 'dead', nextAttemptAt: null } } as const
      await w.record(nodeId, [w.success(arrived!), w.failure(failed!, dead)])
      const release = { nodeId, deliveries: [w.success(canceled!)] }
      await w.storage.releaseDeliveries(release)
      await w.update(webhook, { status: 'off' })
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 10 }))
      await w.update(webhook, { status: 'on' })
      const first = w.now
      const ends = async (from: number, to: number) => {
        const range = { unit: 'minute', stepMs: UNIT_MS.minute, from, to } as const
        const sum: Tally = new Map()
        const stats = await w.storage.readStats({ scope: 'workspace', ids: [workspace.id], ...range })
        for (const { counts } of stats) addTally(sum, counts)
        const { delivered, atFirst, failed, canceled } = deliveriesOf(sum)
        return [delivered, atFirst, failed, canceled]
      }
      const minute = (at: number) => ends(startOf(at, UNIT_MS.minute), at + 1)
      // One is canceled, but its attempt is in flight.
      expect(await minute(first)).toEqual([1, 1, 1, 1])
      w.now += HOUR_MS
      const resent = []
      for (const { deliveryId } of [arrived!, failed!, canceled!]) {
        const params = { workspaceId: workspace.id, deliveryId, limit: null, now: w.now }
        const from = ['delivered', 'dead', 'canceled'] as const
        resent.push((await w.storage.resend({ ...params, trigger: 'redeliver', from })).outcome)
      }
      expect(resent).toEqual(['accepted', 'accepted', 'accepted'])
      expect(await minute(first)).toEqual([0, 0, 0, 0])
      await w.record(nodeId, [w.failure(inFlight!)])
      expect(await minute(first)).toEqual([0, 0, 0, 1])
      const again = await w.claim(nodeId)
      const results = again.deliveries.map(({ id, webhookId, attempts }) => ({
        ref: { deliveryId: id, webhookId },
        attempt: { number: attempts + 1 },
      }))
      expect(results).toHaveLength(3)
      await w.record(
        nodeId,
        results.map(({ ref, attempt }) =>
          ref.deliveryId === arrived!.deliveryId
            ? w.failure(ref, { attempt, ...dead })
            : w.success(ref, attempt),
        ),
      )
      await rollUpAll(w)
      expect(await minute(first)).toEqual([0, 0, 0, 1])
      // The one that was canceled before its first attempt made one now.
      expect(await minute(w.now)).toEqual([2, 1, 1, 0])
      expect(deliveriesOf(await countsOf(w, 'webhook', webhook.id))).toEqual(await ended(w, [webhook]))
    })

    test('expired deliveries, and those leased to a dead node when they were canceled, count as canceled', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const [nodeId, dying] = [await w.node(), await w.node()]
      const canceledSoFar = async () => {
        const from = startOf(w.now, DAY_MS) - 50 * DAY_MS
        const days = { unit: 'day', stepMs: 100 * DAY_MS, from, to: w.now + 1 } as const
        const [sum] = await w.storage.readStats({ scope: 'webhook', ids: [webhook.id], ...days })
        return sum === undefined ? 0 : deliveriesOf(sum.counts).canceled
      }
      await w.leased(dying, workspace, 2)
      await w.update(webhook, { status: 'off' })
      await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 10 }))
      expect(await canceledSoFar()).toBe(0)
      await w.lapse(dying)
      await w.untilDone(() => w.storage.rescueDeliveries({ byNodeId: nodeId }))
      expect(await canceledSoFar()).toBe(2)
      await w.update(webhook, { status: 'on' })
      await w.waiting(nodeId, workspace, 3)
      const event = await w.event(workspace)
      await w.storage.sendTest({ event, webhookId: webhook.id, limit: null, now: w.now })
      w.now += 40 * DAY_MS
      // Expired deliveries are shown for a while.
      await w.expireAll(w.now - 30 * DAY_MS, { expiredBefore: w.now - DAY_MS, auditBefore: 0 })
      expect(await canceledSoFar()).toBe(5)
    })

    test('spans are merged as far as a read requires', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      for (let hour = 0; hour < 5; hour++) {
        await w.publish(nodeId, await w.events(1, workspace))
        if (hour === 2) await rollUpAll(w)
        w.now += HOUR_MS
      }
      const from = w.now - 5 * HOUR_MS
      const range = { scope: 'all', ids: [0], unit: 'hour', from, to: w.now } as const
      const stats = await w.storage.readStats({ ...range, stepMs: 2 * HOUR_MS })
      expect(stats.map(({ at, counts }) => [at - from, counts.get(EVENTS_COUNTER)])).toEqual([
        [0, 2],
        [2 * HOUR_MS, 2],
        [4 * HOUR_MS, 1],
      ])
    })

    test('the hours of webhooks have only their deliveries, attempts and response times', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhooks = [await w.webhook(workspace), await w.webhook(workspace)]
      const nodeId = await w.node()
      const from = startOf(w.now, HOUR_MS)
      for (let hour = 0; hour < 3; hour++) {
        const refs = await w.leased(nodeId, workspace)
        await w.record(
          nodeId,
          refs.map((ref, at) => (at === 0 && hour > 0 ? w.failure(ref) : w.success(ref))),
        )
        if (hour === 1) await rollUpAll(w)
        w.now += HOUR_MS
      }
      const hours = (ids: number[], after: number) =>
        w.storage.webhookHours({ webhookIds: ids, from: from + after, to: w.now })
      const row = (hour: number, succeeded: number, failed: number) => ({
        at: from + hour * HOUR_MS,
        succeeded,
        failed,
        deliveries: { delivered: succeeded, atFirst: succeeded, failed: 0, canceled: 0 },
      })
      const took = { p50: expect.closeTo(12, 0), p95: expect.closeTo(12, 0), p99: expect.closeTo(12, 0) }
      const [first, second] = webhooks as [Webhook, Webhook]
      expect(await hours([first.id, second.id], HOUR_MS)).toEqual([
        { webhookId: first.id, responseMs: took, hours: [row(1, 0, 1), row(2, 0, 1)] },
        { webhookId: second.id, responseMs: took, hours: [row(1, 1, 0), row(2, 1, 0)] },
      ])
      expect(await hours([second.id], 2 * HOUR_MS)).toMatchObject([{ hours: [row(2, 1, 0)] }])
      expect(await hours([second.id], 3 * HOUR_MS)).toEqual([
        { webhookId: second.id, responseMs: null, hours: [] },
      ])
      expect(await hours([], 0)).toEqual([])
    })

    test('webhooks and workspaces are ranked over a period, part by part', async () => {
      const w = world()
      const nodeId = await w.node()
      const before = w.now
      const made: { id: number; workspaceId: number; failed: number; attempts: number }[] = []
      for (let at = 0; at < 40; at++) {
        const workspace = await w.workspace()
        for (let n = 0; n < 15; n++) await w.webhook(workspace)
        const refs = await w.leased(nodeId, workspace, at % 7)
        const failing = (ref: LeasedRef) => (ref.deliveryId + at) % 3 === 0
        await w.record(
          nodeId,
          refs.map((ref) => (failing(ref) ? w.failure(ref) : w.success(ref))),
        )
        for (const id of new Set(refs.map(({ webhookId }) => webhookId))) {
          const mine = refs.filter(({ webhookId }) => webhookId === id)
          made.push({
            id,
            workspaceId: workspace.id,
            failed: mine.filter(failing).length,
            attempts: mine.length,
          })
        }
        if (at === 20) w.now += DAY_MS
      }
      await rollUpAll(w)
      const cover = coverOf(startOf(before, HOUR_MS), w.now + 1, 'hour')
      const ranked = await rankAll(w, { scope: 'webhook', by: 'failed', cover, limit: 5 })
      const most = made.filter(({ failed }) => failed > 0).sort((a, b) => b.failed - a.failed || a.id - b.id)
      expect(ranked.slice(0, 5)).toEqual(
        most.slice(0, 5).map(({ id, failed, attempts }) => {
          const delivered = attempts - failed
          const deliveries = { delivered, atFirst: delivered, failed: 0, canceled: 0 }
          return { id, failed, attempts, events: 0, deliveries }
        }),
      )
      const workspaces = await rankAll(w, { scope: 'workspace', by: 'events', cover, limit: 100 })
      expect(workspaces.map(({ events }) => events)).toEqual(
        Array.from({ length: 40 }, (_, at) => at % 7)
          .filter((events) => events > 0)
          .sort()
          .reverse(),
      )
      const today = coverOf(startOf(w.now, HOUR_MS), w.now + 1, 'minute')
      const later = await rankAll(w, { scope: 'workspace', by: 'attempts', cover: today, limit: 100 })
      expect(later.reduce((sum, { events }) => sum + events, 0)).toBe(
        Array.from({ length: 40 }, (_, at) => (at > 20 ? at % 7 : 0)).reduce((sum, n) => sum + n),
      )
    })

    test('exactly the old rows are deleted', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      await w.record(nodeId, [w.success(ref!)])
      await w.storage.keepQueueSample({ at: w.now, pending: 1, due: 0, oldestDueAt: null })
      await rollUpAll(w)
      const madeAt = w.now
      const scopes = { webhook: webhook.id, workspace: workspace.id, all: 0 }
      const units = (scope: StatsScope) => Object.entries(KEPT_MS[scope]) as [StatsUnit, number][]
      const ages = (['webhook', 'workspace', 'all'] as const).flatMap((scope) =>
        units(scope).map(([unit, keptMs]) => ({ scope, unit, keptMs })),
      )
      for (const age of [0, 4 * HOUR_MS, 9 * DAY_MS, 40 * DAY_MS]) {
        w.now = madeAt + age
        await w.untilDone(() => w.expire(0, { auditBefore: 0, idempotencyBefore: 0, limit: 2 }))
        for (const { scope, unit, keptMs } of ages) {
          const at = startOf(madeAt, UNIT_MS[unit])
          const range = { unit, stepMs: UNIT_MS[unit], from: at, to: at + UNIT_MS[unit] }
          const stats = await w.storage.readStats({ scope, ids: [scopes[scope]], ...range })
          expect([scope, unit, age, stats.length]).toEqual([scope, unit, age, age < keptMs ? 1 : 0])
        }
      }
      expect(await w.storage.queuePeaks({ from: 0, to: w.now, stepMs: DAY_MS })).toEqual([])
    })
  })
}

async function rankAll(w: World, ranking: Omit<Parameters<World['storage']['rankStats']>[0], 'from'>) {
  const { by, limit } = ranking
  const all = []
  for (let from: number | null = 0; from !== null; ) {
    const part: Awaited<ReturnType<World['storage']['rankStats']>> = await w.storage.rankStats({
      ...ranking,
      from,
    })
    expect(part.ranked.length).toBeLessThanOrEqual(limit)
    all.push(...part.ranked)
    from = part.next
  }
  return all.sort((one, other) => other[by] - one[by] || one.id - other.id)
}
