import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ContentClient, createContentClient } from '../src/index.ts'
import { EVENT, rejection } from './support/clients.ts'
import { collect, type RunningService, runService } from './support/service.ts'

const URL = 'https://hooks.example.com/posthorn'
const SCOPES = ['webhooks', 'generations:read', 'events:write'] as const
let service: RunningService
let client: ContentClient

beforeAll(async () => {
  service = await runService()
  const { admin, baseUrl } = service
  await admin.workspaces.create({ dialect: 'content', slug: 'acme', name: 'Acme' })
  const owner = await admin.members.create('acme', { email: 'ana@example.com', name: 'Ana', role: 'owner' })
  const { key } = await admin.keys.create('acme', { name: 'all', scopes: SCOPES, member_id: owner.id })
  client = createContentClient({ baseUrl, apiKey: key!, workspace: 'acme' })
})
afterAll(() => service.stop())

test('a publish with an idempotency key, or with its own id, is one event however often it is sent', async () => {
  const [first, second] = [
    await client.publish(EVENT, { idempotencyKey: 'once' }),
    await client.publish(EVENT, { idempotencyKey: 'once' }),
  ]
  expect(second.id).toBe(first.id)
  const own = { ...EVENT, id: 'evt_mine' }
  expect(await client.publish(own)).toEqual({ id: 'evt_mine', repeated: false })
  expect(await client.publish(own)).toEqual({ id: 'evt_mine', repeated: true })
  expect(await client.events.get('evt_mine')).toMatchObject({ type: EVENT.type })
  const conflict = client.publish({ ...own, actor_id: 'usr_2' })
  expect(await rejection(conflict)).toMatchObject({ status: 409, code: 'event_id_conflict' })
  const reused = client.publish({ ...EVENT, actor_id: 'usr_2' }, { idempotencyKey: 'once' })
  expect(await rejection(reused)).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
})

test('a batch keeps its order, also in the feed over several pages', async () => {
  const last = (await client.publish(EVENT)).id
  const names = Array.from({ length: 7 }, (_, i) => `evt_batch_${i}`)
  const published = await client.publishBatch(names.map((id) => ({ ...EVENT, id })))
  expect(published).toEqual(names.map((id) => ({ id, repeated: false })))
  const fed = await collect(client.events.iterate({ after: last, limit: 3 }))
  expect(fed.map(({ id }) => id)).toEqual(names)
  const page = await client.events.list({ after: last, limit: 3 })
  expect(page).toMatchObject({ has_more: true })
  const rest = await client.events.list({ after: page.next_cursor ?? '' })
  expect(rest.data.map(({ id }) => id)).toEqual(names.slice(3))
})

test('the log of the workspace can be filtered by event and by answer', async () => {
  const { id: webhookId } = await client.webhooks.create({ url: URL, events: ['version.approved'] })
  const { id: eventId } = await client.publish(EVENT)
  const { data } = await client.deliveries.listAll({ event_id: eventId, webhook_id: webhookId })
  expect(data).toMatchObject([{ event_id: eventId, webhook_id: webhookId, event_type: 'version.approved' }])
  expect(await client.deliveries.list(webhookId, { event_id: 'evt_unknown' })).toMatchObject({ data: [] })
  const refused = client.deliveries.listAll({ status_code: 'most' })
  expect(await rejection(refused)).toMatchObject({ status: 422, errors: [{ pointer: '/status_code' }] })
  await client.webhooks.delete(webhookId)
})

test('every error in an event is reported with its position', async () => {
  const broken = { ...EVENT, data: { ...EVENT.data, version_id: 7 }, links: { app: 'javascript:x' } }
  const untyped: unknown = broken
  expect(await rejection(client.publish(untyped as typeof EVENT))).toMatchObject({
    status: 422,
    code: 'invalid_request',
    errors: expect.arrayContaining([expect.objectContaining({ pointer: '/data/version_id' })]),
    requestId: expect.stringMatching(/^req_/),
  })
})

test('a webhook can be created, listed, changed, rotated, paused and removed', async () => {
  const { webhooks } = client
  const made = await webhooks.create({ url: URL, events: ['version.approved'], description: 'one' })
  expect(made.signing_secret).toMatch(/^whsec_/)
  const other = await webhooks.create({ url: URL, events: ['comment.created'] })
  expect((await collect(webhooks.iterate({ limit: 1 }))).map(({ id }) => id)).toEqual([other.id, made.id])
  expect((await webhooks.list()).data).toHaveLength(2)
  expect(await webhooks.update(made.id, { paused: true })).toMatchObject({ status: 'paused' })
  expect(await rejection(webhooks.test(made.id))).toMatchObject({ status: 409, code: 'webhook_not_on' })
  const rotated = await webhooks.rotateSecret(made.id)
  expect(rotated.signing_secret).not.toBe(made.signing_secret)
  await webhooks.delete(made.id)
  expect(await rejection(webhooks.get(made.id))).toMatchObject({ status: 404, code: 'not_found' })
  const entries = await collect(client.auditLog.iterate({ target: made.id, limit: 2 }))
  expect(entries.map(({ action }) => action)).toEqual([
    'webhook.deleted',
    'webhook.secret_rotated',
    'webhook.updated',
    'webhook.created',
  ])
  expect((await client.auditLog.list({ target: made.id })).data).toEqual(entries)
})

test('a webhook created twice with one idempotency key is one, with one secret', async () => {
  const webhook = { url: URL, events: ['plan.ready'] } as const
  const make = () => client.webhooks.create(webhook, { idempotencyKey: 'make once' })
  const key = { idempotencyKey: 'make-once' }
  expect(await rejection(make())).toMatchObject({ code: 'invalid_request' })
  const [first, second] = [
    await client.webhooks.create(webhook, key),
    await client.webhooks.create(webhook, key),
  ]
  expect(second).toEqual(first)
})

test('samples show the latest real events', async () => {
  await client.publish(EVENT)
  const sample = await client.webhooks.sample('version.approved')
  expect(sample).toMatchObject({ event: 'version.approved', source: 'real' })
  expect(await client.webhooks.sample('plan.saved')).toMatchObject({ source: 'example' })
})

test('unauthorized callers get an error code', async () => {
  const { baseUrl, admin } = service
  const stranger = createContentClient({ baseUrl, apiKey: 'phk_unknown', workspace: 'acme' })
  expect(await rejection(stranger.webhooks.list())).toMatchObject({ status: 401, code: 'key_invalid' })
  const { id, key } = await admin.keys.create('acme', { name: 'reader', scopes: ['webhooks'] })
  const reader = createContentClient({ baseUrl, apiKey: key!, workspace: 'acme' })
  expect(await rejection(reader.publish(EVENT))).toMatchObject({ status: 403, code: 'scope_missing' })
  await admin.keys.revoke('acme', id)
  expect(await rejection(reader.webhooks.list())).toMatchObject({ status: 401, code: 'key_revoked' })
})
