import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSignInToken } from '../../src/engine/manage/signInTokens.ts'
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

const MINUTE_MS = 60_000
const HOUR_MS = 60 * 60_000
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

describe('a requested link', () => {
  // Each test has its own period: limits are for a quarter of an hour.
  beforeEach(() => service.clock.forward(15 * MINUTE_MS))

  const ask = (email: string, headers: Call['headers'] = OWN_PAGE) =>
    service.call({ method: 'POST', url: '/console/v1/sign-in-links', body: { email }, headers })

  /** Tokens waiting to be e-mailed, with their recipients. */
  async function mails() {
    const of = { claim: String(Math.random()), claimMs: 1, now: service.clock.now(), limit: 1000 }
    const { notifications } = await service.storage.claimNotifications(of)
    return notifications
      .filter(({ kind }) => kind === 'sign_in')
      .map(({ toEmail, sealed }) => ({ toEmail, token: openSignInToken(opened, sealed!, toEmail!) }))
  }

  it('goes to the stored form of the email address, and signs in the opener', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws, 'viewer')
    expect(await ask(email.toUpperCase())).toMatchObject({ status: 202, json: {} })
    const mail = (await mails()).find(({ toEmail }) => toEmail === email)!
    const { answer } = await openBrowser(service, mail.token)
    expect(answer.json).toEqual({
      email,
      name: 'The viewer',
      operator: false,
      operator_id: null,
      expires_at: expect.any(String),
      sending_paused_since: null,
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

  it('is not sent for an unknown email address, with the same answer', async () => {
    const known = await somebody(service, await service.workspace('ads'))
    const stranger = newAddress()
    const [yes, no] = [await ask(known.email), await ask(stranger)]
    expect([no.status, no.text]).toEqual([yes.status, yes.text])
    expect((await mails()).map(({ toEmail }) => toEmail)).not.toContain(stranger)
  })

  it('is one of five in a quarter of an hour, for any email address', async () => {
    const known = await somebody(service, await service.workspace('content'))
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
    ['a neighbor', { 'sec-fetch-site': 'same-site' }],
    ['a page of another origin', { origin: 'https://evil.example.com' }],
  ])('cannot be requested by %s, nor sign its visitors in', async (_, headers) => {
    expect(codeOf(await ask(newAddress(), headers))).toBe('403 cross_site')
    const call = { method: 'POST', url: '/console/v1/session', body: { token: ADMIN_TOKEN } } as const
    expect(codeOf(await service.call({ ...call, headers }))).toBe('403 cross_site')
    expect(codeOf(await service.call(call))).toBe('ok')
  })
})

describe('a link', () => {
  it('works once, also when it is opened many times concurrently', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws)
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
    const { email, id } = await somebody(service, ws)
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
        'This link was already used, or has expired. Request a new one in the place where you got it.',
      ])
    }
  })

  it('is in the fragment of a page of this service', async () => {
    const ws = await service.workspace('content')
    const { email, id } = await somebody(service, ws)
    const form = (page: string) =>
      expect.stringMatching(new RegExp(`^${service.base}/${page}#phl_[\\w-]{43}$`))
    const { json } = await service.admin('POST', '/sign-in-links', { email })
    expect(json).toEqual({
      url: form('sign-in'),
      secret_omitted: null,
      expires_at: expect.any(String),
    })
    const path = `/workspaces/${ws.id}/members/${id}/portal-links`
    const before = service.clock.now()
    const portal = (await service.admin('POST', path, { minutes: 60 })).json
    expect(portal).toEqual({
      url: form('portal'),
      embed_url: portal.url.replace('/portal#', '/embed#'),
      secret_omitted: null,
      expires_at: expect.any(String),
    })
    expect(Date.parse(portal.expires_at)).toBeGreaterThanOrEqual(before + HOUR_MS)
    for (const minutes of [0, 61, 1.5])
      expect((await service.admin('POST', path, { minutes })).status).toBe(422)
    expect((await service.admin('POST', path)).status).toBe(201)
    expect((await service.admin('POST', path, null)).status).toBe(422)
  })

  it('is only for members and operators', async () => {
    const unknown = await service.admin('POST', '/sign-in-links', { email: newAddress() })
    expect(codeOf(unknown)).toBe('404 not_found')
    const operator = newAddress()
    const operator_id = await addOperator(service, operator)
    const { answer } = await openBrowser(service, await signInLink(service, operator))
    const { json } = answer
    expect(json).toMatchObject({ email: operator, name: 'Olga', operator: true, operator_id, workspaces: [] })
  })

  it('of a product signs in one member, for an hour, in a frame too', async () => {
    const [ws, other] = [await service.workspace('content'), await service.workspace('ads')]
    const { email, id } = await somebody(service, ws, 'editor')
    await addMemberWith(service, other.id, 'owner', email)
    const { answer, cookie } = await openBrowser(service, await portalLink(service, ws.id, id))
    expect(answer.json.workspaces.map(({ id }: { id: string }) => id)).toEqual([ws.id])
    expect(answer.json).not.toHaveProperty('bearer')
    const { workspace, ...opened } = answer.json
    expect(workspace).toBe(ws.id)
    expect((await session(service, 'GET', { cookie })).json).toEqual(opened)

    const url = '/console/v1/session'
    const body = { token: await portalLink(service, ws.id, id), embedded: true }
    const { json, headers } = await service.call({ method: 'POST', url, body, headers: OWN_PAGE })
    expect(headers).not.toHaveProperty('set-cookie')
    const { bearer, workspace: framed, ...embedded } = json
    expect(framed).toBe(ws.id)
    expect(bearer).toMatch(/^phs_/)
    expect((await session(service, 'GET', {}, bearer)).json).toEqual(embedded)
    service.clock.forward(HOUR_MS)
    expect(codeOf(await session(service, 'GET', {}, bearer))).toBe('401 key_expired')
    expect(codeOf(await session(service, 'GET', { cookie }))).toBe('401 key_expired')
  })

  it('of a product does not affect a session of that member and others', async () => {
    const [ws, other] = [await service.workspace('content'), await service.workspace('ads')]
    const { email, id } = await somebody(service, ws, 'editor')
    await addMemberWith(service, other.id, 'owner', email)
    const cookie = await browserOf(service, email)
    const before = (await session(service, 'GET', { cookie })).json
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
    expect((await session(service, 'GET', { cookie })).json).toEqual(before)
    expect(codeOf((await openBrowser(service, token)).answer)).toBe('401 link_spent')
  })

  it('is not used up where it cannot sign in: embedded is for portal links', async () => {
    const { email } = await somebody(service, await service.workspace('content'))
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
