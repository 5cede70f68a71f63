import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addMemberWith,
  addOperator,
  browserOf,
  codeOf,
  newAddress,
  OWN_PAGE,
  openBrowser,
  portalLink,
  session,
  signInLink,
  somebody,
} from './people.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService } from './service.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * 60 * 60_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

describe('a session of an email address', () => {
  it('is the current member with it in each workspace, of both services', async () => {
    const [content, ads] = [await service.workspace('content'), await service.workspace('ads')]
    const { email, id } = await somebody(service, content, 'viewer')
    const cookie = await browserOf(service, email)
    const webhook = { url: 'https://hooks.example.com/' }
    const create = async (workspace: string) => {
      const headers = { ...OWN_PAGE, cookie, 'posthorn-workspace': workspace }
      const of =
        workspace === ads.slug
          ? { url: '/api/v1/webhooks', body: { ...webhook, types: ['deal.created.v1'] } }
          : { url: `/v1/workspaces/${workspace}/webhooks`, body: { ...webhook, events: ['plan.saved'] } }
      return codeOf(await service.call({ method: 'POST', headers, ...of }))
    }
    expect([await create(content.slug), await create(ads.slug)]).toEqual([
      '403 role_missing',
      '404 not_found',
    ])
    const late = await addMemberWith(service, ads.id, 'owner', email.toUpperCase())
    expect([await create(content.slug), await create(ads.slug)]).toEqual(['403 role_missing', 'ok'])
    const member = `/workspaces/${content.id}/members/${id}`
    await service.admin('PATCH', member, { role: 'owner' })
    expect(await create(content.slug)).toBe('ok')
    await service.admin('DELETE', member)
    expect([await create(content.slug), await create(ads.slug)]).toEqual(['404 not_found', 'ok'])
    const { json } = await session(service, 'GET', { cookie })
    expect(json.workspaces.map(({ member_id }: { member_id: string }) => member_id)).toEqual([late])
    await service.admin('DELETE', `/workspaces/${ads.id}`)
    expect(codeOf(await session(service, 'GET', { cookie }))).toBe('401 session_invalid')
  })

  it('names its workspace in a header if the path does not', async () => {
    const ads = await service.workspace('ads')
    const { email } = await somebody(service, ads)
    const cookie = await browserOf(service, email)
    const list = (headers: object) =>
      service.call({ method: 'GET', url: '/api/v1/webhooks', headers: { cookie, ...headers } })
    expect((await list({})).json).toMatchObject({
      code: 'not_found',
      detail: 'Send one of your workspaces in the header "posthorn-workspace".',
    })
    for (const ref of [ads.id, ads.slug]) expect((await list({ 'posthorn-workspace': ref })).status).toBe(200)
    const other = await service.workspace('ads')
    expect((await list({ 'posthorn-workspace': other.id })).status).toBe(404)
    // Next to a key it is ignored.
    const byKey = { authorization: `Bearer ${ads.key}`, 'posthorn-workspace': other.id }
    expect((await list(byKey)).status).toBe(200)
  })

  it("lasts a week, and an operator's by admin token half a day", async () => {
    const { email } = await somebody(service, await service.workspace('content'))
    const member = await browserOf(service, email)
    service.clock.forward(7 * DAY_MS - 5_000)
    const { cookie: admin } = await openBrowser(service, ADMIN_TOKEN)
    expect(codeOf(await session(service, 'GET', { cookie: member }))).toBe('ok')
    service.clock.forward(5_000)
    expect(codeOf(await session(service, 'GET', { cookie: member }))).toBe('401 session_invalid')
    service.clock.forward(12 * HOUR_MS - 10_000)
    expect(codeOf(await session(service, 'GET', { cookie: admin }))).toBe('ok')
    service.clock.forward(5_000)
    expect(codeOf(await session(service, 'GET', { cookie: admin }))).toBe('401 session_invalid')
  })

  it('is audited by the name of the member and of the session, in and out', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws)
    const cookie = await browserOf(service, email)
    const url = `/v1/workspaces/${ws.slug}/webhooks`
    const body = { url: 'https://hooks.example.com/', events: ['plan.saved'] }
    const made = await service.call({ method: 'POST', url, body, headers: { ...OWN_PAGE, cookie } })
    expect(made.json.created_by).toEqual({ type: 'member', id })
    await session(service, 'DELETE', { cookie })
    const { json } = await service.admin('GET', `/audit-log?workspace=${ws.id}&limit=3`)
    const actor = { type: 'member', id, session_id: expect.stringMatching(/^bws_/) }
    expect(json.data).toMatchObject([
      { action: 'member.signed_out', actor, target: { type: 'member', id }, details: {} },
      { action: 'webhook.created', actor },
      {
        action: 'member.signed_in',
        actor,
        target: { type: 'member', id },
        details: { by: 'operators_link' },
      },
    ])
    expect(new Set(json.data.map((entry: typeof json) => entry.actor.session_id)).size).toBe(1)
  })
})

