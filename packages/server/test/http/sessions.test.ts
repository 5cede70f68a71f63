import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, openClient, SERVICES } from './client.ts'
import { addMember, type SignedIn, signedIn, signIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

const MINUTE_MS = 60_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

describe.each(SERVICES)('sessions in the %s service', (name) => {
  let client: Client
  let owner: SignedIn
  let members: string
  beforeEach(async () => {
    client = await openClient(service, name)
    owner = await signedIn(service, client.ws.id, 'owner')
    members = `/workspaces/${client.ws.id}/members`
  })

  const codeOf = async (key: string, method: 'GET' | 'POST' = 'GET') => {
    const body = method === 'POST' ? client.webhookBody() : undefined
    const { status, json } = await client.call(method, '/webhooks', { key, body })
    return status < 300 ? 'ok' : `${status} ${json.code}`
  }

  it('have the current role of their member', async () => {
    const asOwner = [await codeOf(owner.token), await codeOf(owner.token, 'POST')]
    expect(asOwner).toEqual(['ok', 'ok'])
    for (const role of ['editor', 'viewer'] as const) {
      const { status, json } = await service.admin('PATCH', `${members}/${owner.memberId}`, { role })
      expect([status, json.role]).toEqual([200, role])
      expect([await codeOf(owner.token), await codeOf(owner.token, 'POST')]).toEqual([
        'ok',
        '403 role_missing',
      ])
    }
    await service.admin('PATCH', `${members}/${owner.memberId}`, { role: 'owner' })
    expect(await codeOf(owner.token, 'POST')).toBe('ok')
  })

  it('and keys read the audit log as long as their member is an owner', async () => {
    const { key } = await service.key(client.ws.id, { scopes: ['webhooks'], member_id: owner.memberId })
    const read = async () => {
      const answers = await Promise.all([key, owner.token].map((by) => client.get('/audit-log', { key: by })))
      return answers.map(({ status }) => status)
    }
    expect(await read()).toEqual([200, 200])
    await service.admin('PATCH', `${members}/${owner.memberId}`, { role: 'editor' })
    expect(await read()).toEqual([403, 403])
    await service.admin('PATCH', `${members}/${owner.memberId}`, { role: 'owner' })
    expect(await read()).toEqual([200, 200])
    await service.admin('DELETE', `${members}/${owner.memberId}`)
    expect(await read()).toEqual([403, 401])
  })

  it('change and remove any webhook, which keys may do only with their own', async () => {
    const byKey = await client.webhook()
    const bySession = await client.webhook({}, { key: owner.token })
    if (name === 'content') {
      expect(byKey.json.created_by).toEqual({ type: 'key', id: client.ws.keyId })
      expect(bySession.json.created_by).toEqual({ type: 'member', id: owner.memberId })
    }
    const { key } = await service.key(client.ws.id, { scopes: ['webhooks'], member_id: owner.memberId })
    for (const other of [key, client.ws.key]) {
      const { status, json } = await client.call('DELETE', bySession.path, { key: other })
      expect([status, json.code]).toEqual([403, 'not_creator'])
    }
    const second = await signedIn(service, client.ws.id, 'owner')
    for (const { path } of [byKey, bySession]) {
      const body = { description: 'by another owner' }
      expect((await client.call('PATCH', path, { key: second.token, body })).status).toBe(200)
      expect((await client.call('DELETE', path, { key: second.token })).status).toBe(204)
    }
  })

  it('of a signed-out member all end, while those of others and keys stay', async () => {
    const again = await signIn(service, client.ws.id, owner.memberId)
    const other = await signedIn(service, client.ws.id, 'viewer')
    const { key } = await service.key(client.ws.id, { member_id: owner.memberId })
    for (const token of [owner.token, again.token, other.token, key]) expect(await codeOf(token)).toBe('ok')
    expect((await service.admin('DELETE', `${members}/${owner.memberId}/sessions`)).status).toBe(204)
    for (const token of [owner.token, again.token]) expect(await codeOf(token)).toBe('401 key_invalid')
    for (const token of [other.token, key]) expect(await codeOf(token)).toBe('ok')
    expect(await codeOf((await signIn(service, client.ws.id, owner.memberId)).token)).toBe('ok')
  })

  it('end with their member and with their workspace', async () => {
    const other = await signedIn(service, client.ws.id, 'viewer')
    expect([await codeOf(owner.token), await codeOf(other.token)]).toEqual(['ok', 'ok'])
    expect((await service.admin('DELETE', `${members}/${owner.memberId}`)).status).toBe(204)
    expect([await codeOf(owner.token), await codeOf(other.token)]).toEqual(['401 key_invalid', 'ok'])
    const gone = await service.admin('POST', `${members}/${owner.memberId}/sessions`, {})
    expect([gone.status, gone.json.code]).toEqual([404, 'not_found'])
    await service.admin('DELETE', `/workspaces/${client.ws.id}`)
    expect(await codeOf(other.token)).toBe('401 key_invalid')
  })

  it('can still read while their workspace is suspended', async () => {
    await service.admin('POST', `/workspaces/${client.ws.id}/suspend`)
    expect(await codeOf(owner.token)).toBe('ok')
  })

  it('are created only for members of the workspace', async () => {
    const other = await openClient(service, name)
    const stranger = await addMember(service, other.ws.id, 'owner')
    for (const id of [stranger, 'nonsense', '%00']) {
      const { status, json } = await service.admin('POST', `${members}/${id}/sessions`, {})
      expect([status, json.code]).toEqual([404, 'not_found'])
      expect((await service.admin('DELETE', `${members}/${id}/sessions`)).status).toBe(404)
      expect((await service.admin('PATCH', `${members}/${id}`, { role: 'owner' })).status).toBe(404)
    }
  })

  it('last as long as requested, an hour by default', async () => {
    for (const [body, minutes] of [
      [undefined, 60],
      [{}, 60],
      [{ minutes: 1 }, 1],
      [{ minutes: 1440 }, 1440],
    ] as const) {
      const { status, json } = await service.admin('POST', `${members}/${owner.memberId}/sessions`, body)
      expect(status).toBe(201)
      expect(json).toEqual({
        id: expect.any(String),
        member_id: owner.memberId,
        token: expect.stringMatching(/^phs_[A-Za-z0-9_-]{43}$/),
        secret_omitted: null,
        created_at: expect.any(String),
        expires_at: new Date(Date.parse(json.created_at) + minutes * MINUTE_MS).toISOString(),
      })
      service.clock.forward(minutes * MINUTE_MS - 5000)
      expect(await codeOf(json.token)).toBe('ok')
      service.clock.forward(5000)
      const late = await client.get('/webhooks', { key: json.token })
      expect([late.status, late.json.code]).toEqual([401, 'key_expired'])
      expect(late.json.detail).toBe(`This session expired at ${json.expires_at}; create a new one.`)
    }
  })

  it.each([0, -1, 1441, 1.5, '60', null, [60]])('are rejected for %j minutes', async (minutes) => {
    const { status, json } = await service.admin('POST', `${members}/${owner.memberId}/sessions`, { minutes })
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, 'invalid_request', '/minutes'])
  })

  it('show their token once', async () => {
    const texts = await Promise.all([
      service.admin('GET', members),
      service.admin('GET', `${members}/${owner.memberId}`),
      service.admin('GET', `/audit-log?workspace=${client.ws.id}`),
      client.get('/audit-log', { key: owner.token }),
    ])
    for (const { status, text } of texts) {
      expect(status).toBe(200)
      expect(text).not.toContain('phs_')
    }
  })
})

