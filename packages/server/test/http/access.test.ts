import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adsEvent, contentEvent, TARGET } from './events.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let content: TestWorkspace
let ads: TestWorkspace
beforeAll(async () => {
  service = await startTestService()
  content = await service.workspace('content')
  ads = await service.workspace('ads')
})
afterAll(() => service.stop())

/** A call of every route behind a key; ids name nothing that exists. */
function keyedCalls(): Call[] {
  const webhooks = `/v1/workspaces/${content.slug}/webhooks`
  const webhook = `${webhooks}/wh_00000000000000000000000000`
  const delivery = `${webhook}/deliveries/dlv_00000000000000000000000000`
  const endpoint = '/api/v1/webhooks/01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11'
  const replayed = '/api/v1/webhook-deliveries/01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11'
  return [
    { method: 'POST', url: `/v1/workspaces/${content.slug}/events`, body: contentEvent() },
    {
      method: 'POST',
      url: `/v1/workspaces/${content.slug}/events/batch`,
      body: { events: [contentEvent()] },
    },
    { method: 'POST', url: webhooks, body: { url: TARGET, events: ['plan.ready'] } },
    { method: 'GET', url: webhooks },
    { method: 'GET', url: `${webhooks}/sample?event=plan.ready` },
    { method: 'GET', url: webhook },
    { method: 'PATCH', url: webhook, body: { enabled: true } },
    { method: 'DELETE', url: webhook },
    { method: 'POST', url: `${webhook}/test` },
    { method: 'POST', url: `${webhook}/rotate-secret` },
    { method: 'GET', url: `${webhook}/deliveries` },
    { method: 'GET', url: delivery },
    { method: 'POST', url: `${delivery}/redeliver` },
    { method: 'POST', url: '/api/v1/events', body: adsEvent() },
    { method: 'POST', url: '/api/v1/events/batch', body: { events: [adsEvent()] } },
    { method: 'POST', url: '/api/v1/webhooks', body: { url: TARGET } },
    { method: 'GET', url: '/api/v1/webhooks' },
    { method: 'GET', url: endpoint },
    { method: 'PATCH', url: endpoint, body: { description: 'x' } },
    { method: 'DELETE', url: endpoint },
    { method: 'POST', url: `${endpoint}/rotate-secret` },
    { method: 'GET', url: replayed },
    { method: 'POST', url: `${replayed}/replay` },
  ]
}

const withKeyOf = (call: Call) => (call.url.startsWith('/api/') ? ads : content)
const codesOf = async (key: (call: Call) => string | undefined) =>
  Promise.all(
    keyedCalls().map(async (call) => {
      const { status, json } = await service.call({ ...call, key: key(call) })
      return `${status} ${json?.code}`
    }),
  )
const all = (code: string) => keyedCalls().map(() => code)

