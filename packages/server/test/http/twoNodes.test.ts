import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { TwoNodes } from '../storage/postgres/twoNodes.ts'
import { type Client, openClient, SERVICES } from './client.ts'
import { watch } from './live.ts'
import {
  addMemberWith,
  addOperator,
  browserOf,
  codeOf,
  newAddress,
  OWN_PAGE,
  openBrowser,
  portalLink,
  type SignedIn,
  signedIn,
  signInLink,
} from './people.ts'
import { startTestService, type TestService } from './service.ts'

let store: TwoNodes
let near: TestService
/** No deadline passes here, so that cached data ends only with an announcement. */
let far: TestService
beforeAll(async () => {
  store = await TwoNodes.open()
  const [first, second] = store.stores
  near = await startTestService(undefined, { store: first })
  const clock = { ...systemClock, monotonic: () => 0 }
  far = await startTestService(() => ({ clock }), { store: second })
})
afterAll(async () => {
  await near.stop()
  await far.stop()
  await store.close()
})

describe.each(SERVICES)('on two nodes of the %s service', (name) => {
  let client: Client
  let member: SignedIn
  let workspace: string
  beforeEach(async () => {
    client = await openClient(near, name)
    workspace = `/workspaces/${client.ws.id}`
    member = await signedIn(near, client.ws.id, 'owner')
  })

  /** Calls the far node, with a cached credential, until it gives this answer. */
  const untilFar = (key: string, code: string, path = '/webhooks') =>
    vi.waitFor(async () => expect(await askFar(key, path)).toBe(code), { timeout: 10_000, interval: 5 })
  const askFar = async (key: string, path = '/webhooks') =>
    codeOf(await far.call({ method: 'GET', url: client.root + path, key }))

  it('a key revoked on one stops working on the other', async () => {
    expect(await askFar(client.ws.key)).toBe('ok')
    expect((await near.admin('DELETE', `${workspace}/keys/${client.ws.keyId}`)).status).toBe(204)
    await untilFar(client.ws.key, '401 key_revoked')
  })

  it('an admin token revoked on one stops working on the other', async () => {
    const { json } = await near.admin('POST', '/admin-tokens', { name: 'CI' })
    const ask = async () =>
      codeOf(await far.call({ method: 'GET', url: '/admin/v1/admin-tokens', key: json.token }))
    expect(await ask()).toBe('ok')
    expect((await near.admin('DELETE', `/admin-tokens/${json.id}`)).status).toBe(204)
    await vi.waitFor(async () => expect(await ask()).toBe('401 admin_token_revoked'), {
      timeout: 10_000,
      interval: 5,
    })
  })

  it('sessions ended on one are over on the other', async () => {
    expect(await askFar(member.token)).toBe('ok')
    expect((await near.admin('DELETE', `${workspace}/members/${member.memberId}/sessions`)).status).toBe(204)
    await untilFar(member.token, '401 key_invalid')
  })

  it('users in browsers sign out on one and are signed out on the other', async () => {
    const email = newAddress()
    await addMemberWith(near, client.ws.id, 'owner', email)
    const cookie = await browserOf(near, email)
    const operator = newAddress()
    const operatorId = await addOperator(near, operator)
    const operators = await browserOf(near, operator)
    const headers = { ...OWN_PAGE, 'posthorn-workspace': client.ws.id }
    const ask = async (by: string) =>
      codeOf(
        await far.call({
          method: 'GET',
          url: `${client.root}/webhooks`,
          headers: { ...headers, cookie: by },
        }),
      )
    const until = (by: string, code: string) =>
      vi.waitFor(async () => expect(await ask(by)).toBe(code), { timeout: 10_000, interval: 5 })
    expect([await ask(cookie), await ask(operators)]).toEqual(['ok', 'ok'])
    const url = '/console/v1/sessions'
    expect((await near.call({ method: 'DELETE', url, headers: { ...headers, cookie } })).status).toBe(204)
    await until(cookie, '401 session_invalid')
    await near.admin('DELETE', `/operators/${operatorId}`)
    await until(operators, '401 session_invalid')
  })

  it('a link opened on both at once signs in on one, and e-mails to an address are counted over both', async () => {
    const email = newAddress()
    await addMemberWith(near, client.ws.id, 'owner', email)
    for (const token of [
      await signInLink(near, email),
      await portalLink(near, client.ws.id, member.memberId),
    ]) {
      const tries = await Promise.all([near, far, near, far].map((node) => openBrowser(node, token)))
      const codes = tries.map(({ answer }) => codeOf(answer))
      expect(codes.sort()).toEqual(['401 link_spent', '401 link_spent', '401 link_spent', 'ok'])
    }
    const call = {
      method: 'POST',
      url: '/console/v1/sign-in-links',
      body: { email },
      headers: OWN_PAGE,
    } as const
    const asked = await Promise.all(
      [near, far, near, far, near, far, near, far].map((node) => node.call(call)),
    )
    expect(asked.map(codeOf).filter((code) => code === 'ok')).toHaveLength(5)
  })

  it('a role changed on one applies on the other, for sessions and for keys', async () => {
    const body = { scopes: ['webhooks'], member_id: member.memberId }
    const { key } = await near.key(client.ws.id, body)
    for (const by of [key, member.token]) expect(await askFar(by, '/audit-log')).toBe('ok')
    await near.admin('PATCH', `${workspace}/members/${member.memberId}`, { role: 'viewer' })
    for (const by of [key, member.token]) await untilFar(by, '403 role_missing', '/audit-log')
  })

  it('a member removed on one has no access on the other', async () => {
    expect(await askFar(member.token)).toBe('ok')
    expect((await near.admin('DELETE', `${workspace}/members/${member.memberId}`)).status).toBe(204)
    await untilFar(member.token, '401 key_invalid')
  })

  it('streams on the other end when one removes the watching member or operator', async () => {
    const email = newAddress()
    const operatorId = await addOperator(near, email)
    const cookie = await browserOf(near, email)
    const streams = [
      await watch(far, client.ws.slug, member.token),
      await watch(far, client.ws.slug, { cookie }),
    ]
    await near.admin('DELETE', `${workspace}/members/${member.memberId}`)
    await near.admin('DELETE', `/operators/${operatorId}`)
    for (const { ended } of streams) await ended
  })

  it('removing a workspace on one revokes its keys on the other', async () => {
    expect(await askFar(client.ws.key)).toBe('ok')
    expect((await near.admin('DELETE', workspace)).status).toBe(204)
    await untilFar(client.ws.key, '401 key_invalid')
  })
})
