import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, openClient, SERVICES } from './client.ts'
import { TARGET } from './events.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

/** Possible stale, weak or foreign tags; `v1` is the version of a new webhook. */
const OTHER_TAGS = [
  '"v2"',
  '"v0"',
  '"v01x"',
  'W/"v1"',
  'v1',
  '"v1',
  '1',
  '""',
  '"v-1"',
  '"v9999999999999999"',
  '"*"',
  'nonsense',
]
const MATCHING_TAGS = [
  '"v1"',
  ' "v1" ',
  '*',
  ' * ',
  '"v7", "v1"',
  '"v1","v2"',
  'W/"v1", "v1"',
  'nonsense, "v1"',
]

describe.each(SERVICES)('webhooks of the %s service', (name) => {
  let client: Client
  let webhook: Awaited<ReturnType<Client['webhook']>>
  beforeEach(async () => {
    client = await openClient(service, name)
    webhook = await client.webhook()
  })

  const CHANGES = {
    PATCH: (headers: Record<string, string>) =>
      client.call('PATCH', webhook.path, { headers, body: { description: 'changed' } }),
    'rotate-secret': (headers: Record<string, string>) =>
      client.post(`${webhook.path}/rotate-secret`, undefined, { headers }),
    DELETE: (headers: Record<string, string>) => client.call('DELETE', webhook.path, { headers }),
  }
  const changes = Object.entries(CHANGES)

  describe.each(changes)('%s', (method, change) => {
    it.each(OTHER_TAGS)('with If-Match %j is rejected and changes nothing', async (tag) => {
      const before = await client.get(webhook.path)
      const { status, json, headers } = await change({ 'if-match': tag })
      expect([status, json.code, headers.etag]).toEqual([412, 'version_mismatch', '"v1"'])
      const after = await client.get(webhook.path)
      expect([after.json, after.headers.etag]).toEqual([before.json, before.headers.etag])
    })

    it('with an empty If-Match is rejected as invalid, and changes nothing', async () => {
      const before = await client.get(webhook.path)
      const { status, json } = await change({ 'if-match': '' })
      expect([status, json.code, json.errors]).toEqual([
        422,
        'invalid_request',
        [{ pointer: '/if-match', message: expect.any(String) }],
      ])
      const after = await client.get(webhook.path)
      expect([after.json, after.headers.etag]).toEqual([before.json, before.headers.etag])
    })

    it.each(MATCHING_TAGS)('with If-Match %j succeeds', async (tag) => {
      const { status, headers } = await change({ 'if-match': tag })
      expect([status, headers.etag]).toEqual(method === 'DELETE' ? [204, undefined] : [200, '"v2"'])
    })

    it('without If-Match succeeds, whatever was changed in the meantime', async () => {
      await client.call('PATCH', webhook.path, { body: { description: 'meanwhile' } })
      expect((await change({})).status).toBeLessThan(300)
    })

    it('is not found, rather than changed, once the webhook is gone', async () => {
      await client.call('DELETE', webhook.path)
      for (const tag of [webhook.etag, '*']) expect((await change({ 'if-match': tag })).status).toBe(404)
    })
  })

  it('are read with the ETag of the last change', async () => {
    const etags = [webhook.etag]
    const read = async () => (await client.get(webhook.path)).headers.etag
    expect(await read()).toBe(webhook.etag)
    const types = { [client.words.types]: [client.words.otherType] }
    for (const body of [{ description: 'x' }, { url: `${TARGET}/2` }, types, { description: '' }]) {
      const { headers } = await client.call('PATCH', webhook.path, {
        body,
        headers: { 'if-match': etags.at(-1)! },
      })
      etags.push(String(headers.etag))
      expect(await read()).toBe(headers.etag)
    }
    const rotated = await client.post(`${webhook.path}/rotate-secret`)
    etags.push(String(rotated.headers.etag))
    expect(await read()).toBe(rotated.headers.etag)
    expect(new Set(etags).size).toBe(etags.length)
  })

  it('keep their ETag and their time when a change changes nothing', async () => {
    const { url, description, [client.words.types]: types } = webhook.json
    for (const body of [{ url }, { description }, { [client.words.types]: types }, { url, description }]) {
      const { status, json, headers } = await client.call('PATCH', webhook.path, { body })
      expect([status, headers.etag]).toEqual([200, webhook.etag])
      expect({ ...json, backlog: null }).toEqual((await client.get(webhook.path)).json)
    }
    const stale = { body: { description }, headers: { 'if-match': '"v9"' } }
    expect((await client.call('PATCH', webhook.path, stale)).status).toBe(412)
  })

  it('keep their ETag while deliveries fail and succeed', async () => {
    const { path, etag } = await client.receivingWebhook()
    for (const status of [500, 200]) {
      service.receiver.answer((response) => response.writeHead(status).end())
      await client.publish()
      await service.recorded(1)
      expect((await client.get(path)).headers.etag).toBe(etag)
    }
  })

  it('get another ETag when their workspace is suspended and resumed', async () => {
    const etags = [webhook.etag]
    for (const verb of ['suspend', 'resume']) {
      await service.admin('POST', `/workspaces/${client.ws.id}/${verb}`)
      etags.push(String((await client.get(webhook.path)).headers.etag))
    }
    expect(new Set(etags).size).toBe(3)
  })

  it('report invalid input before the version, and not to another key', async () => {
    const headers = { 'if-match': '"v9"' }
    const wrong = { body: { description: 5 }, headers }
    expect((await client.call('PATCH', webhook.path, wrong)).status).toBe(422)
    const { key } = await service.key(client.ws.id)
    const { status, headers: answered } = await client.call('PATCH', webhook.path, {
      key,
      headers,
      body: { description: 'x' },
    })
    expect([status, answered.etag]).toEqual([403, undefined])
  })
})

describe('enabling and disabling in the content service', () => {
  it('changes the ETag exactly when it changes the status', async () => {
    const client = await openClient(service, 'content')
    const { path } = await client.receivingWebhook()
    const patch = async (body: object) => (await client.call('PATCH', path, { body })).headers.etag
    expect(await patch({ enabled: true })).toBe('"v1"')
    expect(await patch({ paused: false })).toBe('"v1"')
    expect(await patch({ paused: true })).toBe('"v2"')
    expect(await patch({ paused: true, enabled: true })).toBe('"v2"')
    expect(await patch({ enabled: false })).toBe('"v3"')
    expect(await patch({ enabled: false })).toBe('"v3"')
    expect(await patch({ enabled: true })).toBe('"v4"')
  })

  it('by a 410 changes the ETag too, so that later editors notice it', async () => {
    const client = await openClient(service, 'content')
    const { path, etag } = await client.receivingWebhook()
    service.receiver.answer((response) => response.writeHead(410).end())
    await client.publish()
    await service.recorded(1)
    const now = await client.get(path)
    expect([now.json.status, now.headers.etag === etag]).toEqual(['off', false])
    const late = { body: { enabled: true }, headers: { 'if-match': etag } }
    const { status, headers } = await client.call('PATCH', path, late)
    expect([status, headers.etag]).toEqual([412, now.headers.etag])
  })
})