describe('a member', () => {
  it('is changed only in the sent members', async () => {
    const { ws } = await openClient(service, 'content')
    const url = `/workspaces/${ws.id}/members`
    const { json } = await service.admin('POST', url, {
      email: 'a@example.com',
      name: 'Anna',
      role: 'viewer',
    })
    const steps = [
      { name: 'Anna B.' },
      { role: 'editor' },
      { name: 'Anna', role: 'owner' },
      { role: 'owner' },
    ]
    let expected = json
    for (const body of steps) {
      expected = { ...expected, ...body }
      const changed = await service.admin('PATCH', `${url}/${json.id}`, body)
      expect([changed.status, changed.json]).toEqual([200, expected])
      expect((await service.admin('GET', `${url}/${json.id}`)).json).toEqual(expected)
    }
  })

  it.each([
    ['nothing', {}, ''],
    ['an unknown role', { role: 'boss' }, '/role'],
    ['a role that is null', { role: null }, '/role'],
    ['an empty name', { name: '' }, '/name'],
    ['a name with NUL', { name: 'a\0' }, '/name'],
    ['an e-mail address, which is who they are', { email: 'b@example.com' }, '/email'],
  ])('is not changed by %s', async (_, body, pointer) => {
    const { ws } = await openClient(service, 'content')
    const id = await addMember(service, ws.id, 'viewer')
    const url = `/workspaces/${ws.id}/members/${id}`
    const before = (await service.admin('GET', url)).json
    const { status, json } = await service.admin('PATCH', url, body)
    expect([status, json.errors[0].pointer]).toEqual([422, pointer])
    expect((await service.admin('GET', url)).json).toEqual(before)
  })
})
