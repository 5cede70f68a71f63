import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import type { Webhook, Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { BY, startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { TEST_STORES, type TestStore } from '../support/testStore.ts'
import { until } from '../support/until.ts'
import { type WatchedStore, watchStore } from '../support/watchedStore.ts'

const codes = ({ warnings }: TestEngine) => warnings.list().map(({ code }) => code)

describe.each(TEST_STORES)('a clock that leaps, on %s', (_, open) => {
  let clock: ManualClock
  let store: TestStore
  let watched: WatchedStore
  let service: TestEngine
  let receiver: TestReceiver
  let workspace: Workspace

  /** A node whose stop leaves the store to the next. */
  const startOn = (at: ManualClock) =>
    startTestEngine({
      clock: at,
      random: () => 0.5,
      store: { storage: watched.storage, remove: async () => {} },
    })

  beforeEach(async () => {
    clock = new ManualClock()
    store = await open(clock)
    watched = watchStore(store.storage)
    receiver = await startReceiver(500)
    service = await startOn(clock)
    workspace = await service.createWorkspace('content')
  })

  afterEach(async () => {
    await service.stop()
    await receiver.close()
    await store.storage.close()
    await store.remove()
  })

  const only = async (webhook: Webhook) => (await service.deliveriesOf(webhook))[0]!

  /** Resolves once the receiver has had this many further requests and the store knows their outcome. */
  async function attempts(count: number): Promise<void> {
    const [seen, recorded] = [receiver.requests.length, service.recorded()]
    await until(clock, `${count} requests`, () => receiver.requests.length >= seen + count)
    await until(clock, 'their records', () => service.recorded() >= recorded + count)
  }

  /** Advances the clock by minutes, one at a time, and lets the node finish its work after each. */
  async function pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      clock.advance(MINUTE_MS)
      await watched.idle()
    }
  }

  it('a retry that it delayed by days is made within minutes, and no webhook is disabled for it', async () => {
    const webhook = await service.createWebhook(workspace, receiver.url, [])
    await service.publish(workspace)
    await attempts(1)
    clock.leap(7 * DAY_MS)
    // Due at once by that clock.
    await attempts(1)
    const delivery = await only(webhook)
    expect(delivery).toMatchObject({ status: 'pending' })
    expect(delivery.nextAttemptAt! - clock.now()).toBeLessThan(HOUR_MS)
    clock.leap(-7 * DAY_MS)
    receiver.answer((response) => void response.writeHead(204).end())
    await until(clock, 'the retry to be pulled in', async () => {
      clock.advance(SECOND_MS)
      return (await only(webhook)).status === 'delivered'
    })
    const again = await service.storage.getWebhook({ workspaceId: workspace.id, publicId: webhook.publicId })
    expect(again).toMatchObject({ status: 'on', failingSince: null })
    const said = service.complaints.map(({ message }) => message).join('\n')
    expect(said).toMatch(/^The clock jumped 7 days ahead: .* Nothing is deleted until .* 1 hour/m)
    expect(said).toMatch(/^The clock jumped 7 days back: /m)
    expect(said).toMatch(/^retries were scheduled too late/m)
    expect(codes(service)).toEqual(['clock_leapt'])
  })

  it('nothing is deleted for an hour after a start 40 days ahead, then pending deliveries are canceled first', async () => {
    const webhook = await service.createWebhook(workspace, receiver.url, [])
    const paused = await service.createWebhook(workspace, receiver.url, [])
    await service.publish(workspace)
    await attempts(2)
    await service.engine.updateWebhook(workspace, paused, { paused: true }, null, BY)
    // Steady for so long that the store records it.
    await pass(70)
    await service.stop()

    receiver.answer((response) => void response.writeHead(204).end())
    clock = new ManualClock(clock.now() + 40 * DAY_MS)
    service = await startOn(clock)
    await until(
      clock,
      'the pending delivery to go out',
      async () => (await only(webhook)).status === 'delivered',
    )
    await pass(50)
    expect(await only(paused)).toMatchObject({ status: 'pending' })
    expect(await only(webhook)).toMatchObject({ status: 'delivered' })
    expect(codes(service)).toEqual(['clock_gap'])
    expect(service.complaints[0]!.message).toMatch(
      /^The clock is 40 days ahead of the last use of the store\. .* Nothing is deleted for 1 hour/,
    )

    // Its time is accepted when the grace time is over.
    await pass(12)
    await until(clock, 'retention', async () => (await only(paused)).status === 'canceled')
    expect(await only(paused)).toMatchObject({ cancelReason: 'expired' })
    expect(codes(service)).toEqual([])
    expect(service.complaints.at(-1)!.message).toMatch(/^canceled deliveries that were still pending/)
  })

  it('a restart during the grace time does not cut it short, and one after it does not begin it again', async () => {
    await pass(70)
    expect(service.engine.clock.steady).toBe(true)
    clock.leap(2 * HOUR_MS)
    expect(service.engine.clock.steady).toBe(false)
    expect(service.engine.clock.aheadMs).toBe(2 * HOUR_MS)
    await pass(30)
    await service.stop()
    service = await startOn(clock)
    expect(service.engine.clock.steady).toBe(false)
    await pass(25)
    expect(service.engine.clock.steady).toBe(false)
    await pass(10)
    expect(service.engine.clock.steady).toBe(true)
    expect(service.engine.clock.aheadMs).toBe(0)
    await service.stop()
    service = await startOn(clock)
    expect(service.engine.clock.steady).toBe(true)
    expect(codes(service)).toEqual([])
  })
})
