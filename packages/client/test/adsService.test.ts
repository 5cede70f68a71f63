import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../harness/src/support/waiting.ts'
import { type AdsClient, createAdsClient } from '../src/index.ts'
import { rejection } from './support/clients.ts'
import { collect, type RunningService, runService } from './support/service.ts'
import { openInbox } from './tour/inbox.ts'

let service: RunningService
let client: AdsClient

beforeAll(async () => {
  service = await runService()
  const { admin, baseUrl } = service
  await admin.workspaces.create({ dialect: 'ads', slug: 'acme', name: 'Acme' })
  const owner = await admin.members.create('acme', { email: 'ana@example.com', name: 'Ana', role: 'owner' })
  const scopes = ['webhooks', 'events:write'] as const
  const { key } = await admin.keys.create('acme', { name: 'all', scopes, member_id: owner.id })
  client = createAdsClient({ baseUrl, apiKey: key! })
})
afterAll(() => service.stop())

test('an endpoint can be created, listed, changed, rotated and removed', async () => {
  const { webhooks, auditLog } = client
  const made = await webhooks.create({ url: 'https://hooks.example.com/ads' })
  expect(made.types).toEqual([])
  const other = await webhooks.create({ url: 'https://hooks.example.com/ads', types: ['deal.created.v1'] })
  expect((await collect(webhooks.iterate({ limit: 1 }))).map(({ id }) => id)).toEqual([other.id, made.id])
  expect((await webhooks.list()).data).toHaveLength(2)
  expect(await webhooks.update(made.id, { description: 'all' })).toMatchObject({ description: 'all' })
  expect((await webhooks.rotateSecret(made.id)).signingSecret).not.toBe(made.signingSecret)
  await webhooks.delete(made.id)
  expect(await rejection(webhooks.get(made.id))).toMatchObject({ status: 404, code: 'not_found' })
  const entries = await collect(auditLog.iterate({ target: made.id, limit: 3 }))
  expect(entries.map(({ action }) => action)).toEqual([
    'webhook.deleted',
    'webhook.secret_rotated',
    'webhook.updated',
    'webhook.created',
  ])
  expect((await auditLog.list({ target: made.id })).data).toEqual(entries)
})

test('an event is in the feed, and only in the logs of its receivers', async () => {
  const { id: webhookId } = await client.webhooks.create({
    url: 'https://hooks.example.com/deals',
    types: ['deal.created.v1'],
  })
  const { id } = await client.publish({
    type: 'campaign.status_changed.v1',
    entityType: 'campaign',
    entityId: '01941f29-7c00-7aaa-8bbb-0123456789a1',
    payload: { from: 'active', to: 'paused' },
  })
  const event = await client.events.get(id)
  expect(event).toMatchObject({ id, payload: { from: 'active', to: 'paused' } })
  expect(await collect(client.events.iterate({ limit: 1 }))).toEqual([event])
  expect((await client.events.list()).data).toEqual([event])
  expect(await collect(client.deliveries.iterate({ webhookId }))).toEqual([])
  expect(await collect(client.deliveries.iterate({ eventId: id, statusCode: '5xx' }))).toEqual([])
  expect(await rejection(client.deliveries.replay(id))).toMatchObject({ status: 404, code: 'not_found' })
})

test('failed deliveries are recovered, and waiting ones are retried', async () => {
  const inbox = await openInbox()
  inbox.answerWith(503)
  const endpoint = await client.webhooks.create({ url: inbox.url, types: ['segment.created.v1'] })
  const { id: eventId } = await client.publish({
    type: 'segment.created.v1',
    entityType: 'segment',
    entityId: '01941f29-7c00-7aaa-8bbb-0123456789a2',
    payload: { name: 'Coast', kind: 'rule' },
  })
  const [delivery] = await eventually(
    async () => {
      const { data } = await client.deliveries.list({ webhookId: endpoint.id, status: 'dead' })
      return data.length === 1 ? data : null
    },
    { withinMs: 20_000, what: 'a dead delivery' },
  )
  const id = delivery!.id
  expect(await rejection(client.deliveries.retry(id))).toMatchObject({ code: 'delivery_not_pending' })
  expect(await client.webhooks.retry(endpoint.id)).toMatchObject({ pending: 0 })
  inbox.answerWith(204)
  const since = '2001-01-01T00:00:00Z'
  const { recoveries } = client
  const none = { since, until: '2001-01-02T00:00:00Z' }
  expect(await recoveries.preview(endpoint.id, none)).toMatchObject({ total: 0 })
  expect(await recoveries.preview(endpoint.id, { since })).toMatchObject({ total: 1, delivered: 0 })
  const started = await recoveries.start(endpoint.id, { since })
  const progress = await collect(recoveries.watch(started.id, { everyMs: 50 }))
  expect(progress.at(-1)).toMatchObject({ id: started.id, status: 'done', delivered: 1 })
  expect(await recoveries.cancel(started.id)).toEqual(progress.at(-1))
  const again = await client.deliveries.get(id)
  expect(again).toMatchObject({ eventId, status: 'delivered' })
  expect(again.attempts.map(({ trigger }) => trigger)).toEqual(['schedule', 'schedule', 'recover'])
  const tested = await client.webhooks.test(endpoint.id, { type: 'segment.created.v1' })
  expect(tested.eventType).toBe('segment.created.v1')
  await inbox.stop()
})
