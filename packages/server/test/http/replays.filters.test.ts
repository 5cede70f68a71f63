import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, type Json, openClient } from './client.ts'
import { thanks } from './content.ts'
import { expectedOf, filtersOf, type Shown } from './deliveries.model.ts'
import { finished, REPLAY, refuse, replay } from './replays.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

let client: Client
beforeEach(async () => {
  client = await openClient(service, 'ads')
  service.receiver.answer(refuse)
})

const [type, otherType] = ['campaign.created.v1', 'deal.created.v1']

describe('the filters of a replay', () => {
  it('match the log with the same filters, and a dry run only counts', async () => {
    const both = { types: [type, otherType] }
    const webhooks = [(await client.receivingWebhook(both)).id, (await client.receivingWebhook(both)).id]
    for (const of of [type, otherType, type, otherType]) {
      await client.publish(of)
      await service.recorded(2)
      service.clock.forwardCalendar(1000)
    }
    service.receiver.answer(thanks)
    await client.publish()
    await service.recorded(2)
    const log = (await client.get('/webhook-deliveries?limit=100')).json.data
    const all: Shown[] = log.map((delivery: Json) => ({
      ...delivery,
      webhook: delivery.webhookId,
      type: delivery.eventType,
      event: delivery.eventId,
      code: delivery.attempts.at(-1)?.statusCode,
    }))
    const times = [...new Set(all.map(({ createdAt }) => createdAt))].sort()
    const filters = filtersOf({
      webhooks: [null, ...webhooks],
      statuses: ['dead'],
      types: [null, type, otherType, 'segment.created.v1'],
      codes: [null],
      events: [null],
      spans: [
        [null, null],
        [times[1]!, null],
        [null, times[3]!],
        [times[1]!, times[3]!],
      ],
    })
    for (const filter of filters) {
      const { webhook: webhookId, type: eventType, from, to } = filter
      const entries = Object.entries({ webhookId, eventType, from, to }).filter(([, value]) => value !== null)
      const { status, json } = await client.post(REPLAY, { ...Object.fromEntries(entries), dryRun: true })
      expect([filter, status, json]).toEqual([
        filter,
        200,
        { total: expectedOf(all, filter).length, hasMore: false },
      ])
    }
    expect((await client.get('/webhook-deliveries?limit=100')).json.data).toEqual(log)

    const filter = { webhookId: webhooks[0]!, eventType: otherType, from: times[1]!, to: times[3]! }
    const expected = expectedOf(all, {
      webhook: webhooks[0]!,
      type: otherType,
      status: 'dead',
      code: null,
      event: null,
      from: times[1]!,
      to: times[3]!,
    })
    const done = await finished(client, await replay(client, filter))
    expect(done).toMatchObject({ ...filter, total: expected.length, replayed: expected.length })
    await service.recorded(expected.length)
    const sentAgain = (await client.get('/webhook-deliveries?limit=100')).json.data.filter(
      ({ attempts }: Json) => attempts.length > 1,
    )
    expect(sentAgain.map(({ id }: Json) => id).sort()).toEqual(expected)
  })

  it.each([
    ['an endpoint that does not exist', { webhookId: randomUUID() }, '/webhookId'],
    ['an endpoint that is no id', { webhookId: 'nonsense' }, '/webhookId'],
    ['an unknown type', { eventType: 'deal.create.v1' }, '/eventType'],
    ['an invalid time', { from: 'yesterday' }, '/from'],
    [
      'a span that ends before it begins',
      { from: '2026-03-14T10:00:00Z', to: '2026-03-14T09:00:00Z' },
      '/to',
    ],
    ['a status', { status: 'failed' }, '/status'],
    ['a dry run that is no boolean', { dryRun: 'true' }, '/dryRun'],
    ['a list', [], ''],
  ])('refuse %s', async (_, body, pointer) => {
    const { status, json } = await client.post(REPLAY, body)
    expect([status, json.errors[0].pointer]).toEqual([422, pointer])
  })

  it('reject an endpoint of another workspace, and a deleted one', async () => {
    const other = await openClient(service, 'ads')
    const { id, path } = await other.webhook()
    expect((await client.post(REPLAY, { webhookId: id })).json.errors[0].pointer).toBe('/webhookId')
    await other.call('DELETE', path)
    expect((await other.post(REPLAY, { webhookId: id })).json.errors[0].pointer).toBe('/webhookId')
  })
})
