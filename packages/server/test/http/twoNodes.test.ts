import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { TwoNodes } from '../storage/postgres/twoNodes.ts'
import { type Client, openClient, SERVICES } from './client.ts'
import { type SignedIn, signedIn } from './people.ts'
import { type Answer, startTestService, type TestService } from './service.ts'

let store: TwoNodes
let near: TestService
/** No deadline passes here, so that what it remembers ends with what it hears alone. */
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

const codeOf = ({ status, json }: Answer) => (status < 300 ? 'ok' : `${status} ${json.code}`)

describe.each(SERVICES)('on two nodes of the %s service', (name) => {
  let client: Client
  let member: SignedIn
  let workspace: string
  beforeEach(async () => {
    client = await openClient(near, name)
    workspace = `/workspaces/${client.ws.id}`
    member = await signedIn(near, client.ws.id, 'owner')
  })

  /** Asks the far node, in the name of whom it has let in before, until it answers like that. */
  const untilFar = (key: string, code: string, path = '/webhooks') =>
    vi.waitFor(async () => expect(await askFar(key, path)).toBe(code), { timeout: 10_000, interval: 5 })
  const askFar = async (key: string, path = '/webhooks') =>
    codeOf(await far.call({ method: 'GET', url: client.root + path, key }))

  it('a key that one revokes stops working on the other', async () => {
    expect(await askFar(client.ws.key)).toBe('ok')
    expect((await near.admin('DELETE', `${workspace}/keys/${client.ws.keyId}`)).status).toBe(204)
    await untilFar(client.ws.key, '401 key_revoked')
  })

  it('sessions that one ends are over on the other', async () => {
    expect(await askFar(member.token)).toBe('ok')
    expect((await near.admin('DELETE', `${workspace}/members/${member.memberId}/sessions`)).status).toBe(204)
    await untilFar(member.token, '401 key_invalid')
  })

  it('a role that one changes counts on the other, for sessions and for keys', async () => {
    const body = { scopes: ['webhooks'], member_id: member.memberId }
    const { key } = await near.key(client.ws.id, body)
    for (const by of [key, member.token]) expect(await askFar(by, '/audit-log')).toBe('ok')
    await near.admin('PATCH', `${workspace}/members/${member.memberId}`, { role: 'viewer' })
    for (const by of [key, member.token]) await untilFar(by, '403 role_missing', '/audit-log')
  })

  it('a member whom one removes is nobody on the other', async () => {
    expect(await askFar(member.token)).toBe('ok')
    expect((await near.admin('DELETE', `${workspace}/members/${member.memberId}`)).status).toBe(204)
    await untilFar(member.token, '401 key_invalid')
  })

  it('a workspace that one removes takes its keys along on the other', async () => {
    expect(await askFar(client.ws.key)).toBe('ok')
    expect((await near.admin('DELETE', workspace)).status).toBe(204)
    await untilFar(client.ws.key, '401 key_invalid')
  })
})
