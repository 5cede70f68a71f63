import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, openClient } from './client.ts'
import { publishAndWait, webhooksInConsole } from './consoleWebhooks.ts'
import { thanks } from './content.ts'
import { startTestService, type TestService } from './service.ts'

const HOUR_MS = 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())
beforeEach(() => service.receiver.answer(thanks))

const now = () => new Date(service.clock.now()).toISOString()

describe('a webhook of the content service that receives nothing', () => {
  let client: Client
  beforeEach(async () => {
    client = await openClient(service, 'content')
  })

  const patch = async (path: string, body: object) =>
    expect((await client.call('PATCH', path, { body })).status).toBe(200)

  it.each([
    ['paused', { paused: true }, { paused: false }],
    ['off by hand', { enabled: false }, { enabled: true }],
  ])(
    'since it is %s misses published events of its types until it is enabled again',
    async (_, stop, start) => {
      const { type, otherType } = client.words
      const view = await webhooksInConsole(service, client)
      const webhook = await client.receivingWebhook()
      await publishAndWait(service, client)
      service.clock.forwardCalendar(1000)
      const before = now()
      await patch(webhook.path, stop)
      const { off_at, stopped_by, missed } = await view.summary(webhook)
      expect(off_at >= before && off_at <= now()).toBe(true)
      expect(stopped_by).toEqual({ type: 'key', name: expect.any(String) })
      const none = {
        count: 0,
        more: false,
        since: off_at,
        until: null,
        types: [],
        cursor: null,
        earlier: null,
      }
      expect(missed).toEqual(none)
      for (const of of [type, otherType, type, type]) await client.publish(of)
      await service.settled()
      await patch(webhook.path, { description: 'changed meanwhile' })
      const later = await view.summary(webhook)
      expect(later).toMatchObject({ off_at, missed: { count: 3, more: false, since: off_at }, pending: 0 })
      await patch(webhook.path, start)
      await client.publish()
      await service.recorded(1)
      const after = await view.summary(webhook)
      expect([after.off_at, after.stopped_by]).toEqual([null, null])
      expect(after.missed).toMatchObject({ count: 3, since: off_at, types: [{ type, count: 3 }] })
      expect(after.missed.until >= off_at && after.missed.until <= now()).toBe(true)
      const [resumed] = (await service.admin('GET', `/audit-log?target=${webhook.id}`)).json.data
      expect(resumed.details).toMatchObject({ missed: 3 })
      const { data } = (await client.get(`/events?after=${encodeURIComponent(after.missed.cursor)}`)).json
      expect(data.map((event: { readonly type: string }) => event.type)).toEqual([
        type,
        otherType,
        type,
        type,
        type,
      ])
      service.clock.forwardCalendar(1000)
      await patch(webhook.path, stop)
      await client.publish()
      await service.settled()
      const { since } = after.missed
      const again = (await view.summary(webhook)).missed
      expect(again).toMatchObject({ count: 1, earlier: { count: 3, more: false, since } })
      const fromThere = await client.get(`/events?after=${encodeURIComponent(again.earlier.cursor)}`)
      expect(fromThere.json.data).toHaveLength(6)
      expect(again.since > after.missed.until).toBe(true)
    },
  )

  it('since its receiver is gone shows that', async () => {
    const view = await webhooksInConsole(service, client)
    service.receiver.answer((response) => void response.writeHead(410).end())
    const webhook = await client.receivingWebhook()
    const before = now()
    await publishAndWait(service, client)
    const { off_at, missed, last_delivery } = await view.summary(webhook)
    expect(off_at >= before && off_at <= now()).toBe(true)
    expect(missed).toMatchObject({ count: 0, since: off_at })
    expect(last_delivery).toMatchObject({ status: 'failed', status_code: 410, error_code: 'http_status' })
    service.clock.forwardCalendar(1000)
    await client.publish()
    await service.settled()
    expect((await view.summary(webhook)).missed).toMatchObject({ count: 1, more: false, since: off_at })
  })

  it('since it failed for a day shows that, and only for the last day', async () => {
    service.receiver.answer((response) => void response.writeHead(503).end())
    const webhook = await client.receivingWebhook()
    await publishAndWait(service, client)
    service.clock.forwardCalendar(25 * HOUR_MS)
    const before = now()
    await publishAndWait(service, client)
    const view = await webhooksInConsole(service, client)
    const { off_at, missed, last_24h } = await view.summary(webhook)
    expect(off_at >= before && off_at <= now()).toBe(true)
    expect(missed).toMatchObject({ since: off_at })
    expect(last_24h).toMatchObject({ succeeded: 0, failed: 1 })
  })

  it('shows the last retry of pending deliveries, and the last recovery', async () => {
    const view = await webhooksInConsole(service, client)
    const webhook = await client.receivingWebhook()
    expect(await view.summary(webhook)).toMatchObject({ retry: null, latest_recovery_id: null })
    const recovery = await client.post(`${webhook.path}/recover`, { since: now() })
    const { json } = await client.post(`${webhook.path}/retry`)
    await service.settled()
    const { retry, latest_recovery_id } = await view.summary(webhook)
    expect(latest_recovery_id).toBe(recovery.json.id)
    expect(retry).toMatchObject({ asked_at: json.asked_at, delivered: 0 })
    expect(['running', 'done']).toContain(retry.status)
  })

  it('misses more than are counted', async () => {
    const view = await webhooksInConsole(service, client)
    const webhook = await client.receivingWebhook()
    await patch(webhook.path, { paused: true })
    service.clock.forwardCalendar(1000)
    const { json } = await client.get(`/webhooks/sample?event=${client.words.type}`)
    const { data } = json.samples[0]
    const { workspace: _, actor_id: __, links: ___, ...published } = data
    const events = Array.from({ length: 1000 }, () => ({ type: client.words.type, data: published }))
    for (let i = 0; i < 10; i++) expect((await client.post('/events/batch', { events })).status).toBe(202)
    await client.publish()
    await service.settled()
    expect((await view.summary(webhook)).missed).toMatchObject({ count: 10_000, more: true })
  })
})
