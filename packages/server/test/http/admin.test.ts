import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentEvent, TARGET } from './events.ts'
import { ADMIN_TOKEN, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const create = (body: object) => service.admin('POST', '/workspaces', body)

describe('workspaces', () => {
  it('are created, read by id and slug, listed and deleted', async () => {
    const { status, json, headers } = await create({ dialect: 'content', slug: 'acme', name: 'Acme' })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^ws_/),
      dialect: 'content',
      slug: 'acme',
      name: 'Acme',
      suspended_at: null,
      created_at: expect.any(String),
    })
    expect(headers.location).toBe(`/admin/v1/workspaces/${json.id}`)
    for (const ref of [json.id, 'acme']) {
      expect((await service.admin('GET', `/workspaces/${ref}`)).json).toEqual(json)
    }
    expect((await service.admin('GET', '/workspaces')).json.data).toContainEqual(json)
    expect((await service.admin('DELETE', '/workspaces/acme')).status).toBe(204)
    expect((await service.admin('GET', `/workspaces/${json.id}`)).status).toBe(404)
    expect((await create({ dialect: 'content', slug: 'acme', name: 'Again' })).status).toBe(201)
  })

  it('have a unique slug', async () => {
    await create({ dialect: 'ads', slug: 'taken', name: 'One' })
    const { status, json } = await create({ dialect: 'ads', slug: 'taken', name: 'Two' })
    expect([status, json.code]).toEqual([409, 'slug_taken'])
  })

  it.each([
    ['an unknown dialect', { dialect: 'mail' }, '/dialect'],
    ['an upper-case slug', { slug: 'Acme' }, '/slug'],
    ['a slug that is a UUID', { slug: '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11' }, '/slug'],
    ['a slug that looks like an id', { slug: 'ws_1' }, '/slug'],
    ['a name with NUL', { name: 'a\0b' }, '/name'],
    ['a name with half a surrogate pair', { name: 'a\ud800' }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a member that does not exist', { plan: 'gold' }, '/plan'],
  ])('refuse %s', async (_, wrong, pointer) => {
    const { status, json } = await create({ dialect: 'content', slug: 'fine', name: 'Fine', ...wrong })
    expect(status).toBe(422)
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer])
  })

  it('are listed in pages', async () => {
    for (let i = 0; i < 3; i++) await service.workspace('content')
    const first = (await service.admin('GET', '/workspaces?limit=2')).json
    const second = (await service.admin('GET', `/workspaces?limit=2&cursor=${first.next_cursor}`)).json
    const ids = [...first.data, ...second.data].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'limit=1.5',
      'limit=1e999',
      'limit=-1e999',
      'cursor=!',
      'page=2',
      'limit=1&limit=2',
    ]) {
      expect((await service.admin('GET', `/workspaces?${query}`)).status).toBe(422)
    }
  })

  it('are suspended and resumed', async () => {
    const ws = await service.workspace('content')
    const webhooks = `/v1/workspaces/${ws.slug}/webhooks`
    const body = { url: TARGET, events: ['plan.ready'] }
    const { json } = await service.call({ method: 'POST', url: webhooks, key: ws.key, body })
    const status = async () =>
      (await service.call({ method: 'GET', url: `${webhooks}/${json.id}`, key: ws.key })).json.status
    const suspended = await service.admin('POST', `/workspaces/${ws.id}/suspend`)
    expect([suspended.status, suspended.json.suspended_at]).toEqual([200, expect.any(String)])
    expect(await status()).toBe('paused')
    const resumed = await service.admin('POST', `/workspaces/${ws.id}/resume`)
    expect(resumed.json.suspended_at).toBeNull()
    expect(await status()).toBe('on')
  })
})

describe('members', () => {
  it('are added, read, listed and removed', async () => {
    const ws = await service.workspace('content')
    const url = `/workspaces/${ws.slug}/members`
    const body = { email: 'anna@example.com', name: 'Anna', role: 'owner' }
    const { status, json } = await service.admin('POST', url, body)
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^usr_/),
      ...body,
      from_provider: false,
      created_at: expect.any(String),
    })
    expect((await service.admin('GET', `${url}/${json.id}`)).json).toEqual(json)
    expect((await service.admin('GET', url)).json).toEqual({ data: [json], next_cursor: null })
    expect((await service.admin('POST', url, body)).json.code).toBe('email_taken')
    expect((await service.admin('DELETE', `${url}/${json.id}`)).status).toBe(204)
    expect((await service.admin('DELETE', `${url}/${json.id}`)).status).toBe(404)
    expect((await service.admin('GET', `${url}/${json.id}`)).status).toBe(404)
  })

  it('are rejected without an e-mail address or a known role', async () => {
    const ws = await service.workspace('ads')
    const { status, json } = await service.admin('POST', `/workspaces/${ws.id}/members`, {
      email: 'anna',
      name: 'Anna',
      role: 'boss',
    })
    expect(status).toBe(422)
    expect(json.errors.map((error: { pointer: string }) => error.pointer).sort()).toEqual(['/email', '/role'])
  })
})

