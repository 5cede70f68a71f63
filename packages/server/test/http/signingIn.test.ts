import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSignInToken } from '../../src/engine/signInTokens.ts'
import {
  addMemberWith,
  addOperator,
  browserOf,
  newAddress,
  OWN_PAGE,
  openBrowser,
  portalLink,
  type RoleName,
  signInLink,
} from './people.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService, type TestWorkspace } from './service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const AT_ONCE = 6

let service: TestService
let opened: Parameters<typeof openSignInToken>[0]
beforeAll(async () => {
  service = await startTestService((deps) => {
    opened = deps.secretBox
    return {}
  })
})
afterAll(() => service.stop())

const session = (method: Call['method'], headers: Call['headers'], key?: string) =>
  service.call({ method, url: '/console/v1/session', headers: { ...OWN_PAGE, ...headers }, key })

const codeOf = ({ status, json }: { status: number; json: { code?: string } | null }) =>
  status < 300 ? 'ok' : `${status} ${json?.code}`

/** A member of a workspace with an address of its own. */
async function somebody(ws: TestWorkspace, role: RoleName = 'owner') {
  const email = newAddress()
  return { email, id: await addMemberWith(service, ws.id, role, email) }
}

describe('a link that was asked for', () => {
  // Each test is of a client of its own time: limits are for a quarter of an hour.
  beforeEach(() => service.clock.forward(15 * MINUTE_MS))

  const ask = (email: string, headers: Call['headers'] = OWN_PAGE) =>
    service.call({ method: 'POST', url: '/console/v1/sign-in-links', body: { email }, headers })

  /** Tokens that wait to be e-mailed, with whom they go to. */
  async function mails() {
    const of = { claim: String(Math.random()), claimMs: 1, now: service.clock.now(), limit: 1000 }
    const { notifications } = await service.storage.claimNotifications(of)
    return notifications
      .filter(({ kind }) => kind === 'sign_in')
      .map(({ toEmail, sealed }) => ({ toEmail, token: openSignInToken(opened, sealed!, toEmail!) }))
  }

  it('goes to the address as it is known here, and signs in who opens it', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws, 'viewer')
    expect(await ask(email.toUpperCase())).toMatchObject({ status: 202, json: {} })
    const mail = (await mails()).find(({ toEmail }) => toEmail === email)!
    const { answer } = await openBrowser(service, mail.token)
    expect(answer.json).toEqual({
      email,
      name: 'The viewer',
      operator: false,
      expires_at: expect.any(String),
      workspaces: [
        {
          id: ws.id,
          slug: ws.slug,
          name: `The ${ws.slug}`,
          dialect: 'content',
          role: 'viewer',
          member_id: id,
          suspended_at: null,
        },
      ],
    })
  })

  it('goes to nobody when nobody has the address, and the answer is the same', async () => {
    const known = await somebody(await service.workspace('ads'))
    const stranger = newAddress()
    const [yes, no] = [await ask(known.email), await ask(stranger)]
    expect([no.status, no.text]).toEqual([yes.status, yes.text])
    expect((await mails()).map(({ toEmail }) => toEmail)).not.toContain(stranger)
  })

  it('is one of five in a quarter of an hour, for whoever the address is', async () => {
    const known = await somebody(await service.workspace('content'))
    for (const email of [known.email, newAddress()]) {
      const answers = []
      for (let n = 0; n < 6; n++) answers.push(await ask(email))
      expect(answers.map(codeOf)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', '429 too_many_sign_ins'])
      expect(Number(answers[5]!.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await mails()).filter(({ toEmail }) => toEmail === known.email)).toHaveLength(5)
  })

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['a page of another origin', { origin: 'https://evil.example.com' }],
  ])('is not for %s to ask for, nor to sign its visitors in', async (_, headers) => {
    expect(codeOf(await ask(newAddress(), headers))).toBe('403 cross_site')
    const call = { method: 'POST', url: '/console/v1/session', body: { token: ADMIN_TOKEN } } as const
    expect(codeOf(await service.call({ ...call, headers }))).toBe('403 cross_site')
    expect(codeOf(await service.call(call))).toBe('ok')
  })
})