describe('signing out', () => {
  it('can end itself, which removes the cookie', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws)
    const [one, other] = [await browserOf(service, email), await browserOf(service, email)]
    const { cookie: portal } = await openBrowser(service, await portalLink(service, ws.id, id))
    for (const cookie of [one, portal]) {
      const { status, headers } = await session(service, 'DELETE', { cookie })
      expect(status).toBe(204)
      expect(headers['set-cookie']).toMatch(
        /^posthorn_session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970/,
      )
      expect(codeOf(await session(service, 'GET', { cookie }))).toBe('401 session_invalid')
    }
    expect(codeOf(await session(service, 'GET', { cookie: other }))).toBe('ok')
  })

  it('can end all sessions and open links of the user, and of no other', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws)
    const stranger = await browserOf(service, (await somebody(service, ws)).email)
    const [one, other] = [await browserOf(service, email), await browserOf(service, email)]
    const { cookie: portal } = await openBrowser(service, await portalLink(service, ws.id, id))
    const open = [await signInLink(service, email), await portalLink(service, ws.id, id)]
    const url = '/console/v1/sessions'
    expect(
      (await service.call({ method: 'DELETE', url, headers: { ...OWN_PAGE, cookie: one } })).status,
    ).toBe(204)
    for (const cookie of [one, other, portal]) {
      expect(codeOf(await session(service, 'GET', { cookie }))).toBe('401 session_invalid')
    }
    for (const token of open)
      expect(codeOf((await openBrowser(service, token)).answer)).toBe('401 link_spent')
    expect(codeOf(await session(service, 'GET', { cookie: stranger }))).toBe('ok')
  })

  it('of a removed member stays ended, also when the email address is added again', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws)
    const member = await browserOf(service, email)
    const link = await signInLink(service, email)
    const path = `/workspaces/${ws.id}/members`
    expect((await service.admin('DELETE', `${path}/${id}`)).status).toBe(204)
    await addMemberWith(service, ws.id, 'owner', email)
    expect(codeOf(await session(service, 'GET', { cookie: member }))).toBe('401 session_invalid')
    expect(codeOf((await openBrowser(service, link)).answer)).toBe('401 link_spent')

    const address = newAddress()
    const operator = await addOperator(service, address)
    const cookie = await browserOf(service, address)
    expect((await service.admin('DELETE', `/operators/${operator}`)).status).toBe(204)
    await addOperator(service, address)
    expect(codeOf(await session(service, 'GET', { cookie }))).toBe('401 session_invalid')
  })

  it('of a member signed out by the operator ends in browsers too', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws)
    const cookie = await browserOf(service, email)
    expect((await service.admin('DELETE', `/workspaces/${ws.id}/members/${id}/sessions`)).status).toBe(204)
    expect(codeOf(await session(service, 'GET', { cookie }))).toBe('401 session_invalid')
  })
})