describe('keys', () => {
  it('are shown once and never again', async () => {
    const ws = await service.workspace('content')
    const url = `/workspaces/${ws.id}/keys`
    const member = { email: 'a@example.com', name: 'A', role: 'owner' }
    const { json: anna } = await service.admin('POST', `/workspaces/${ws.id}/members`, member)
    const { status, json } = await service.admin('POST', url, {
      name: 'ci',
      scopes: ['events:write'],
      member_id: anna.id,
      expires_at: '2099-01-01T00:00:00+02:00',
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^phk_[A-Za-z0-9_-]{43}$/),
      secret_omitted: null,
      name: 'ci',
      scopes: ['events:write'],
      member_id: anna.id,
      created_at: expect.any(String),
      expires_at: '2098-12-31T22:00:00.000Z',
      revoked_at: null,
      last_used_at: null,
    })
    const { key, secret_omitted: _, ...shown } = json
    expect((await service.admin('GET', `${url}/${json.id}`)).json).toEqual(shown)
    const list = await service.admin('GET', url)
    expect(list.json.data[0]).toEqual(shown)
    expect(list.text).not.toContain(key)
  })

  it('stop working at once when they are revoked, and stay listed', async () => {
    const ws = await service.workspace('content')
    const publish = () =>
      service.call({
        method: 'POST',
        url: `/v1/workspaces/${ws.id}/events`,
        key: ws.key,
        body: contentEvent(),
      })
    expect((await publish()).status).toBe(202)
    const url = `/workspaces/${ws.id}/keys/${ws.keyId}`
    expect((await service.admin('DELETE', url)).status).toBe(204)
    const refused = await publish()
    expect([refused.status, refused.json.code]).toEqual([401, 'key_revoked'])
    expect((await service.admin('GET', url)).json.revoked_at).toEqual(expect.any(String))
    expect((await service.admin('DELETE', url)).status).toBe(204)
  })

  it.each([
    ['no scope', { scopes: [] }, '/scopes'],
    ['an unknown scope', { scopes: ['events:read'] }, '/scopes/0'],
    ['a scope twice', { scopes: ['webhooks', 'webhooks'] }, '/scopes'],
    ['a member of nowhere', { member_id: 'usr_nobody' }, '/member_id'],
    ['an expiry that is over', { expires_at: '2001-01-01T00:00:00Z' }, '/expires_at'],
    ['an expiry that is no time', { expires_at: 'tomorrow' }, '/expires_at'],
  ])('refuse %s', async (_, wrong, pointer) => {
    const ws = await service.workspace('content')
    const { status, json } = await service.admin('POST', `/workspaces/${ws.id}/keys`, {
      name: 'k',
      scopes: ['webhooks'],
      ...wrong,
    })
    expect(status).toBe(422)
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer])
  })

  it('of the ads service never get a scope of the content service', async () => {
    const ws = await service.workspace('ads')
    const body = { name: 'k', scopes: ['generations:read'] }
    expect((await service.admin('POST', `/workspaces/${ws.id}/keys`, body)).status).toBe(422)
  })
})

describe('the admin token', () => {
  it.each([
    ['no token', undefined, 'credentials_missing'],
    ['another token', 'wrong', 'admin_token_invalid'],
    ['a token that only begins right', 'admin-token', 'admin_token_invalid'],
  ])('gives no access to %s', async (_, key, code) => {
    const { status, json, headers } = await service.call({ method: 'GET', url: '/admin/v1/workspaces', key })
    expect([status, json.code]).toEqual([401, code])
    expect(headers['www-authenticate']).toContain('Bearer')
  })

  it('is not an API key, and an API key is not an admin token', async () => {
    const ws = await service.workspace('content')
    const url = `/v1/workspaces/${ws.id}/webhooks`
    expect((await service.call({ method: 'GET', url, key: ADMIN_TOKEN })).status).toBe(401)
    expect((await service.call({ method: 'GET', url: '/admin/v1/workspaces', key: ws.key })).status).toBe(401)
  })
})

it('answers 404 for every provisioning path of a workspace that does not exist', async () => {
  for (const ref of ['nowhere', 'ws_nothing', '%00', 'a%20b', '..%2f']) {
    expect((await service.admin('GET', `/workspaces/${ref}`)).status).toBe(404)
    expect((await service.admin('POST', `/workspaces/${ref}/suspend`)).status).toBe(404)
    expect((await service.admin('DELETE', `/workspaces/${ref}`)).status).toBe(404)
    expect((await service.admin('GET', `/workspaces/${ref}/keys`)).status).toBe(404)
  }
  const ws = await service.workspace('content')
  for (const path of ['keys/key_x', 'keys/%00', 'members/usr_x', 'members/%00']) {
    expect((await service.admin('GET', `/workspaces/${ws.id}/${path}`)).status).toBe(404)
    expect((await service.admin('DELETE', `/workspaces/${ws.id}/${path}`)).status).toBe(404)
  }
})