describe('a link', () => {
  it('works once, also when it is opened many times at once', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    for (const token of [await signInLink(service, email), await portalLink(service, ws.id, id)]) {
      const tries = await Promise.all(Array.from({ length: AT_ONCE }, () => openBrowser(service, token)))
      const codes = tries.map(({ answer }) => codeOf(answer))
      expect(codes.sort()).toEqual([...Array(AT_ONCE - 1).fill('401 link_spent'), 'ok'])
      expect(tries.filter(({ set }) => set !== undefined)).toHaveLength(1)
    }
    service.clock.forward(15 * MINUTE_MS)
  })

  it('works for its time and no longer', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    const links = [
      [() => signInLink(service, email), 15],
      [() => portalLink(service, ws.id, id), 5],
    ] as const
    for (const [make, minutes] of links) {
      const [inTime, late] = [await make(), await make()]
      service.clock.forward(minutes * MINUTE_MS - 5_000)
      expect(codeOf((await openBrowser(service, inTime)).answer)).toBe('ok')
      service.clock.forward(5_000)
      const { answer } = await openBrowser(service, late)
      expect([codeOf(answer), answer.json.detail]).toEqual([
        '401 link_spent',
        'This link was used before, or is too old. Ask for a new one where you got it.',
      ])
    }
  })

  it('is in the fragment of a page of this service', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    const form = (page: string) =>
      expect.stringMatching(new RegExp(`^${service.base}/${page}#phl_[\\w-]{43}$`))
    const { json } = await service.admin('POST', '/sign-in-links', { email })
    expect(json).toEqual({ url: form('sign-in'), expires_at: expect.any(String) })
    const path = `/workspaces/${ws.id}/members/${id}/portal-links`
    const before = service.clock.now()
    const portal = (await service.admin('POST', path, { minutes: 60 })).json
    expect(portal).toEqual({
      url: form('portal'),
      embed_url: portal.url.replace('/portal#', '/embed#'),
      expires_at: expect.any(String),
    })
    expect(Date.parse(portal.expires_at)).toBeGreaterThanOrEqual(before + HOUR_MS)
    for (const minutes of [0, 61, 1.5])
      expect((await service.admin('POST', path, { minutes })).status).toBe(422)
  })

  it('is for members and operators alone', async () => {
    const unknown = await service.admin('POST', '/sign-in-links', { email: newAddress() })
    expect(codeOf(unknown)).toBe('404 not_found')
    const operator = newAddress()
    await addOperator(service, operator)
    const { answer } = await openBrowser(service, await signInLink(service, operator))
    expect(answer.json).toMatchObject({ email: operator, name: 'Olga', operator: true, workspaces: [] })
  })

  it('of a product signs in one member, for an hour, in a frame too', async () => {
    const [ws, other] = [await service.workspace('content'), await service.workspace('ads')]
    const { email, id } = await somebody(ws, 'editor')
    await addMemberWith(service, other.id, 'owner', email)
    const { answer, cookie } = await openBrowser(service, await portalLink(service, ws.id, id))
    expect(answer.json.workspaces.map(({ id }: { id: string }) => id)).toEqual([ws.id])
    expect(answer.json).not.toHaveProperty('bearer')
    const { workspace, ...opened } = answer.json
    expect(workspace).toBe(ws.id)
    expect((await session('GET', { cookie })).json).toEqual(opened)

    const url = '/console/v1/session'
    const body = { token: await portalLink(service, ws.id, id), embedded: true }
    const { json, headers } = await service.call({ method: 'POST', url, body, headers: OWN_PAGE })
    expect(headers).not.toHaveProperty('set-cookie')
    const { bearer, workspace: framed, ...embedded } = json
    expect(framed).toBe(ws.id)
    expect(bearer).toMatch(/^phs_/)
    expect((await session('GET', {}, bearer)).json).toEqual(embedded)
    service.clock.forward(HOUR_MS)
    expect(codeOf(await session('GET', {}, bearer))).toBe('401 key_expired')
    expect(codeOf(await session('GET', { cookie }))).toBe('401 key_expired')
  })

  it('of a product takes nothing from whoever is signed in as that member and others', async () => {
    const [ws, other] = [await service.workspace('content'), await service.workspace('ads')]
    const { email, id } = await somebody(ws, 'editor')
    await addMemberWith(service, other.id, 'owner', email)
    const cookie = await browserOf(service, email)
    const before = (await session('GET', { cookie })).json
    const token = await portalLink(service, ws.id, id)
    const url = '/console/v1/session'
    const answer = await service.call({
      method: 'POST',
      url,
      body: { token, page: 'portal' },
      headers: { ...OWN_PAGE, cookie },
    })
    expect(answer.json).toEqual({ ...before, workspace: ws.id })
    expect(answer.headers).not.toHaveProperty('set-cookie')
    expect((await session('GET', { cookie })).json).toEqual(before)
    expect(codeOf((await openBrowser(service, token)).answer)).toBe('401 link_spent')
  })

  it('is not used up where it cannot sign in: embedded is for portal links', async () => {
    const { email } = await somebody(await service.workspace('content'))
    const url = '/console/v1/session'
    const token = await signInLink(service, email)
    for (const one of [token, ADMIN_TOKEN]) {
      const body = { token: one, embedded: true }
      const { status, json } = await service.call({ method: 'POST', url, body, headers: OWN_PAGE })
      expect([status, json.errors[0].pointer]).toEqual([422, '/embedded'])
    }
    expect(codeOf((await openBrowser(service, token)).answer)).toBe('ok')
  })
})

