import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashCredential } from '../../src/http/shared/credentials.ts'
import { signedIn } from './people.ts'
import { ADMIN_TOKEN, startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let content: TestWorkspace
beforeAll(async () => {
  service = await startTestService()
  content = await service.workspace('content')
})
afterAll(() => service.stop())

describe('the Authorization header', () => {
  it('is a bearer token, in any letter case, and nothing else', async () => {
    const url = `/v1/workspaces/${content.slug}/webhooks`
    for (const authorization of [content.key, `Basic ${content.key}`, 'Bearer', 'Bearer  ', 'Bearer a b']) {
      const { status, headers } = await service.call({ method: 'GET', url, headers: { authorization } })
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="posthorn"'])
    }
    const lowerCase = { authorization: `bearer ${content.key}` }
    expect((await service.call({ method: 'GET', url, headers: lowerCase })).status).toBe(200)
  })

  it.each(['x', `phk_${'A'.repeat(42)}`, `phk_${'A'.repeat(44)}`, `phs_${'A'.repeat(43)}`, 'null'])(
    'with %s gives no access, and the answer blames the token',
    async (key) => {
      const url = `/v1/workspaces/${content.slug}/webhooks`
      const { status, json, headers } = await service.call({ method: 'GET', url, key })
      expect([status, json.code]).toEqual([401, 'key_invalid'])
      expect(headers['www-authenticate']).toBe('Bearer realm="posthorn", error="invalid_token"')
    },
  )

  it('with a key that lacks a scope is answered with the required scopes', async () => {
    const { key } = await service.key(content.id, { scopes: ['events:write'] })
    const url = `/v1/workspaces/${content.slug}/webhooks`
    const { json, headers } = await service.call({ method: 'POST', url, key })
    expect(json.detail).toBe(
      'This API key does not have the scope webhooks and generations:read. Use a key that has it.',
    )
    expect(headers['www-authenticate']).toBe(
      'Bearer realm="posthorn", error="insufficient_scope", scope="webhooks generations:read"',
    )
  })
})

it('a missing workspace and one of another owner are both not found', async () => {
  for (const ws of ['nowhere', 'ws_00000000000000000000000000', '%00', 'A'.repeat(200)]) {
    const url = `/v1/workspaces/${ws}/webhooks`
    expect((await service.call({ method: 'GET', url, key: content.key })).status).toBe(404)
  }
})

it('unauthenticated callers are rejected before their body is read', async () => {
  const url = `/v1/workspaces/${content.slug}/events`
  const { status } = await service.call({ method: 'POST', url, body: '{"broken' })
  expect(status).toBe(401)
})

it('a key revoked on another node is rejected after five seconds at the latest', async () => {
  const ws = await service.workspace('content')
  const get = () => service.call({ method: 'GET', url: `/v1/workspaces/${ws.id}/webhooks`, key: ws.key })
  expect((await get()).status).toBe(200)
  const workspace = await service.storage.getWorkspace({ ref: ws.id, dialects: null })
  await service.storage.revokeKey({
    workspaceId: workspace!.id,
    publicId: ws.keyId,
    now: service.clock.now(),
  })
  service.clock.forward(5001)
  expect((await get()).json.code).toBe('key_revoked')
})

it('a session ended on another node is rejected after five seconds at the latest', async () => {
  const ws = await service.workspace('content')
  const { token } = await signedIn(service, ws.id, 'viewer')
  const get = () => service.call({ method: 'GET', url: `/v1/workspaces/${ws.id}/webhooks`, key: token })
  expect((await get()).status).toBe(200)
  const found = await service.storage.findSession({ hash: hashCredential(token) })
  await service.storage.deleteSessions({
    workspaceId: found!.workspace.id,
    memberId: found!.member.id,
    ofAddress: true,
    now: service.clock.now(),
  })
  service.clock.forward(5001)
  expect((await get()).json.code).toBe('key_invalid')
})

it('no secret and no key is ever logged', async () => {
  const ws = await service.workspace('content')
  const { token } = await signedIn(service, ws.id, 'owner')
  const url = `/v1/workspaces/${ws.id}/webhooks`
  const target = 'https://hooks.example.com/path?token=in-the-url'
  const { json } = await service.call({
    method: 'POST',
    url,
    key: ws.key,
    body: { url: target, events: ['plan.ready'] },
  })
  await service.call({ method: 'POST', url: `${url}/${json.id}/rotate-secret`, key: token })
  await service.call({ method: 'GET', url: '/admin/v1/workspaces', key: 'a-wrong-admin-token' })
  const logs = service.logs.join('\n')
  expect(logs).toContain('wrong credential')
  for (const secret of ['phk_', 'phs_', 'whsec_', 'in-the-url', 'a-wrong-admin-token', ADMIN_TOKEN]) {
    expect(logs).not.toContain(secret)
  }
})

it('the last use of a key is recorded on close', async () => {
  const other = await startTestService()
  try {
    const ws = await other.workspace('ads')
    await other.call({ method: 'GET', url: '/api/v1/webhooks', key: ws.key })
    const workspace = (await other.storage.getWorkspace({ ref: ws.id, dialects: null }))!
    const lastUse = async () =>
      (await other.storage.getKey({ workspaceId: workspace.id, publicId: ws.keyId }))!.lastUsedAt
    expect(await lastUse()).toBeNull()
    await other.app.close()
    expect(await lastUse()).toEqual(expect.any(Number))
  } finally {
    await other.stop()
  }
})
