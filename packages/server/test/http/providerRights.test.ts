import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { honest, SigningProvider } from '../support/signingProvider.ts'
import {
  addMemberWith,
  addOperator,
  browserOf,
  newAddress,
  OWN_PAGE,
  openBrowser,
  portalLink,
  session,
  somebody,
} from './people.ts'
import { failed, ProviderBrowser, settingsOf, signInWith } from './providers.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

let provider: SigningProvider
let service: TestService
let acme: TestWorkspace
let shop: TestWorkspace

beforeAll(async () => {
  provider = await new SigningProvider().start()
  // The slugs of the first workspaces of each service.
  const grant = (value: string, workspace: string, role: 'owner' | 'editor' | 'viewer') =>
    ({ value, operator: false, workspace, role }) as const
  service = await startTestService(() => ({
    signInProvider: settingsOf(provider, {
      rolesClaim: 'realm_access.roles',
      grants: [
        { value: 'ops', operator: true },
        grant('team', 'content-1', 'viewer'),
        grant('leads', 'content-1', 'owner'),
        grant('team', 'ads-2', 'editor'),
        grant('nowhere', 'gone', 'owner'),
      ],
    }),
  }))
  acme = await service.workspace('content')
  shop = await service.workspace('ads')
})
afterAll(async () => {
  await service.stop()
  await provider.stop()
})

const withRoles = (email: string, roles: unknown) =>
  signInWith(service, provider, { email, name: 'Anna', realm_access: { roles } })

const rolesIn = async (browser: ProviderBrowser) => {
  const { json } = await browser.session()
  const workspaces = (json.workspaces ?? []) as { slug: string; role: string }[]
  return [json.operator, ...workspaces.map(({ slug, role }) => `${slug} ${role}`).sort()]
}

const membersOf = async ({ id }: TestWorkspace, email: string) => {
  const { json } = await service.admin('GET', `/workspaces/${id}/members`)
  return (json.data as { id: string; email: string; role: string; from_provider: boolean }[]).filter(
    (member) => member.email === email,
  )
}

describe('roles from claims', () => {
  it('are updated at each sign-in, to the highest role', async () => {
    const email = newAddress()
    const { browser } = await withRoles(email, ['team', 'leads'])
    expect(await rolesIn(browser)).toEqual([false, 'ads-2 editor', 'content-1 owner'])
    const [member] = await membersOf(acme, email)
    expect(member).toMatchObject({ role: 'owner', from_provider: true, name: 'Anna' })
    const { browser: later } = await withRoles(email, 'team')
    expect(await rolesIn(later)).toEqual([false, 'ads-2 editor', 'content-1 viewer'])
    // The earlier session has the same email address, and its current rights.
    expect(await rolesIn(browser)).toEqual([false, 'ads-2 editor', 'content-1 viewer'])
    expect((await membersOf(acme, email))[0]!.id).toBe(member!.id)
    const { location } = await withRoles(email, ['others'])
    expect(failed(location)).toBe('no_rights')
    expect(await membersOf(acme, email)).toEqual([])
    expect((await later.session()).status).toBe(401)
  })

  it('add operators, and remove them', async () => {
    const email = newAddress()
    const { browser } = await withRoles(email, ['ops', 'nowhere'])
    expect(await rolesIn(browser)).toEqual([true])
    const { json } = await service.admin('GET', '/operators')
    expect(json.data[0]).toMatchObject({ email, from_provider: true })
    expect((await browser.get('/admin/v1/operators')).status).toBe(200)
    expect(failed((await withRoles(email, [])).location)).toBe('no_rights')
    expect((await browser.get('/admin/v1/operators')).status).toBe(401)
    expect(service.logs.join('\n')).toMatch(/"by":"provider","message":"operator removed"/)
    expect(service.logs.join('\n')).toContain('names a workspace that does not exist')
  })

  it('do not apply in a session started by a link', async () => {
    const email = newAddress()
    await withRoles(email, ['ops', 'team'])
    expect((await service.admin('POST', '/sign-in-links', { email })).status).toBe(404)
    const { id } = await somebodyIn(shop, email)
    // A member must be added by hand to sign in with links.
    const cookie = await browserOf(service, email)
    const { json } = await session(service, 'GET', { cookie })
    expect([json.operator, json.workspaces.map(({ slug }: { slug: string }) => slug)]).toEqual([
      false,
      ['ads-2'],
    ])
    expect(json.workspaces[0].member_id).toBe(id)
    const url = `/v1/workspaces/${acme.slug}/webhooks`
    const call = { method: 'GET', url, headers: { ...OWN_PAGE, cookie } } as const
    expect((await service.call(call)).status).toBe(404)
    expect((await service.call({ ...call, url: '/admin/v1/operators' })).status).toBe(403)
  })

  it('allow no portal link and no product session', async () => {
    const email = newAddress()
    await withRoles(email, ['team'])
    const [member] = await membersOf(acme, email)
    for (const path of ['portal-links', 'sessions']) {
      const made = await service.admin('POST', `/workspaces/${acme.id}/members/${member!.id}/${path}`, {})
      expect([made.status, made.json.code]).toEqual([404, 'not_found'])
      expect(made.json.detail).toContain('created by the identity provider and can only sign in there')
    }
  })

  it('never change manually added roles', async () => {
    const email = newAddress()
    const id = await addMemberWith(service, acme.id, 'viewer', email)
    const operator = await addOperator(service, email)
    const cookie = await browserOf(service, email)
    await withRoles(email, ['leads'])
    await withRoles(email, [])
    expect(await membersOf(acme, email)).toMatchObject([{ id, role: 'viewer', from_provider: false }])
    const { json } = await session(service, 'GET', { cookie })
    expect([json.operator_id, json.workspaces.length]).toEqual([operator, 1])
  })

  it('give no access once the email address has only them, for earlier sessions and links', async () => {
    const { email, id } = await somebody(service, shop)
    const cookie = await browserOf(service, email)
    const { browser } = await withRoles(email, ['leads'])
    const portal = await portalLink(service, shop.id, id)
    await service.admin('DELETE', `/workspaces/${shop.id}/members/${id}`)
    expect((await session(service, 'GET', { cookie })).status).toBe(401)
    expect((await openBrowser(service, portal)).answer.status).toBe(401)
    expect(await rolesIn(browser)).toEqual([false, 'content-1 owner'])
    await somebodyIn(shop, email)
    expect((await session(service, 'GET', { cookie })).status).toBe(401)
  })
})