describe('the cookie of a session', () => {
  it('is for this service alone and out of the reach of scripts', async () => {
    const { email } = await somebody(await service.workspace('content'))
    const { set } = await openBrowser(service, await signInLink(service, email))
    expect(set).toMatch(/^posthorn_session=phb_[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await openBrowser(service, ADMIN_TOKEN)).set).toContain('Max-Age=43200;')
  })

  it('has a name that no neighbour can plant where there is TLS', async () => {
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

  it('changes nothing for a page of anybody else', async () => {
    const ws = await service.workspace('content')
    const { email } = await somebody(ws)
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

  it('counts for nothing beside an Authorization header', async () => {
    const ws = await service.workspace('content')
    const { email } = await somebody(ws)
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

  it('is no bearer token', async () => {
    const { email } = await somebody(await service.workspace('content'))
    const cookie = await browserOf(service, email)
    expect(codeOf(await session('GET', {}, cookie.split('=')[1]))).toBe('401 key_invalid')
  })
})

describe('whoever is signed in by an address', () => {
  it('is the member with it in each workspace, of both services, as they are at that moment', async () => {
    const [content, ads] = [await service.workspace('content'), await service.workspace('ads')]
    const { email, id } = await somebody(content, 'viewer')
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
    const { json } = await session('GET', { cookie })
    expect(json.workspaces.map(({ member_id }: { member_id: string }) => member_id)).toEqual([late])
    await service.admin('DELETE', `/workspaces/${ads.id}`)
    expect(codeOf(await session('GET', { cookie }))).toBe('401 session_invalid')
  })

  it('names the workspace that is meant where the path does not', async () => {
    const ads = await service.workspace('ads')
    const { email } = await somebody(ads)
    const cookie = await browserOf(service, email)
    const list = (headers: object) =>
      service.call({ method: 'GET', url: '/api/v1/webhooks', headers: { cookie, ...headers } })
    expect((await list({})).json).toMatchObject({
      code: 'not_found',
      detail: 'Name a workspace of yours in the header "posthorn-workspace".',
    })
    for (const ref of [ads.id, ads.slug]) expect((await list({ 'posthorn-workspace': ref })).status).toBe(200)
    const other = await service.workspace('ads')
    expect((await list({ 'posthorn-workspace': other.id })).status).toBe(404)
    // Beside a key it says nothing.
    const byKey = { authorization: `Bearer ${ads.key}`, 'posthorn-workspace': other.id }
    expect((await list(byKey)).status).toBe(200)
  })

  it('stays so for a week, an operator by the admin token for half a day', async () => {
    const { email } = await somebody(await service.workspace('content'))
    const member = await browserOf(service, email)
    service.clock.forward(7 * DAY_MS - 5_000)
    const { cookie: admin } = await openBrowser(service, ADMIN_TOKEN)
    expect(codeOf(await session('GET', { cookie: member }))).toBe('ok')
    service.clock.forward(5_000)
    expect(codeOf(await session('GET', { cookie: member }))).toBe('401 session_invalid')
    service.clock.forward(12 * HOUR_MS - 10_000)
    expect(codeOf(await session('GET', { cookie: admin }))).toBe('ok')
    service.clock.forward(5_000)
    expect(codeOf(await session('GET', { cookie: admin }))).toBe('401 session_invalid')
  })

  it('is audited by the name of the member and of the session, in and out', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    const cookie = await browserOf(service, email)
    const url = `/v1/workspaces/${ws.slug}/webhooks`
    const body = { url: 'https://hooks.example.com/', events: ['plan.saved'] }
    const made = await service.call({ method: 'POST', url, body, headers: { ...OWN_PAGE, cookie } })
    expect(made.json.created_by).toEqual({ type: 'member', id })
    await session('DELETE', { cookie })
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
  it('ends this session and takes the cookie away', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    const [one, other] = [await browserOf(service, email), await browserOf(service, email)]
    const { cookie: portal } = await openBrowser(service, await portalLink(service, ws.id, id))
    for (const cookie of [one, portal]) {
      const { status, headers } = await session('DELETE', { cookie })
      expect(status).toBe(204)
      expect(headers['set-cookie']).toMatch(
        /^posthorn_session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970/,
      )
      expect(codeOf(await session('GET', { cookie }))).toBe('401 session_invalid')
    }
    expect(codeOf(await session('GET', { cookie: other }))).toBe('ok')
  })

  it('everywhere ends all sessions of the person and the links that are still open, and nobody else', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    const stranger = await browserOf(service, (await somebody(ws)).email)
    const [one, other] = [await browserOf(service, email), await browserOf(service, email)]
    const { cookie: portal } = await openBrowser(service, await portalLink(service, ws.id, id))
    const open = [await signInLink(service, email), await portalLink(service, ws.id, id)]
    const url = '/console/v1/sessions'
    expect(
      (await service.call({ method: 'DELETE', url, headers: { ...OWN_PAGE, cookie: one } })).status,
    ).toBe(204)
    for (const cookie of [one, other, portal]) {
      expect(codeOf(await session('GET', { cookie }))).toBe('401 session_invalid')
    }
    for (const token of open)
      expect(codeOf((await openBrowser(service, token)).answer)).toBe('401 link_spent')
    expect(codeOf(await session('GET', { cookie: stranger }))).toBe('ok')
  })

  it('who is removed is out for good, also when the address is let in again', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    const member = await browserOf(service, email)
    const link = await signInLink(service, email)
    const path = `/workspaces/${ws.id}/members`
    expect((await service.admin('DELETE', `${path}/${id}`)).status).toBe(204)
    await addMemberWith(service, ws.id, 'owner', email)
    expect(codeOf(await session('GET', { cookie: member }))).toBe('401 session_invalid')
    expect(codeOf((await openBrowser(service, link)).answer)).toBe('401 link_spent')

    const address = newAddress()
    const operator = await addOperator(service, address)
    const cookie = await browserOf(service, address)
    expect((await service.admin('DELETE', `/operators/${operator}`)).status).toBe(204)
    await addOperator(service, address)
    expect(codeOf(await session('GET', { cookie }))).toBe('401 session_invalid')
  })

  it('a member by the operator ends the sessions of browsers too', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(ws)
    const cookie = await browserOf(service, email)
    expect((await service.admin('DELETE', `/workspaces/${ws.id}/members/${id}/sessions`)).status).toBe(204)
    expect(codeOf(await session('GET', { cookie }))).toBe('401 session_invalid')
  })
})

describe('an operator who is signed in', () => {
  it('provisions, and looks into every workspace as a viewer without changing anything', async () => {
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

  it('who is a member besides acts as that member there', async () => {
    const ws = await service.workspace('content')
    const { email } = await somebody(ws)
    await addOperator(service, email)
    const cookie = await browserOf(service, email)
    const url = `/v1/workspaces/${ws.slug}/webhooks`
    const body = { url: 'https://hooks.example.com/', events: ['plan.saved'] }
    const made = await service.call({ method: 'POST', url, body, headers: { ...OWN_PAGE, cookie } })
    expect(made.status).toBe(201)
  })

  it('is one no more from the moment of removal', async () => {
    const email = newAddress()
    const id = await addOperator(service, email)
    const cookie = await browserOf(service, email)
    const list = () => service.call({ method: 'GET', url: '/admin/v1/operators', headers: { cookie } })
    const { json } = await list()
    expect(json.data[0]).toEqual({ id, email, name: 'Olga', created_at: expect.any(String) })
    expect((await service.admin('DELETE', `/operators/${id}`)).status).toBe(204)
    expect(codeOf(await list())).toBe('401 session_invalid')
    for (const unknown of [id, 'nonsense']) {
      expect(codeOf(await service.admin('DELETE', `/operators/${unknown}`))).toBe('404 not_found')
    }
  })

  it('has an address of their own', async () => {
    const email = newAddress()
    await addOperator(service, email)
    const again = await service.admin('POST', '/operators', { email: email.toUpperCase(), name: 'Oleg' })
    expect(codeOf(again)).toBe('409 email_taken')
  })
})

describe('preferences', () => {
  it('are the own of each member', async () => {
    const ws = await service.workspace('ads')
    const people = [await somebody(ws, 'viewer'), await somebody(ws, 'viewer')]
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
  const ws = await service.workspace('content')
  const { email } = await somebody(ws)
  const cookie = await browserOf(service, email)
  await session('GET', { cookie })
  const logs = service.logs.join('\n')
  expect(logs).toContain('admin token signed in')
  for (const secret of ['pha_', 'phb_', 'phl_', 'phs_', ADMIN_TOKEN, 'nonsense'])
    expect(logs).not.toContain(secret)
})
