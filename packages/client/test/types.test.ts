import { expect, expectTypeOf, test } from 'vitest'
import {
  type AdsEventToPublish,
  type AdsReplay,
  type ContentEventToPublish,
  type ContentFeedEvent,
  type ContentWebhook,
  createAdminClient,
  createAdsClient,
  createContentClient,
  type Fetch,
  type Key,
  type KeyWithSecret,
} from '../src/index.ts'
import { EVENT } from './support/clients.ts'

// `tsc` checks these; at run time nothing is sent anywhere.
const nowhere = {
  baseUrl: 'http://127.0.0.1',
  fetch: () => Promise.reject(new Error('nothing is sent here')),
  retries: 0,
}
const content = createContentClient({ ...nowhere, apiKey: 'phk_test', workspace: 'acme' })
const ads = createAdsClient({ ...nowhere, apiKey: 'phk_test' })
const admin = createAdminClient({ ...nowhere, adminToken: 'pha_test' })
const isRefused = (call: Promise<unknown>) => expect(call).rejects.toThrow()

const DATA = EVENT.data
const ENTITY_ID = '01941f29-7c00-7aaa-8bbb-0123456789a1'

test('each event type has its own data', async () => {
  await isRefused(content.publish({ type: 'schedule.cancel_required', data: { subject_id: 'sch_1' } }))
  // @ts-expect-error: these are the data of another type
  await isRefused(content.publish({ type: 'schedule.cancel_required', data: DATA }))
  // @ts-expect-error: a member is missing
  await isRefused(content.publish({ type: 'schedule.cancel_required', data: {} }))
  // @ts-expect-error: a member is of another type
  await isRefused(content.publish({ type: 'schedule.cancel_required', data: { subject_id: 1 } }))
  // @ts-expect-error: there is no such member
  await isRefused(content.publish({ type: 'schedule.cancel_required', data: { subject_id: 's', body: '' } }))
  // @ts-expect-error: there are no data
  await isRefused(content.publish({ type: 'schedule.cancel_required' }))
  // @ts-expect-error: a member of the event is unknown
  await isRefused(content.publish({ type: 'version.approved', data: DATA, occurredAt: '' }))
})

test('an unknown type does not compile, nor one that is never published', async () => {
  // @ts-expect-error: there is no such type
  await isRefused(content.publish({ type: 'version.aproved', data: DATA }))
  // @ts-expect-error: tests are sent by the test operation alone
  await isRefused(content.publish({ type: 'webhook.test', data: {} }))
  // @ts-expect-error: it is an event of the other service
  await isRefused(content.publish({ type: 'campaign.created.v1', data: DATA }))
})

test('the advertising platform works the same way, and its types also fix the entity', async () => {
  const event = { type: 'campaign.status_changed.v1', entityType: 'campaign', entityId: ENTITY_ID } as const
  const payload = { from: 'active', to: 'paused' }
  await isRefused(ads.publish({ ...event, payload }))
  // @ts-expect-error: a member is missing
  await isRefused(ads.publish({ ...event, payload: { from: 'active' } }))
  // @ts-expect-error: a campaign is no line item
  await isRefused(ads.publish({ ...event, payload, entityType: 'line_item' }))
  // @ts-expect-error: there is no second version
  await isRefused(ads.publish({ ...event, payload, type: 'campaign.status_changed.v2' }))
})

test('a batch may contain events of any types, read-only or not', async () => {
  const batch: readonly ContentEventToPublish[] = [EVENT]
  await isRefused(content.publishBatch(batch))
  await isRefused(
    content.publishBatch([EVENT, { type: 'schedule.cancel_required', data: { subject_id: 's' } }]),
  )
  // @ts-expect-error: the second event lacks its data
  await isRefused(content.publishBatch([EVENT, { type: 'schedule.cancel_required', data: {} }]))
})

test('an event narrows by its type', () => {
  const describeContent = (event: ContentEventToPublish) =>
    event.type === 'version.approved' ? event.data.version_id : event.type
  const describeAds = (event: AdsEventToPublish) =>
    event.type === 'campaign.status_changed.v1' ? event.payload.to : event.type
  expect(describeContent(EVENT)).toBe('ver_1')
  expect(
    describeAds({
      type: 'campaign.status_changed.v1',
      entityType: 'campaign',
      entityId: ENTITY_ID,
      payload: { from: 'active', to: 'paused' },
    }),
  ).toBe('paused')
})

test('input for webhooks may be read-only, and must be complete', async () => {
  const events = ['version.approved'] as const
  await isRefused(content.webhooks.create({ url: 'https://example.com', events }))
  await isRefused(ads.webhooks.create({ url: 'https://example.com' }))
  // @ts-expect-error: there is no URL
  await isRefused(content.webhooks.create({ events }))
  // @ts-expect-error: there is no such member
  await isRefused(content.webhooks.update('wh_1', { active: true }))
  // @ts-expect-error: there is no such status in this service
  await isRefused(content.deliveries.list('wh_1', { status: 'dead' }))
  await isRefused(ads.deliveries.list({ status: 'dead' }))
  // @ts-expect-error: the method decides whether it is a preview
  await isRefused(ads.deliveries.replayMany({ dryRun: true }))
  // @ts-expect-error: there is no such role
  await isRefused(admin.members.create('acme', { email: 'a@example.com', name: 'A', role: 'admin' }))
})

test('results are typed by the documents', () => {
  expectTypeOf(content.webhooks.iterate).returns.toEqualTypeOf<
    AsyncGenerator<ContentWebhook, void, undefined>
  >()
  expectTypeOf(content.events.get).returns.resolves.toEqualTypeOf<ContentFeedEvent>()
  expectTypeOf<ContentWebhook['status']>().toEqualTypeOf<'on' | 'off' | 'paused'>()
  expectTypeOf(content.publish).returns.resolves.toEqualTypeOf<{ id: string; repeated: boolean }>()
  expectTypeOf(content.webhooks.delete).returns.resolves.toEqualTypeOf<void>()
  expectTypeOf(ads.replays.wait).returns.resolves.toEqualTypeOf<AdsReplay>()
  expectTypeOf<Key>().not.toHaveProperty('key')
  expectTypeOf<KeyWithSecret>().toHaveProperty('key')
})

test('the low-level client is typed by the documents too', async () => {
  const params = { path: { ws: 'acme' } }
  await isRefused(content.api.POST('/v1/workspaces/{ws}/events', { params, body: EVENT }))
  // @ts-expect-error: there is no such path
  await isRefused(content.api.GET('/v1/workspaces/{ws}/event', { params }))
  // @ts-expect-error: the parameter of the path is missing
  await isRefused(content.api.GET('/v1/workspaces/{ws}/webhooks'))
})

test('the platform’s fetch fits', () => {
  expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>()
})
