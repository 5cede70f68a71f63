import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserOf, codeOf, OWN_PAGE, openBrowser, session, signInLink, somebody } from './people.ts'
import { ADMIN_TOKEN, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

describe('the cookie of a session', () => {
  it('is for this service only and unavailable to scripts', async () => {
    const { email } = await somebody(service, await service.workspace('content'))
    const { set } = await openBrowser(service, await signInLink(service, email))
    expect(set).toMatch(/^posthorn_session=phb_[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await openBrowser(service, ADMIN_TOKEN)).set).toContain('Max-Age=43200;')
  })

  it('has a name that no neighbor can set where there is TLS', async () => {
    const secure = await startTestService(() => ({ publicUrl: () => 'https://hooks.example.com' }))
    try {
      const { set, cookie } = await openBrowser(secure, ADMIN_TOKEN)
      expect(set).toMatch(
        /^__Host-posthorn_session=pha_[\w-]{43}; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
      const url = '/console/v1/session'
      const read = (sent: string) => secure.call({ method: 'GET', url, headers: { cookie: sent } })
      expect((await read(cookie)).status).toBe(200)
      expect((await read(cookie.replace('__Host-', ''))).json.code).toBe('credentials_missing')
      const leave = (origin: string) => secure.call({ method: 'DELETE', url, headers: { cookie, origin } })
      expect((await leave('http://hooks.example.com')).json.code).toBe('cross_site')
      expect((await leave('https://hooks.example.com')).status).toBe(204)
    } finally {
      await secure.stop()
    }
  })

  it('is ignored for pages of other sites', async () => {
    const ws = await service.workspace('content')
    const { email } = await somebody(service, ws)
    const cookie = await browserOf(service, email)
    const url = `/v1/workspaces/${ws.slug}/webhooks`
    const body = { url: 'https://hooks.example.com/', events: ['plan.saved'] }
    const create = async (headers: Record<string, string>) =>
      codeOf(await service.call({ method: 'POST', url, body, headers: { cookie, ...headers } }))
    const own = service.base
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: own },
      { origin: 'https://evil.example.com' },
      { origin: own.replace('http:', 'https:') },
      { origin: 'null' },
    ]) {
      expect([headers, await create(headers as Record<string, string>)]).toEqual([headers, '403 cross_site'])
    }
    expect(await create({ origin: own })).toBe('ok')
    expect(await create({ 'sec-fetch-site': 'same-origin', origin: 'null' })).toBe('ok')
    const read = await service.call({
      method: 'GET',
      url,
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    expect(read.json.data).toHaveLength(2)
  })

  it('is ignored next to an Authorization header', async () => {
    const ws = await service.workspace('content')
    const { email } = await somebody(service, ws)
    const cookie = await browserOf(service, email)
    const url = `/v1/workspaces/${ws.slug}/webhooks`
    const read = async (authorization: string) =>
      codeOf(await service.call({ method: 'GET', url, headers: { ...OWN_PAGE, cookie, authorization } }))
    expect(await read('Basic YTpi')).toBe('401 credentials_missing')
    expect(await read(`Bearer phk_${'A'.repeat(43)}`)).toBe('401 key_invalid')
    expect(await read(`Bearer ${(await service.workspace('content')).key}`)).toBe('404 not_found')
    expect(await read(`Bearer ${ws.key}`)).toBe('ok')
    const admin = { method: 'GET', url: '/admin/v1/workspaces' } as const
    const asAdmin = { cookie: (await openBrowser(service, ADMIN_TOKEN)).cookie, ...OWN_PAGE }
    expect(codeOf(await service.call({ ...admin, headers: asAdmin }))).toBe('ok')
    expect(codeOf(await service.call({ ...admin, headers: asAdmin, key: ws.key }))).toBe(
      '401 admin_token_invalid',
    )
  })

  it('is not a bearer token', async () => {
    const { email } = await somebody(service, await service.workspace('content'))
    const cookie = await browserOf(service, email)
    expect(codeOf(await session(service, 'GET', {}, cookie.split('=')[1]))).toBe('401 key_invalid')
  })
})
