import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppDeps, buildApp } from '../../src/http/app.ts'
import {
  addMemberWith,
  browserOf,
  codeOf,
  newAddress,
  OWN_PAGE,
  openBrowser,
  portalLink,
  signInLink,
} from './people.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService } from './service.ts'

let service: TestService
let deps: AppDeps
beforeAll(async () => {
  service = await startTestService((own) => {
    deps = own
    return {}
  })
})
afterAll(() => service.stop())

const session = (method: Call['method'], cookie: string) =>
  service.call({ method, url: '/console/v1/session', headers: { ...OWN_PAGE, cookie } })

describe('a session of the admin token', () => {
  it('ends when the service starts with another one, and those of email addresses continue', async () => {
    const email = newAddress()
    await addMemberWith(service, (await service.workspace('content')).id, 'owner', email)
    const cookies = [(await openBrowser(service, ADMIN_TOKEN)).cookie, await browserOf(service, email)]
    const asked = async (adminToken: string) => {
      const app = buildApp({ ...deps, adminToken })
      const ask = (cookie: string) => app.inject({ url: '/console/v1/session', headers: { cookie } })
      const answers = await Promise.all(cookies.map(ask))
      await app.close()
      return answers.map((answer) => answer.json().code ?? 'ok')
    }
    expect(await asked(ADMIN_TOKEN)).toEqual(['ok', 'ok'])
    expect(await asked('another-token-of-the-admin')).toEqual(['session_invalid', 'ok'])
  })

  it('is not valid under the name of a session of an email address', async () => {
    const { cookie } = await openBrowser(service, ADMIN_TOKEN)
    expect(cookie).toMatch(/=pha_/)
    expect(codeOf(await session('GET', cookie))).toBe('ok')
    expect(codeOf(await session('GET', cookie.replace('pha_', 'phb_')))).toBe('401 session_invalid')
  })
})

describe('signing out everywhere in a session of one member', () => {
  it('ends sessions of this member only, not those of the email address or its other members', async () => {
    const [here, there] = [await service.workspace('content'), await service.workspace('ads')]
    const email = newAddress()
    const member = await addMemberWith(service, here.id, 'owner', email)
    const elsewhere = await addMemberWith(service, there.id, 'owner', email)
    const entered = async (workspace: string, id: string) =>
      (await openBrowser(service, await portalLink(service, workspace, id))).cookie
    const [one, other] = [await entered(here.id, member), await entered(here.id, member)]
    const stays = [await browserOf(service, email), await entered(there.id, elsewhere)]
    const spent = await portalLink(service, here.id, member)
    const open = [await signInLink(service, email), await portalLink(service, there.id, elsewhere)]

    const headers = { ...OWN_PAGE, cookie: one }
    expect(codeOf(await service.call({ method: 'DELETE', url: '/console/v1/sessions', headers }))).toBe('ok')
    for (const cookie of [one, other])
      expect(codeOf(await session('GET', cookie))).toBe('401 session_invalid')
    for (const cookie of stays) expect(codeOf(await session('GET', cookie))).toBe('ok')
    expect(codeOf((await openBrowser(service, spent)).answer)).toBe('401 link_spent')
    for (const token of open) expect(codeOf((await openBrowser(service, token)).answer)).toBe('ok')
  })
})

