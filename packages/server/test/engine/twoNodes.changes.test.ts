import type { ServerResponse } from 'node:http'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Webhook, Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { BY } from '../support/testEngine.ts'
import { until } from '../support/until.ts'
import { TwoEngines } from './twoEngines.ts'

const TYPE = 'version.approved'

let clock: ManualClock
let nodes: TwoEngines
let receiver: TestReceiver
let workspace: Workspace
let webhook: Webhook & { secret: string }
let held: ServerResponse[]

/** One request is in flight, and the far node has two more deliveries in memory. */
beforeEach(async () => {
  // Verifying libraries use the real time.
  clock = new ManualClock(Date.now())
  nodes = await TwoEngines.start(clock, { limits: { maxInFlight: 8, maxInFlightPerWebhook: 1 } })
  receiver = await startReceiver()
  held = []
  receiver.answer((response) => void held.push(response))
  workspace = await nodes.near.createWorkspace('content')
  webhook = await nodes.near.createWebhook(workspace, receiver.url, [TYPE])
  for (let i = 0; i < 3; i++) await nodes.far.publish(workspace)
  await until(clock, 'the first request', () => receiver.requests.length === 1)
})

afterEach(async () => {
  // A stop waits for attempts in flight, and these clocks stand still.
  await receiver.close()
  await nodes.stop()
})

/** Answers the request in flight, and all later ones at once. */
function answerAll(status = 204): void {
  receiver.answer((response) => void response.writeHead(status).end())
  for (const response of held.splice(0)) response.writeHead(status).end()
}

const statuses = async () => (await nodes.near.deliveriesOf(webhook)).map(({ status }) => status)
const update = (changes: object) => nodes.near.engine.updateWebhook(workspace, webhook, changes, null, BY)
const records = (count: number) => until(clock, `record ${count}`, () => nodes.recorded() >= count)

it('a webhook that one node disables gets none of the deliveries of the other, and no later event', async () => {
  await update({ enabled: false })
  await nodes.far.publish(workspace)
  await nodes.heard()
  answerAll()
  await records(1)
  await nodes.idle()
  expect(await statuses()).toEqual(['canceled', 'canceled', 'delivered'])
  expect(receiver.requests).toHaveLength(1)

  await update({ enabled: true })
  await nodes.far.publish(workspace)
  await records(2)
  expect(await statuses()).toEqual(['delivered', 'canceled', 'canceled', 'delivered'])
})

it.each([
  ['paused', (on: boolean) => update({ paused: !on })],
  ['in a suspended workspace', (on: boolean) => nodes.near.engine.suspendWorkspace(workspace, !on, BY)],
])(
  "a webhook that is %s by one node gets none of the other's deliveries until it continues",
  async (_, set) => {
    await set(false)
    await nodes.far.publish(workspace)
    await nodes.heard()
    answerAll()
    await records(1)
    await nodes.idle()
    expect(await statuses()).toEqual(['pending', 'pending', 'delivered'])
    expect(receiver.requests).toHaveLength(1)

    await set(true)
    // Later deliveries must go through the other one, except those that this one has started before it stops.
    await nodes.near.engine.stop()
    await until(clock, 'the rest', () => nodes.recorded() === 3)
    expect((await nodes.far.deliveriesOf(webhook)).map(({ status }) => status)).toEqual(
      Array(3).fill('delivered'),
    )
  },
)

it.each([
  ['a webhook', () => nodes.near.engine.deleteWebhook(workspace, webhook, null, BY)],
  ['a workspace', () => nodes.near.engine.deleteWorkspace(workspace, BY)],
])("%s that one node deletes gets none of the other's deliveries", async (_, remove) => {
  await remove()
  await nodes.heard()
  answerAll()
  await records(1)
  await nodes.idle()
  expect(await nodes.store.values('SELECT status FROM deliveries ORDER BY id')).toEqual([
    'delivered',
    'canceled',
    'canceled',
  ])
  expect(receiver.requests).toHaveLength(1)
})

it("a webhook that answers one node with 410 gets none of the other's deliveries", async () => {
  await nodes.near.publish(workspace)
  await until(clock, 'a request by the near node', () => receiver.requests.length === 2)
  held.pop()!.writeHead(410).end()
  await until(clock, 'its record', () => nodes.near.recorded() === 1)
  await nodes.heard()
  answerAll()
  await records(2)
  await nodes.idle()
  expect(await statuses()).toEqual(['failed', 'canceled', 'canceled', 'delivered'])
  expect(receiver.requests).toHaveLength(2)
})

it("a URL changed on one node applies to the other's deliveries", async () => {
  const moved = await startReceiver()
  await update({ url: moved.url })
  await nodes.heard()
  answerAll()
  await records(3)
  expect(await statuses()).toEqual(Array(3).fill('delivered'))
  expect([receiver.requests.length, moved.requests.length]).toEqual([1, 2])
  await moved.close()
})

it("a secret rotated on one node signs the other's deliveries", async () => {
  const rotated = await nodes.near.engine.rotateSecret(workspace, webhook, null, BY)
  if (rotated?.outcome !== 'rotated') throw new Error('not rotated')
  await nodes.heard()
  answerAll()
  await records(3)
  const [before, ...after] = receiver.requests
  const verify = (secret: string, { body, headers }: (typeof after)[number]) =>
    new Verifier(secret).verify(body, headers as Record<string, string>)
  verify(webhook.secret, before!)
  expect(() => verify(rotated.shown.secret!, before!)).toThrow()
  expect(after).toHaveLength(2)
  for (const request of after)
    for (const secret of [webhook.secret, rotated.shown.secret!]) verify(secret, request)
})
