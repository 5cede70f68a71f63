import { expect, test } from 'vitest'
import {
  type Account,
  addAdminToken,
  addKey,
  addMember,
  admin,
  openAccount,
  type Role,
  signIn,
  unique,
} from '../accounts.ts'
import { expectProblem } from '../expectProblem.ts'
import { addContentWebhook, contentWebhookJson, inContent } from '../samples/content.ts'
import { call, done } from '../world.ts'

interface Entry {
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string | null }
  readonly target: { readonly id: string }
}

const createWebhook = async (account: Account, key: string) =>
  (await call('createContentWebhook', { ...inContent(account), key, json: contentWebhookJson() })).status

export function provisioningStories(): void {
  test('a slug is unique in its service; an ambiguous one is not found', async () => {
    const { ws, slug } = await openAccount('content')
    const create = (dialect: string) => ({ ...admin, json: { dialect, slug, name: 'Another' } })
    await expectProblem('createWorkspace', create('content'), 409, 'slug_taken')
    const profile = { profile: 1, name: unique('held'), title: 'Held' }
    const held = { ...admin, params: { id: profile.name } }
    await done('createService', { ...admin, json: profile })
    await expectProblem('createService', { ...admin, json: profile }, 409, 'service_exists')
    const outdated = { ...held, json: profile, headers: { 'if-match': '"v9"' } }
    await expectProblem('updateService', outdated, 412, 'version_mismatch')
    await done('createWorkspace', {
      ...admin,
      json: { dialect: profile.name, slug: unique('held'), name: 'Held' },
    })
    await expectProblem('deleteService', held, 409, 'service_in_use')
    await fillServices()
    expect(await done('getWorkspace', { ...admin, params: { ws: slug } })).toMatchObject({ id: ws })
    expect((await call('createWorkspace', create('ads'))).status).toBe(201)
    await expectProblem('getWorkspace', { ...admin, params: { ws: slug } }, 404, 'not_found')
  })

  test('an email address is unique in its workspace', async () => {
    const account = await openAccount('content')
    const email = `${unique('ana')}@example.com`
    const member = (ws: string) => ({
      ...admin,
      params: { ws },
      json: { email, name: 'Ana', role: 'viewer' },
    })
    expect((await call('createMember', member(account.ws))).status).toBe(201)
    await expectProblem('createMember', member(account.ws), 409, 'email_taken')
    const other = await openAccount('content')
    expect((await call('createMember', member(other.ws))).status).toBe(201)
  })

  test('a created resource is found at its Location', async () => {
    const { ws } = await openAccount('content')
    const json = { name: 'key', scopes: ['webhooks'] }
    const { headers, json: made } = await call<{ id: string }>('createKey', {
      ...admin,
      params: { ws },
      json,
    })
    expect(headers.location).toBe(`/admin/v1/workspaces/${ws}/keys/${made.id}`)
    expect(await done('getKey', { ...admin, path: headers.location! })).toMatchObject({
      id: made.id,
      name: 'key',
    })
  })

  test('a revoked key and a deleted workspace give no access', async () => {
    const account = await openAccount('content')
    const { id, key } = await addKey(account)
    const list = { ...inContent(account), key }
    expect((await call('listContentWebhooks', list)).status).toBe(200)
    await done('revokeKey', { ...admin, params: { ws: account.ws, id } })
    await expectProblem('listContentWebhooks', list, 401, 'key_revoked')
    await done('deleteWorkspace', { ...admin, params: { ws: account.ws } })
    await expectProblem('listContentWebhooks', inContent(account), 401, 'key_invalid')
    await expectProblem('getWorkspace', { ...admin, params: { ws: account.ws } }, 404, 'not_found')
  })

  test('an admin token gives access until it is revoked, and is named in the audit log', async () => {
    const { id, token } = await addAdminToken()
    const made = { key: token }
    const { id: other } = await done<{ id: string }>('createAdminToken', { ...made, json: { name: 'other' } })
    const log = await done<{ data: Entry[] }>('listAuditLog', { ...admin, query: { target: other } })
    expect(log.data).toMatchObject([
      { action: 'admin_token.created', actor: { type: 'operator', id }, target: { id: other } },
    ])
    await done('revokeAdminToken', { ...admin, params: { id } })
    await expectProblem('listAdminTokens', made, 401, 'admin_token_revoked')
    await fillAdminTokens()
  })

  test("a session has the current rights of its member's role, and ends with the member", async () => {
    const account = await openAccount('content')
    const { id } = await addMember(account.ws, 'viewer')
    const token = await signIn(account.ws, id)
    const member = { ...admin, params: { ws: account.ws, id } }
    const become = (role: Role) => done('updateMember', { ...member, json: { role } })
    expect(await createWebhook(account, token)).toBe(403)
    await become('owner')
    expect(await createWebhook(account, token)).toBe(201)
    await become('editor')
    expect(await createWebhook(account, token)).toBe(403)
    await done('deleteMember', member)
    expect(await createWebhook(account, token)).toBe(401)
  })

  test("audit logs show who did what, all of it to the operator and the owner's part to owners", async () => {
    const account = await openAccount('content')
    const { id } = await addContentWebhook(account)
    const query = { target: id }
    const theirs = await done<{ data: Entry[] }>('listContentAuditLog', { ...inContent(account), query })
    expect(theirs.data).toMatchObject([{ action: 'webhook.created', actor: { type: 'key' }, target: { id } }])
    const all = await done<{ data: Entry[] }>('listAuditLog', { ...admin, query: { workspace: account.ws } })
    expect(all.data.map(({ action }) => action)).toEqual([
      'webhook.created',
      'key.created',
      'member.created',
      'workspace.created',
    ])
    expect(all.data.at(-1)).toMatchObject({ actor: { type: 'operator' } })
    const { key } = await addKey(account)
    await expectProblem('listContentAuditLog', { ...inContent(account), key }, 403, 'role_missing')
  })

  test('the service reports that it is alive, ready, and its metrics', async () => {
    expect((await call('healthz')).json).toEqual({ status: 'ok' })
    expect((await call('readyz')).json).toEqual({ status: 'ready' })
    expect((await call('metrics')).text).toMatch(/^posthorn_events_published_total\S* [1-9]/m)
  })
}

/** Creates admin tokens up to the limit, and revokes these. */
async function fillAdminTokens(): Promise<void> {
  const made: string[] = []
  for (;;) {
    const { status, json } = await call<{ id: string; code: string }>('createAdminToken', {
      ...admin,
      json: { name: unique('one-of-many') },
    })
    if (status !== 201) {
      expect([status, json.code]).toEqual([409, 'admin_token_limit_reached'])
      break
    }
    made.push(json.id)
    expect(made.length).toBeLessThan(1000)
  }
  for (const id of made) await done('revokeAdminToken', { ...admin, params: { id } })
}

/** Adds services up to the limit, and removes these. */
async function fillServices(): Promise<void> {
  const added: string[] = []
  for (;;) {
    const json = { profile: 1, name: unique('one-of-many'), title: 'One of many' }
    const { status, json: answer } = await call('createService', { ...admin, json })
    if (status !== 201) {
      expect([status, answer.code]).toEqual([409, 'service_limit_reached'])
      break
    }
    added.push(json.name)
    expect(added.length).toBeLessThan(1000)
  }
  for (const id of added) await done('deleteService', { ...admin, params: { id } })
}
