import { expect, test } from 'vitest'
import { createAdminClient, createAdsClient, createContentClient, type Fetch } from '../src/index.ts'
import { API_KEY, contentClient, EVENT, rejection } from './support/clients.ts'
import { PUBLISHED, scriptedService } from './support/scriptedService.ts'

const BASE = { baseUrl: 'https://posthorn.example.com', apiKey: API_KEY, workspace: 'acme' }

test.each([
  ['baseUrl', { baseUrl: 'posthorn.example.com' }],
  ['baseUrl', { baseUrl: 'ftp://posthorn.example.com' }],
  ['baseUrl', { baseUrl: 'https://user:secret@posthorn.example.com' }],
  ['baseUrl', { baseUrl: 'https://posthorn.example.com/?a=b' }],
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: 'phk_secret\n' }],
  ['workspace', { workspace: '' }],
  ['workspace', { workspace: '..' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: 2 ** 31 }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['retries', { retries: -1 }],
  ['retries', { retries: 1.5 }],
] as const)('an invalid option is rejected by name: %s %o', (name, wrong) => {
  expect(() => createContentClient({ ...BASE, ...wrong })).toThrow(TypeError)
  expect(() => createContentClient({ ...BASE, ...wrong })).toThrow(new RegExp(`^${name} must be`))
})

test('a missing or malformed secret is not shown', () => {
  const { baseUrl } = BASE
  // The value of an environment variable that is not set.
  const unset: unknown = undefined
  expect(() => createAdsClient({ baseUrl, apiKey: unset as string })).toThrow(/^apiKey must be/)
  expect(() => createAdminClient({ baseUrl, adminToken: 'pha_secret with space' })).toThrow(
    /^adminToken must be(?!.*pha_secret)/,
  )
})

test.each(['', '.', '..'])(
  'an id that would lead to another path is rejected before anything is sent: %o',
  async (id) => {
    const service = await scriptedService({ status: 204 })
    const { client } = contentClient(service.baseUrl)
    expect(await rejection(client.webhooks.delete(id))).toBeInstanceOf(TypeError)
    expect(await rejection(client.deliveries.get('wh_1', id))).toBeInstanceOf(TypeError)
    expect(service.seen).toEqual([])
  },
)

test('an id stays one path segment, whatever it contains', async () => {
  const service = await scriptedService({ status: 204 })
  const { client } = contentClient(service.baseUrl)
  await client.webhooks.delete('a/../../b?c#d%')
  expect(service.seen[0]?.path).toBe('/v1/workspaces/acme/webhooks/a%2F..%2F..%2Fb%3Fc%23d%25')
})

test('a service below a path is reached there, with or without a slash at the end', async () => {
  const service = await scriptedService(PUBLISHED)
  for (const end of ['/webhooks', '/webhooks/']) {
    await contentClient(`${service.baseUrl}${end}`).client.publish(EVENT)
  }
  expect(service.seen.map(({ path }) => path)).toEqual(Array(2).fill('/webhooks/v1/workspaces/acme/events'))
})

test('every request carries the credential', async () => {
  const service = await scriptedService(PUBLISHED)
  const { client } = contentClient(service.baseUrl)
  await client.publish(EVENT)
  expect(service.seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${API_KEY}`,
    'content-type': 'application/json',
  })
})

test('a condition goes out as If-Match', async () => {
  const service = await scriptedService({ status: 200, body: { id: 'wh_1' } })
  const { client } = contentClient(service.baseUrl)
  await client.webhooks.update('wh_1', { description: 'new' }, { ifMatch: '"v3"' })
  await client.webhooks.rotateSecret('wh_1', { ifMatch: '"v4"' })
  expect(service.seen.map(({ headers }) => headers['if-match'])).toEqual(['"v3"', '"v4"'])
})

test('a custom fetch gets a URL and plain options, so that any implementation works', async () => {
  const calls: [string, RequestInit][] = []
  const fetch: Fetch = async (url, init) => {
    calls.push([url, init])
    return Response.json({ id: 'evt_1', repeated: false }, { status: 202 })
  }
  const client = createContentClient({ ...BASE, fetch })
  expect(await client.publish(EVENT)).toEqual({ id: 'evt_1', repeated: false })
  const [[url, init] = []] = calls
  expect(url).toBe('https://posthorn.example.com/v1/workspaces/acme/events')
  expect(init).toMatchObject({ method: 'POST', body: JSON.stringify(EVENT), redirect: 'manual' })
})

test('the platform’s fetch is looked up for each call', async () => {
  const client = createContentClient(BASE)
  const original = globalThis.fetch
  globalThis.fetch = async () => Response.json({ id: 'evt_replaced', repeated: false }, { status: 202 })
  try {
    expect(await client.publish(EVENT)).toMatchObject({ id: 'evt_replaced' })
  } finally {
    globalThis.fetch = original
  }
})
