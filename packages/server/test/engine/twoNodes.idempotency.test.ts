import { afterEach, beforeEach, expect, it } from 'vitest'
import { typeOf } from '../../src/core/catalog.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import type { By } from '../../src/engine/engine.ts'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'
import type { Workspace } from '../../src/storage/rows.ts'
import { World } from '../storage/conformance/world.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { BY, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'
import { TwoEngines } from './twoEngines.ts'

const TEST = typeOf(contentService().catalog, 'webhook.test')!

const TYPE = 'version.approved'

let clock: ManualClock
let nodes: TwoEngines
let receiver: TestReceiver
let workspace: Workspace

beforeEach(async () => {
  clock = new ManualClock()
  // One failed attempt finishes a delivery.
  const dialects = [contentService({ waitsMs: [] }), adsService({ waitsMs: [], timeoutMs: 5 * SECOND_MS })]
  nodes = await TwoEngines.start(clock, { dialects })
  receiver = await startReceiver(204)
  workspace = await nodes.near.createWorkspace('content')
})

afterEach(async () => {
  await receiver.close()
  await nodes.stop()
})

/** Calls both nodes in turn, concurrently. */
const byTurns = <Result>(times: number, ask: (node: TestEngine) => Promise<Result>) =>
  Promise.all(Array.from({ length: times }, (_, i) => ask(nodes.both[i % 2]!)))
const records = (count: number) => until(clock, `record ${count}`, () => nodes.recorded() >= count)
const idsReceived = (header: string) => receiver.requests.map(({ headers }) => headers[header])

