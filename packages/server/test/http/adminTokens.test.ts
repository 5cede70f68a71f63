import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newCredential } from '../../src/http/shared/credentials.ts'
import { AUTHENTICATION_LIMITS } from '../../src/http/shared/throttle/limits.ts'
import { codeOf, openBrowser } from './people.ts'
import { ADMIN_TOKEN, startTestService, type TestService } from './service.ts'

const MINUTE_MS = 60_000
const URL = '/admin/v1/admin-tokens'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function make(body: object = {}, key: string = ADMIN_TOKEN) {
  const { status, json } = await service.call({
    method: 'POST',
    url: URL,
    key,
    body: { name: 'CI', ...body },
  })
  expect(status).toBe(201)
  return json as { readonly id: string; readonly token: string }
}

const ask = (key: string, url = URL) => service.call({ method: 'GET', url, key })
const revoke = (id: string, key: string = ADMIN_TOKEN) =>
  service.call({ method: 'DELETE', url: `${URL}/${id}`, key })

describe('an admin token', () => {
  it('is shown once, has the rights of the bootstrap token, and is named in the audit log', async () => {
    const made = await service.admin('POST', '/admin-tokens', { name: 'CI' })
    const { id, token } = made.json
    const facts = { id, name: 'CI', created_at: expect.any(String), expires_at: null, revoked_at: null }
    expect(made.json).toEqual({ ...facts, last_used_at: null, token, secret_omitted: null })
    expect([id, token]).toEqual([
      expect.stringMatching(/^adt_[0-9a-z]{26}$/),
      expect.stringMatching(/^pht_[\w-]{43}$/),
    ])
    const body = { dialect: 'content', slug: 'by-token', name: 'By a token' }
    const workspace = await service.call({ method: 'POST', url: '/admin/v1/workspaces', key: token, body })
    expect(workspace.status).toBe(201)
    const { json: log, text } = await service.admin('GET', `/audit-log?workspace=${workspace.json.id}`)
    const actor = { type: 'operator', id, name: 'CI', session_id: null }
    expect(log.data).toMatchObject([{ action: 'workspace.created', actor }])
    const list = await ask(token)
    expect(list.json.data).toContainEqual({ ...facts, last_used_at: null })
    for (const said of [text, list.text, ...service.logs]) expect(said).not.toContain(token)
  })

  it('is in the audit log of operators when it is created and revoked, with its name and expiry', async () => {
    const expires_at = '2090-01-01T00:00:00.000Z'
    const { id, token } = await make({ expires_at })
    const other = await make({ name: 'other' }, token)
    expect((await revoke(other.id, token)).status).toBe(204)
    expect((await revoke(other.id)).status).toBe(204)
    const { json } = await service.admin('GET', `/audit-log?target=${other.id}`)
    const target = { type: 'admin_token', id: other.id, name: 'other' }
    const by = { actor: { type: 'operator', id, name: 'CI' }, workspace_id: null, target }
    expect(json.data).toMatchObject([
      { ...by, action: 'admin_token.revoked', details: {} },
      { ...by, action: 'admin_token.created', details: { name: 'other' } },
    ])
    const own = await service.admin('GET', `/audit-log?target=${id}`)
    expect(own.json.data).toMatchObject([
      { actor: { id: null, name: null }, details: { name: 'CI', expires_at } },
    ])
  })

  it('ends when it is revoked or expires; only clients with the whole token learn which', async () => {
    const expires_at = new Date(service.clock.now() + MINUTE_MS).toISOString()
    const [revoked, brief] = [await make({ name: 'one' }), await make({ name: 'two', expires_at })]
    expect([codeOf(await ask(revoked.token)), codeOf(await ask(brief.token))]).toEqual(['ok', 'ok'])
    await revoke(revoked.id)
    service.clock.forwardCalendar(MINUTE_MS)
    const [first, second] = [await ask(revoked.token), await ask(brief.token)]
    expect([first.status, first.json.code]).toEqual([401, 'admin_token_revoked'])
    expect(first.json.detail).toMatch(/^The admin token "one" was revoked at \S+Z; use another one\.$/)
    expect([second.status, second.json.code]).toEqual([401, 'admin_token_expired'])
    expect(second.json.detail).toBe(`The admin token "two" expired at ${expires_at}; create a new one.`)
    const altered = `${revoked.token.slice(0, -2)}${revoked.token.endsWith('AA') ? 'BB' : 'AA'}`
    for (const stranger of [altered, newCredential('adminToken'), `${ADMIN_TOKEN}x`]) {
      const { status, json, headers } = await ask(stranger)
      expect([status, json.code, json.detail]).toEqual([
        401,
        'admin_token_invalid',
        'This is not an admin token of this service. Check that you copied all of it.',
      ])
      expect(headers['www-authenticate']).toBe('Bearer realm="posthorn", error="invalid_token"')
    }
  })

  it('is not created with an expiry in the past, and not revoked by another id', async () => {
    const past = await service.admin('POST', '/admin-tokens', {
      name: 'x',
      expires_at: '2001-01-01T00:00:00Z',
    })
    expect([past.status, past.json.errors]).toEqual([
      422,
      [{ pointer: '/expires_at', message: 'must be in the future' }],
    ])
    for (const id of ['nothing', 'adt_00000000000000000000000000'])
      expect((await revoke(id)).json.code).toBe('not_found')
  })

  it('is rejected as an API key, and at sign-in with an explanation', async () => {
    const { token } = await make()
    const { slug } = await service.workspace('content')
    expect(codeOf(await ask(token, `/v1/workspaces/${slug}/webhooks`))).toBe('401 key_invalid')
    const { answer } = await openBrowser(service, token)
    expect([answer.status, answer.json.code]).toEqual([401, 'admin_token_invalid'])
    expect(answer.json.detail).toMatch(/are for programs and cannot sign in\. Use a sign-in link/)
  })
})