describe('a signed-in operator', () => {
  it('provisions, and views every workspace without changing anything', async () => {
    const [content, ads] = [await service.workspace('content'), await service.workspace('ads')]
    const email = newAddress()
    const id = await addOperator(service, email)
    const headers = { ...OWN_PAGE, cookie: await browserOf(service, email), 'posthorn-workspace': ads.slug }
    const call = async (method: Call['method'], url: string, body?: object) =>
      codeOf(await service.call({ method, url, headers, body }))
    const listOf = { content: `/v1/workspaces/${content.slug}/webhooks`, ads: '/api/v1/webhooks' }
    for (const url of Object.values(listOf)) expect(await call('GET', url)).toBe('ok')
    expect(await call('POST', listOf.content, {})).toBe('403 role_missing')
    expect(await call('GET', `/v1/workspaces/${content.slug}/audit-log`)).toBe('403 role_missing')
    expect(await call('GET', '/v1/workspaces/nowhere/webhooks')).toBe('404 not_found')
    expect(await call('POST', `/admin/v1/workspaces/${content.id}/suspend`)).toBe('ok')
    const { json } = await service.admin('GET', `/audit-log?workspace=${content.id}&limit=1`)
    const actor = { type: 'operator', id, session_id: expect.stringMatching(/^bws_/) }
    expect(json.data).toMatchObject([{ action: 'workspace.suspended', actor }])
  })

  it('who is also a member acts as that member there', async () => {
    const ws = await service.workspace('content')
    const { email } = await somebody(service, ws)
    await addOperator(service, email)
    const cookie = await browserOf(service, email)
    const url = `/v1/workspaces/${ws.slug}/webhooks`
    const body = { url: 'https://hooks.example.com/', events: ['plan.saved'] }
    const made = await service.call({ method: 'POST', url, body, headers: { ...OWN_PAGE, cookie } })
    expect(made.status).toBe(201)
  })

  it('loses access at the moment of removal', async () => {
    const email = newAddress()
    const id = await addOperator(service, email)
    const cookie = await browserOf(service, email)
    const list = () => service.call({ method: 'GET', url: '/admin/v1/operators', headers: { cookie } })
    const { json } = await list()
    expect(json.data[0]).toEqual({
      id,
      email,
      name: 'Olga',
      from_provider: false,
      created_at: expect.any(String),
    })
    expect((await service.admin('DELETE', `/operators/${id}`)).status).toBe(204)
    expect(codeOf(await list())).toBe('401 session_invalid')
    for (const unknown of [id, 'nonsense']) {
      expect(codeOf(await service.admin('DELETE', `/operators/${unknown}`))).toBe('404 not_found')
    }
  })

  it('has a unique email address', async () => {
    const email = newAddress()
    await addOperator(service, email)
    const again = await service.admin('POST', '/operators', { email: email.toUpperCase(), name: 'Oleg' })
    expect(codeOf(again)).toBe('409 email_taken')
  })
})

describe('preferences', () => {
  it('belong to each member', async () => {
    const ws = await service.workspace('ads')
    const people = [await somebody(service, ws, 'viewer'), await somebody(service, ws, 'viewer')]
    const [one, other] = await Promise.all(people.map(({ email }) => browserOf(service, email)))
    const url = `/console/v1/workspaces/${ws.slug}/preferences`
    const of = (cookie: string, method: Call['method'], body?: object) =>
      service.call({ method, url, body, headers: { ...OWN_PAGE, cookie } })
    expect((await of(one!, 'GET')).json).toEqual({ failing_warnings: true })
    expect((await of(one!, 'PATCH', { failing_warnings: false })).json).toEqual({ failing_warnings: false })
    expect((await of(one!, 'GET')).json).toEqual({ failing_warnings: false })
    expect((await of(other!, 'GET')).json).toEqual({ failing_warnings: true })
  })
})

it('no token and no cookie is ever logged', async () => {
  await openBrowser(service, ADMIN_TOKEN)
  await openBrowser(service, 'nonsense')
  const ws = await service.workspace('content')
  const { email } = await somebody(service, ws)
  const cookie = await browserOf(service, email)
  await session(service, 'GET', { cookie })
  const logs = service.logs.join('\n')
  expect(logs).toContain('admin token signed in')
  for (const secret of ['pha_', 'phb_', 'phl_', 'phs_', ADMIN_TOKEN, 'nonsense'])
    expect(logs).not.toContain(secret)
})