function count(outcomes: readonly { readonly outcome: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** An idempotency key for the next request. */
const idempotencyOf = (key: string): By['idempotency'] => ({
  scope: 'usr_owner',
  key,
  fingerprint: Uint8Array.of(1),
  since: clock.now() - DAY_MS,
})

it('tests and redeliveries on several nodes share ten a minute in a workspace', async () => {
  const webhook = await nodes.near.createWebhook(workspace, receiver.url, [TYPE])
  const tests = await byTurns(24, ({ engine }) => engine.sendTest(workspace, webhook, TEST, BY))
  expect(count(tests)).toEqual({ accepted: 10, rate_limited: 14 })
  await records(10)
  const [one, other] = await nodes.near.deliveriesOf(webhook)
  const again = await byTurns(2, ({ engine }) => engine.redeliver(workspace, one!, BY))
  expect(count(again)).toEqual({ rate_limited: 2 })
  clock.advance(MINUTE_MS)
  const left = { near: { remaining: 9 }, far: { remaining: 8 } }
  expect(await nodes.near.engine.redeliver(workspace, one!, BY)).toMatchObject({ limit: left.near })
  expect(await nodes.far.engine.redeliver(workspace, other!, BY)).toMatchObject({ limit: left.far })
  await records(12)
  expect(receiver.requests).toHaveLength(12)
})

it('a workspace never has more webhooks than its limit, whichever nodes create them', async () => {
  const createdBy = { type: 'member', publicId: 'usr_owner' } as const
  const input = { workspace, url: receiver.url, eventTypes: [TYPE], createdBy }
  const made = await byTurns(24, ({ engine }) => engine.createWebhook(input, BY))
  expect(count(made)).toEqual({ created: 20, limit_reached: 4 })
})

it('requests to several nodes with one idempotency key are executed once, with the same answers', async () => {
  const createdBy = { type: 'member', publicId: 'usr_owner' } as const
  const input = { workspace, url: receiver.url, eventTypes: [TYPE], createdBy }
  const by = { ...BY, idempotency: idempotencyOf('a webhook') }
  const made = await byTurns(8, ({ engine }) => engine.createWebhook(input, by))
  const answers = made.map((one) => one.outcome === 'created' && [one.webhook.publicId, one.shown])
  expect(answers).toEqual(Array(8).fill(answers[0]))
  expect(answers[0]).toEqual([
    expect.any(String),
    { secret: expect.any(String), publicKey: null, omitted: null },
  ])
  expect(await nodes.store.values('SELECT count(*)::int FROM webhooks')).toEqual([1])

  const compose = (id: string) => JSON.stringify({ id })
  const event = { type: TYPE, broughtId: null, fingerprint: null, compose }
  const published = await byTurns(8, ({ engine }) =>
    engine.publish(workspace, [event], idempotencyOf('an event')),
  )
  const ids = published.map((one) => one.outcome === 'accepted' && one.events[0]!.id)
  expect(ids).toEqual(Array(8).fill(ids[0]))
  await records(1)
  await nodes.idle()
  expect(idsReceived('webhook-id')).toEqual([ids[0]])
})

it('deliveries leased to a node that fell silent are taken over and sent once', async () => {
  await nodes.near.createWebhook(workspace, receiver.url, [TYPE])
  const silent = new World(nodes.store.nodes[0])
  const nodeId = await silent.node()
  for (let batch = 0; batch < 12; batch++) {
    const event = { type: TYPE, createdAt: clock.now() }
    await silent.publish(nodeId, await silent.events(25, workspace, event))
  }
  await silent.lapse(nodeId)
  clock.advance(10 * SECOND_MS)
  await records(300)
  await nodes.idle()
  expect(new Set(idsReceived('webhook-id')).size).toBe(300)
  expect(receiver.requests).toHaveLength(300)
  const found = await nodes.store.values('SELECT DISTINCT status || attempts FROM deliveries')
  expect(found).toEqual(['delivered1'])
  const rescued = nodes.both.flatMap(({ complaints }) =>
    complaints
      .filter(
        ({ message }) =>
          message === 'took over deliveries of a process that stopped responding or was killed',
      )
      .map(({ fields }) => (fields as { deliveries: number }).deliveries),
  )
  expect(rescued.reduce((sum, deliveries) => sum + deliveries, 0)).toBe(300)
})

it('replays run by several nodes send each dead delivery once', async () => {
  const ads = await nodes.near.createWorkspace('ads')
  const webhook = await nodes.near.createWebhook(ads, receiver.url, [])
  receiver.answer((response) => response.writeHead(500).end())
  const batch = Array.from({ length: 600 }, () => ({
    type: 'report.ready.v1',
    broughtId: null,
    fingerprint: null,
    compose: (id: string) => JSON.stringify({ id }),
  }))
  await byTurns(2, ({ engine }) => engine.publish(ads, [...batch], null))
  await records(1200)
  receiver.answer((response) => response.writeHead(204).end())
  const filter = {
    trigger: 'replay',
    webhookId: webhook.id,
    webhookPublicId: webhook.publicId,
    statuses: ['dead'],
    eventTypes: [],
    from: null,
    to: null,
  } as const
  const replays = await byTurns(4, ({ engine }) => engine.startReplay(ads, filter, 10_000, BY))
  await records(2400)
  await nodes.idle()
  const delivered = `SELECT count(*)::int FROM deliveries WHERE status = 'delivered' AND attempts = 2`
  expect(await nodes.store.values(delivered)).toEqual([1200])
  expect(receiver.requests).toHaveLength(2400)
  const finished = 'SELECT count(*)::int FROM replays WHERE finished_at IS NOT NULL'
  await until(
    clock,
    'the replays to end',
    async () => (await nodes.store.values(finished))[0] === replays.length,
  )
  expect(await nodes.store.values('SELECT sum(replayed)::int FROM replays')).toEqual([1200])
})

it('expired data is deleted, and nodes that delete concurrently do not disturb each other', async () => {
  await nodes.near.createWebhook(workspace, receiver.url, [TYPE])
  for (let day = 1; day <= 3; day++) {
    await Promise.all(nodes.both.map((node) => node.publish(workspace)))
    await records(2 * day)
    clock.advance(DAY_MS)
  }
  const untilLeft = (events: number) =>
    until(clock, `no more than ${events} events to be left`, async () => {
      // Retention comes every hour.
      clock.advance(10 * MINUTE_MS)
      const [left] = await nodes.store.values('SELECT count(*)::int FROM events')
      return (left as number) <= events
    })
  clock.advance(28 * DAY_MS)
  await untilLeft(4)
  await untilLeft(2)
  await untilLeft(0)
  expect(await nodes.store.values('SELECT count(*)::int FROM attempts')).toEqual([0])
  expect(nodes.both.flatMap(({ complaints }) => complaints)).toEqual([])
})