describe('of several services', () => {
  it('a node records the last use of tokens, at the latest when it stops', async () => {
    const other = await startTestService()
    const { id, token } = (await other.admin('POST', '/admin-tokens', { name: 'CI' })).json
    const before = other.clock.now()
    await other.call({ method: 'GET', url: URL, key: token })
    await other.app.close()
    const { lastUsedAt } = (await other.storage.getAdminToken({ publicId: id }))!
    expect(lastUsedAt).toBeGreaterThanOrEqual(before)
    await other.stop()
  })

  it('a bootstrap token may have the form of a named token, and both work', async () => {
    const set = newCredential('adminToken')
    const other = await startTestService(() => ({ adminToken: set }))
    const asked = async (key: string) => codeOf(await other.call({ method: 'GET', url: URL, key }))
    expect(await asked(set)).toBe('ok')
    const made = await other.call({ method: 'POST', url: URL, key: set, body: { name: 'CI' } })
    expect(await asked(made.json.token)).toBe('ok')
    expect(await asked(newCredential('adminToken'))).toBe('401 admin_token_invalid')
    expect((await openBrowser(other, set)).answer.status).toBe(200)
    await other.stop()
  })

  it('any number of wrong named tokens does not lock out the bootstrap token', async () => {
    const other = await startTestService(() => ({ authenticationLimits: AUTHENTICATION_LIMITS }))
    const asked = async (key: string) => codeOf(await other.call({ method: 'GET', url: URL, key }))
    const { token } = (await other.admin('POST', '/admin-tokens', { name: 'CI' })).json
    expect(await asked(token)).toBe('ok')
    const answers = new Set<string>()
    for (let n = 0; n < 2 * AUTHENTICATION_LIMITS.credentials.byClient.burst; n++)
      answers.add(await asked(newCredential('adminToken')))
    expect([...answers].sort()).toEqual(['401 admin_token_invalid', '429 too_many_wrong_credentials'])
    expect([await asked(ADMIN_TOKEN), await asked(token)]).toEqual(['ok', 'ok'])
    await other.stop()
  })
})