describe('every route behind a key', () => {
  it('is among the calls of these tests', () => {
    const called = keyedCalls().map(({ method, url }) => {
      const path = url
        .replace(content.slug, ':ws')
        .replace(/wh_0+|01a0[0-9a-f-]+/, ':id')
        .replace(/dlv_0+/, ':did')
      return `${method} ${path.split('?')[0]}`
    })
    const keyed = service.routes.filter((route) => /^\w+ \/(v1|api)\//.test(route))
    expect(called.sort()).toEqual(keyed.sort())
  })

  it('answers 401 without a key', async () => {
    expect(await codesOf(() => undefined)).toEqual(all('401 credentials_missing'))
  })

  it('answers 401 to what is no key', async () => {
    for (const wrong of ['x', `phk_${'A'.repeat(42)}`, `phk_${'A'.repeat(43)}`, 'null']) {
      expect(await codesOf(() => wrong)).toEqual(all('401 key_invalid'))
    }
  })

  it('answers 401 to other ways of authentication', async () => {
    const url = `/v1/workspaces/${content.slug}/webhooks`
    for (const authorization of [content.key, `Basic ${content.key}`, 'Bearer', 'Bearer  ', `Bearer a b`]) {
      const { status, headers } = await service.call({ method: 'GET', url, headers: { authorization } })
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="posthorn"'])
    }
    const lowerCase = { authorization: `bearer ${content.key}` }
    expect((await service.call({ method: 'GET', url, headers: lowerCase })).status).toBe(200)
  })

  it('answers 401 with a code of its own to a revoked and to an expired key', async () => {
    const keys = new Map<string, { revoked: string; expired: string }>()
    for (const ws of [content, ads]) {
      const revoked = await service.key(ws.id)
      await service.admin('DELETE', `/workspaces/${ws.id}/keys/${revoked.id}`)
      const expires = new Date(service.clock.now() + 3_600_000).toISOString()
      const expired = await service.key(ws.id, { expires_at: expires })
      keys.set(ws.id, { revoked: revoked.key, expired: expired.key })
    }
    expect(await codesOf((call) => keys.get(withKeyOf(call).id)!.revoked)).toEqual(all('401 key_revoked'))
    service.clock.forward(3_600_001)
    expect(await codesOf((call) => keys.get(withKeyOf(call).id)!.expired)).toEqual(all('401 key_expired'))
  })

  it('answers 403 to a key without its scopes', async () => {
    const scopeless = new Map<string, string>()
    const scopes = new Map<string, string>()
    for (const ws of [content, ads]) {
      scopeless.set(ws.id, (await service.key(ws.id, { scopes: ['webhooks'] })).key)
      scopes.set(ws.id, (await service.key(ws.id, { scopes: ['events:write'] })).key)
    }
    const wrongKey = (call: Call) =>
      (call.url.includes('/events') ? scopeless : scopes).get(withKeyOf(call).id)
    expect(await codesOf(wrongKey)).toEqual(all('403 scope_missing'))
  })

  it('answers 404 to a key of the other service', async () => {
    expect(await codesOf((call) => (withKeyOf(call) === ads ? content : ads).key)).toEqual(
      all('404 not_found'),
    )
  })

  it('answers 404 to a key of another workspace', async () => {
    const other = await service.workspace('content')
    for (const call of keyedCalls().filter(({ url }) => url.startsWith('/v1/'))) {
      const { status, json } = await service.call({ ...call, key: other.key })
      expect([status, json.code]).toEqual([404, 'not_found'])
    }
  })

  it('answers 404 for a workspace that does not exist', async () => {
    for (const ws of ['nowhere', 'ws_00000000000000000000000000', '%00', 'A'.repeat(200)]) {
      const url = `/v1/workspaces/${ws}/webhooks`
      expect((await service.call({ method: 'GET', url, key: content.key })).status).toBe(404)
    }
  })
})

it('creating a content webhook needs both scopes', async () => {
  const body = { url: TARGET, events: ['plan.ready'] }
  const url = `/v1/workspaces/${content.slug}/webhooks`
  for (const scopes of [['webhooks'], ['generations:read'], ['webhooks', 'events:write']]) {
    const { key } = await service.key(content.id, { scopes })
    expect((await service.call({ method: 'POST', url, key, body })).json.code).toBe('scope_missing')
  }
  const { key } = await service.key(content.id, { scopes: ['webhooks', 'generations:read'] })
  expect((await service.call({ method: 'POST', url, key, body })).status).toBe(201)
})

it('strangers are turned away before their body is read', async () => {
  const url = `/v1/workspaces/${content.slug}/events`
  const { status } = await service.call({ method: 'POST', url, body: '{"broken' })
  expect(status).toBe(401)
})

it('a key that another node revoked is refused after five seconds at the latest', async () => {
  const ws = await service.workspace('content')
  const get = () => service.call({ method: 'GET', url: `/v1/workspaces/${ws.id}/webhooks`, key: ws.key })
  expect((await get()).status).toBe(200)
  const workspace = await service.storage.getWorkspace({ ref: ws.id, dialect: null })
  await service.storage.revokeKey({
    workspaceId: workspace!.id,
    publicId: ws.keyId,
    now: service.clock.now(),
  })
  service.clock.forward(5001)
  expect((await get()).json.code).toBe('key_revoked')
})

it('no secret and no key is ever logged', async () => {
  const ws = await service.workspace('content')
  const url = `/v1/workspaces/${ws.id}/webhooks`
  const target = 'https://hooks.example.com/path?token=in-the-url'
  const { json } = await service.call({
    method: 'POST',
    url,
    key: ws.key,
    body: { url: target, events: ['plan.ready'] },
  })
  await service.call({ method: 'POST', url: `${url}/${json.id}/rotate-secret`, key: ws.key })
  await service.call({ method: 'GET', url: '/admin/v1/workspaces', key: 'a-wrong-admin-token' })
  const logs = service.logs.join('\n')
  expect(logs).toContain('wrong admin token')
  for (const secret of ['phk_', 'whsec_', 'in-the-url', 'a-wrong-admin-token', ADMIN_TOKEN]) {
    expect(logs).not.toContain(secret)
  }
})

it('the last use of a key is written down on close', async () => {
  const other = await startTestService()
  try {
    const ws = await other.workspace('ads')
    await other.call({ method: 'GET', url: '/api/v1/webhooks', key: ws.key })
    const workspace = (await other.storage.getWorkspace({ ref: ws.id, dialect: null }))!
    const lastUse = async () =>
      (await other.storage.getKey({ workspaceId: workspace.id, publicId: ws.keyId }))!.lastUsedAt
    expect(await lastUse()).toBeNull()
    await other.app.close()
    expect(await lastUse()).toEqual(expect.any(Number))
  } finally {
    await other.stop()
  }
})
