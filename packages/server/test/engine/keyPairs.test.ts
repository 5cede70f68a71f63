import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Webhook, Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { HMAC, KEY_PAIR, signedBy } from '../support/signedBy.ts'
import { BY, startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'

const TYPE = 'invoice.paid'
const SIGNATURE = 'webhook-signature'
const billing = signedBy([HMAC, KEY_PAIR])

let clock: ManualClock
let receiver: TestReceiver
let service: TestEngine
let workspace: Workspace

beforeEach(async () => {
  clock = new ManualClock()
  receiver = await startReceiver()
  service = await startTestEngine({ clock, dialects: [billing] })
  workspace = await service.createWorkspace(billing.name)
})

afterEach(async () => {
  await service.stop()
  await receiver.close()
})

/** @returns the signatures of its request */
async function publish(): Promise<string> {
  const count = receiver.requests.length + 1
  await service.publish(workspace, { type: TYPE })
  await until(clock, 'the attempt', () => service.recorded() >= count)
  return String(receiver.requests[count - 1]!.headers[SIGNATURE])
}

async function logged(webhook: Webhook): Promise<string[]> {
  const deliveries = await service.deliveriesOf(webhook)
  const requests = await Promise.all(deliveries.map((one) => service.engine.sentRequests(workspace, one)))
  return requests.map(([request]) => request!.headers[SIGNATURE]!).toReversed()
}

test('the log shows the signatures of key pairs as sent, before, during and after an overlap', async () => {
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const before = await publish()
  await service.engine.rotateSecret(workspace, webhook, null, BY)
  const during = await publish()
  clock.advance(billing.secrets.overlapMs)
  const after = await publish()
  expect(before).toMatch(/^v1,\S+ v1a,\S+$/)
  expect(during).toMatch(/^v1,\S+ v1,\S+ v1a,\S+ v1a,\S+$/)
  expect(after).toMatch(/^v1,\S+ v1a,\S+$/)
  expect(await logged(webhook)).toEqual([before, during, after])
})

test('a secret stored before there were key pairs keeps signing, and gets one when it is rotated', async () => {
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const { id: webhookId, publicId } = webhook
  const old = signedBy([HMAC]).secrets.make(new Uint8Array(32).fill(5))
  await service.storage.rotateSecret({
    workspaceId: workspace.id,
    webhookId,
    ifVersions: null,
    sealedSecret: service.secretBox.seal(old, publicId),
    overlapMs: 0,
    now: clock.now(),
  })
  expect(await publish()).toMatch(/^v1,\S+$/)
  const { body, headers } = receiver.requests[0]!
  const sent = headers as Record<string, string>
  // The test's clock is not the library's.
  const signature = new StandardWebhook(old).sign(
    sent['webhook-id']!,
    new Date(Number(sent['webhook-timestamp']) * 1000),
    body.toString(),
  )
  expect(sent[SIGNATURE]).toBe(signature)
  await service.engine.rotateSecret(workspace, webhook, null, BY)
  expect(await publish()).toMatch(/^v1,\S+ v1,\S+ v1a,\S+$/)
  clock.advance(billing.secrets.overlapMs)
  expect(await publish()).toMatch(/^v1,\S+ v1a,\S+$/)
  expect(await logged(webhook)).toHaveLength(3)
})