describe('a link opened while a user is signed in', () => {
  const open = (token: string, cookie: string, body: object = {}) => {
    const call = { method: 'POST', url: '/console/v1/session', body: { token, ...body } } as const
    return service.call({ ...call, headers: { ...OWN_PAGE, cookie } })
  }
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof open>>) =>
    [headers['set-cookie'] ?? []].flat().join().split(';', 1)[0]!

  async function two() {
    const ws = await service.workspace('content')
    const [ana, bo] = [newAddress(), newAddress()]
    const ids = [
      await addMemberWith(service, ws.id, 'owner', ana),
      await addMemberWith(service, ws.id, 'owner', bo),
    ]
    return { ws, ana, bo, anaId: ids[0]!, boId: ids[1]! }
  }

  it('for another user is rejected and not used up, until the user confirms; then the former session ends', async () => {
    const { ws, ana, bo, boId } = await two()
    const links = [await signInLink(service, bo), await portalLink(service, ws.id, boId)]
    const operator = (await openBrowser(service, ADMIN_TOKEN)).cookie
    for (const [former, who] of [
      [await browserOf(service, ana), `as ${ana}`],
      [operator, 'with the admin token'],
    ] as const) {
      const token = links.pop()!
      const refused = await open(token, former)
      expect([codeOf(refused), refused.json.detail]).toEqual([
        '409 signed_in_as_another',
        `You are signed in ${who}, but this link is for ${bo}.`,
      ])
      expect(refused.headers).not.toHaveProperty('set-cookie')
      expect(codeOf(await session('GET', former))).toBe('ok')
      const entered = await open(token, former, { replace: true })
      expect(entered.json.email).toBe(bo)
      expect(codeOf(await session('GET', cookieOf(entered)))).toBe('ok')
      expect(codeOf(await session('GET', former))).toBe('401 session_invalid')
    }
  })

  it('for the same user is followed, and the former session ends, which the audit log records', async () => {
    const { ws, ana, anaId } = await two()
    const first = (await openBrowser(service, await portalLink(service, ws.id, anaId))).cookie
    const second = await open(await portalLink(service, ws.id, anaId), first)
    const third = await open(await signInLink(service, ana), cookieOf(second))
    expect([codeOf(second), codeOf(third)]).toEqual(['ok', 'ok'])
    for (const cookie of [first, cookieOf(second)])
      expect(codeOf(await session('GET', cookie))).toBe('401 session_invalid')
    const { json } = await service.admin('GET', `/audit-log?workspace=${ws.id}&target=${anaId}&limit=6`)
    const entries = json.data.map(({ action, actor }: typeof json) => [action, actor.type, actor.session_id])
    const [out2, in3, link, out1, in2] = entries
    expect([out2, in3, out1, in2].map(([action]) => action)).toEqual([
      'member.signed_out',
      'member.signed_in',
      'member.signed_out',
      'member.signed_in',
    ])
    expect([link[0], out2[1], out1[1]]).toEqual(['member.sign_in_link_created', 'member', 'member'])
    expect(out2[2]).toBe(in2[2])
    expect(out1[2]).not.toBe(in2[2])
  })

  it('signs in if the former session has already ended', async () => {
    const { ana, bo } = await two()
    const former = await browserOf(service, ana)
    await session('DELETE', former)
    expect(codeOf(await open(await signInLink(service, bo), former))).toBe('ok')
  })

  it('does not affect the session of the cookie inside another page', async () => {
    const { ws, ana, boId } = await two()
    const former = await browserOf(service, ana)
    const entered = await open(await portalLink(service, ws.id, boId), former, { embedded: true })
    expect(entered.json.bearer).toMatch(/^phs_/)
    expect(codeOf(await session('GET', former))).toBe('ok')
  })
})

it('the admin token ends the session that its own replaces', async () => {
  const email = newAddress()
  await addMemberWith(service, (await service.workspace('content')).id, 'owner', email)
  const former = await browserOf(service, email)
  const call = { method: 'POST', url: '/console/v1/session', body: { token: ADMIN_TOKEN } } as const
  expect(codeOf(await service.call({ ...call, headers: { ...OWN_PAGE, cookie: former } }))).toBe('ok')
  expect(codeOf(await session('GET', former))).toBe('401 session_invalid')
})

it('a link is valid only on its own page, and is not used up on the other', async () => {
  const ws = await service.workspace('content')
  const email = newAddress()
  const id = await addMemberWith(service, ws.id, 'owner', email)
  const url = '/console/v1/session'
  for (const [token, own, other] of [
    [await signInLink(service, email), 'sign-in', 'portal'],
    [await portalLink(service, ws.id, id), 'portal', 'sign-in'],
  ]) {
    const open = (page?: string) =>
      service.call({ method: 'POST', url, body: { token, page }, headers: OWN_PAGE })
    expect(codeOf(await open(other))).toBe('409 wrong_page')
    expect(codeOf(await open(own))).toBe('ok')
  }
})
