import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppDeps, buildApp } from '../../src/http/app.ts'
import {
  addMemberWith,
  browserOf,
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

const codeOf = ({ status, json }: { status: number; json: { code?: string } | null }) =>
  status < 300 ? 'ok' : `${status} ${json?.code}`

describe('a session of the admin token', () => {
  it('is over when the service starts with another one, and those of addresses go on', async () => {
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

  it('is not one under the name of a session of an address', async () => {
    const { cookie } = await openBrowser(service, ADMIN_TOKEN)
    expect(cookie).toMatch(/=pha_/)
    expect(codeOf(await session('GET', cookie))).toBe('ok')
    expect(codeOf(await session('GET', cookie.replace('pha_', 'phb_')))).toBe('401 session_invalid')
  })
})

describe('signing out everywhere in a session of one member', () => {
  it('ends what is of this member, and nothing of the address or of its other members', async () => {
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
