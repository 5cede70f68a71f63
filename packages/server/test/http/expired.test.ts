import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { openClient, SERVICES } from './client.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService(undefined, { waitsMs: [HOUR_MS] })
  service.receiver.answer((response) => void response.writeHead(503).end())
})
afterAll(() => service.stop())

/** Runs retention long after this day. */
async function expire(): Promise<void> {
  const now = service.clock.now()
  const ages = { before: now + 2 * DAY_MS, expiredBefore: now, auditBefore: 0, idempotencyBefore: 0 }
  expect(await service.storage.deleteExpired({ ...ages, now, limit: 100 })).toMatchObject({ expired: 1 })
}

describe.each(SERVICES)('a delivery of %s that expired', (name) => {
  const reason = name === 'content' ? 'cancel_reason' : 'cancelReason'

  it('is shown as canceled for that reason, with its attempts', async () => {
    const client = await openClient(service, name)
    const webhook = await client.receivingWebhook()
    await client.publish()
    await service.recorded(1)
    expect(await client.deliveries(webhook.id)).toMatchObject([{ status: 'pending', [reason]: null }])
    await expire()
    expect(await client.deliveries(webhook.id, 'status=canceled')).toMatchObject([
      { status: 'canceled', [reason]: 'expired', attempts: [{ number: 1 }] },
    ])
  })
})

it('a delivery whose webhook is disabled is canceled for that reason', async () => {
  const client = await openClient(service, 'content')
  const webhook = await client.receivingWebhook()
  await client.publish()
  await service.recorded(1)
  await client.call('PATCH', webhook.path, { body: { enabled: false } })
  expect(await client.deliveries(webhook.id)).toMatchObject([
    { status: 'canceled', cancel_reason: 'webhook_off' },
  ])
})