/** Adds a member, which the claims may have added already. */
async function somebodyIn({ id: workspace }: TestWorkspace, email: string) {
  const body = { email, name: 'By hand', role: 'owner' }
  const { status, json } = await service.admin('POST', `/workspaces/${workspace}/members`, body)
  expect(status).toBe(201)
  return json as { readonly id: string }
}

describe('adding by hand a role from claims', () => {
  it('makes it independent of them under the same id', async () => {
    const email = newAddress()
    await withRoles(email, ['team', 'ops'])
    const [member] = await membersOf(acme, email)
    const made = await somebodyIn(acme, email.toUpperCase())
    expect(made).toMatchObject({ id: member!.id, role: 'owner', name: 'By hand', from_provider: false })
    const operator = await service.admin('POST', '/operators', { email, name: 'By hand' })
    expect([operator.status, operator.json.from_provider]).toEqual([201, false])
    await withRoles(email, [])
    expect(await membersOf(acme, email)).toMatchObject([{ id: member!.id, role: 'owner' }])
    const again = await service.admin('POST', `/workspaces/${acme.id}/members`, {
      email,
      name: 'x',
      role: 'viewer',
    })
    expect(again.json.code).toBe('email_taken')
    expect((await service.admin('POST', '/operators', { email, name: 'x' })).json.code).toBe('email_taken')
    const url = `/audit-log?target=${member!.id}`
    const { json } = await service.admin('GET', url)
    const logged = json.data.map(({ action, actor, details }: LoggedEntry) => [
      action,
      actor.type,
      details.by,
    ])
    expect(logged).toEqual([
      ['member.signed_in', 'member', 'provider'],
      ['member.created', 'operator', undefined],
      ['member.signed_in', 'member', 'provider'],
      ['member.created', 'system', 'provider'],
    ])
  })
})

interface LoggedEntry {
  readonly action: string
  readonly actor: { readonly type: string }
  readonly details: { readonly by?: string }
}

describe('another user who is signed in in the browser', () => {
  it('is signed out', async () => {
    const [anna, ben] = [newAddress(), newAddress()]
    for (const email of [anna, ben]) await addOperator(service, email)
    const browser = new ProviderBrowser(service)
    provider.saying = honest({ email: anna })
    await browser.signIn()
    const former = browser.cookie
    provider.saying = honest({ email: ben })
    await browser.signIn()
    expect((await browser.session()).json.email).toBe(ben)
    expect((await session(service, 'GET', { cookie: former })).status).toBe(401)
  })
})
