import { describe, expect, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { claimRoom } from '../../src/engine/schedule/admission.ts'
import { Claimer } from '../../src/engine/schedule/claimer.ts'
import { Lanes } from '../../src/engine/schedule/lanes.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import type { LeasedDelivery, WebhookRef } from '../../src/storage/rows.ts'
import { VirtualClock } from '../simulation/clock/virtualClock.ts'
import { delivery } from '../support/deliveries.ts'
import { recordedLog, settled, storageOf } from './fakes.ts'

const STORE_MS = 1
const IN_FLIGHT_EACH = 10

type Params = Parameters<StorageCalls['claimDue']>[0]

/** Webhooks from here on belong to another workspace. */
const OF_ANOTHER = 1_000

const one = (webhookId: number) => delivery({ id: 1, webhookId, workspaceId: webhookId < OF_ANOTHER ? 1 : 2 })
const refOf = (webhookId: number): WebhookRef => {
  const { workspaceId } = one(webhookId)
  return { webhookId, workspaceId }
}

/** Takes the due deliveries that a claim may have, by webhook, in ascending order. */
function claimFrom(due: Map<number, number>, params: Params): Awaited<ReturnType<StorageCalls['claimDue']>> {
  const { afterWebhookId, except, exceptWorkspaces, limit, perWebhook } = params
  const deliveries: LeasedDelivery[] = []
  const more: WebhookRef[] = []
  for (const [id, waiting] of due) {
    if (id <= afterWebhookId || except.includes(id)) continue
    const isLeftOut = exceptWorkspaces.includes(refOf(id).workspaceId)
    const count = isLeftOut ? 0 : Math.min(waiting, perWebhook, limit - deliveries.length)
    deliveries.push(...Array.from({ length: count }, () => one(id)))
    due.set(id, waiting - count)
    if (waiting > count) more.push(refOf(id))
    if (deliveries.length === limit)
      return { deliveries, more, elsewhere: [], nextAfterWebhookId: id, nextDueAt: null }
  }
  return { deliveries, more, elsewhere: [], nextAfterWebhookId: 0, nextDueAt: null }
}

/** Claims into real lanes, over a store that only counts due deliveries, and with slow receivers. */
function setUp(
  webhooks: Readonly<Record<number, { readonly answersAfterMs: number; readonly inStore?: number }>>,
) {
  const clock = new VirtualClock(0)
  const due = new Map(Object.entries(webhooks).map(([id, { inStore = 0 }]) => [Number(id), inStore]))
  const sent = new Map([...due.keys()].map((id) => [id, 0]))
  let claims = 0
  const limits = { maxInFlight: 512, maxInFlightPerWebhook: IN_FLIGHT_EACH }
  const lanes = new Lanes({ limits, hangMs: () => 10_000, clock })
  const claimDue: StorageCalls['claimDue'] = (params) =>
    new Promise((resolve) => {
      clock.after(STORE_MS, () => {
        claims++
        resolve(claimFrom(due, params))
      })
    })
  const common = { clock, failureLog: new FailureLog(clock, recordedLog()), lanes }
  const lease = { nodeId: 1, valid: true }
  const putBack = (webhookId: number) => due.set(webhookId, due.get(webhookId)! + 1)
  const releaser = {
    add: (deliveries: readonly LeasedDelivery[]) => {
      for (const { webhookId } of deliveries) putBack(webhookId)
    },
  }
  const claimer = new Claimer({ ...common, storage: storageOf({ claimDue }), releaser, lease })
  lanes.onReady(pump)

  function pump(): void {
    for (let lane = lanes.next(); lane !== null; lane = lanes.next()) {
      const sending = lane
      const { webhookId } = lanes.take(sending)
      const ms = webhooks[webhookId]!.answersAfterMs
      claimer.roomFreed(sending)
      if (ms > 1_000) clock.after(1_000, () => lanes.markSlow(sending))
      clock.after(ms, () => {
        sent.set(webhookId, sent.get(webhookId)! + 1)
        lanes.finished(sending, ms < 1_000)
        pump()
      })
    }
  }
  function publish(webhookId: number): void {
    const stays = lanes.of(refOf(webhookId)).keptInStore
    if (stays) putBack(webhookId)
    clock.after(STORE_MS, () => {
      if (stays) claimer.noteBacklog([refOf(webhookId)])
      else releaser.add(lanes.add([one(webhookId)], 'publish'))
    })
  }
  /** Publishes this many deliveries a second, endlessly. */
  function publishTo(webhookId: number, perSecond: number): void {
    clock.after(1_000 / perSecond, () => {
      publish(webhookId)
      publishTo(webhookId, perSecond)
    })
  }
  const prove = (webhookId: number) => {
    lanes.of(refOf(webhookId)).speed = 'fast'
  }
  const run = async (ms: number) => {
    const end = clock.now() + ms
    while (clock.jump(end)) await settled()
  }
  const counts = () => ({ sent: new Map(sent), claims })
  return { claimer, lanes, due, prove, publish, publishTo, run, counts }
}

describe('a webhook that gets more than its receiver accepts', () => {
  test('has its share of the memory, and another one with a backlog is delivered as fast as its receiver accepts it', async () => {
    const it = setUp({ 1: { answersAfterMs: 100 }, 2: { answersAfterMs: 10, inStore: 100_000 } })
    it.prove(1)
    it.prove(2)
    it.claimer.start()
    it.publishTo(1, 500)
    await it.run(10_000)
    const before = it.counts()
    await it.run(5_000)
    const after = it.counts()
    expect(it.lanes.find(1)!.weight).toBeLessThanOrEqual(2_600)
    expect(claimRoom(it.lanes.memory.totals, 'fast')).toBeGreaterThan(10_000)
    // Ten slots, 10 ms each.
    expect(after.sent.get(2)! - before.sent.get(2)!).toBeGreaterThan(4_800)
    expect(after.claims - before.claims).toBeLessThan(5 * 20)
  })

  test('has its retries claimed while many later deliveries wait in memory', async () => {
    const it = setUp({ 1: { answersAfterMs: 100 } })
    it.prove(1)
    it.claimer.start()
    for (let i = 0; i < 1_500; i++) it.publish(1)
    it.publishTo(1, 100)
    await it.run(3_000)
    expect(it.lanes.find(1)!.weight).toBeGreaterThan(1_000)
    it.due.set(1, 3)
    it.claimer.wake()
    await it.run(1_000)
    expect(it.due.get(1)).toBe(0)
  })
})

test('a hanging receiver makes no more work for the store when more is published for it', async () => {
  const it = setUp({ 1: { answersAfterMs: 10_000 } })
  it.claimer.start()
  it.publishTo(1, 500)
  await it.run(15_000)
  const before = it.counts().claims
  await it.run(5_000)
  expect(it.counts().claims - before).toBeLessThan(5 * 20)
})

test('a workspace with a thousand full webhooks leaves room for another one, and its webhook catches up', async () => {
  const greedy = Array.from({ length: OF_ANOTHER - 1 }, (_, i) => i + 1)
  const webhooks = Object.fromEntries(greedy.map((id) => [id, { answersAfterMs: 50, inStore: 1_000 }]))
  const it = setUp({ ...webhooks, [OF_ANOTHER]: { answersAfterMs: 10, inStore: 200 } })
  for (const id of [...greedy, OF_ANOTHER]) it.prove(id)
  it.claimer.start()
  it.publishTo(OF_ANOTHER, 100)
  await it.run(2_000)
  expect(it.lanes.find(1)!.workspace.memory.fast).toBeGreaterThan(4_000)
  expect(claimRoom(it.lanes.memory.totals, 'fast')).toBeGreaterThan(4_000)
  expect(it.lanes.find(OF_ANOTHER)!.hasBacklog).toBe(false)
  const before = it.counts()
  await it.run(1_000)
  const after = it.counts()
  expect(after.sent.get(OF_ANOTHER)! - before.sent.get(OF_ANOTHER)!).toBeGreaterThanOrEqual(98)
  expect(after.claims - before.claims).toBeLessThan(200)
})
