import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAdminClient, createContentClient } from '../src/index.ts'
import { rejection } from './support/clients.ts'
import { collect, type RunningService, runService } from './support/service.ts'

let service: RunningService

beforeAll(async () => {
  service = await runService()
})
afterAll(() => service.stop())

test('a workspace can be created, listed, suspended, resumed and removed', async () => {
  const { workspaces } = service.admin
  const made = await workspaces.create({ dialect: 'content', slug: 'first', name: 'First' })
  const other = await workspaces.create({ dialect: 'ads', slug: 'second', name: 'Second' })
  const again = workspaces.create({ dialect: 'ads', slug: 'second', name: 'Second' })
  expect(await rejection(again)).toMatchObject({ status: 409, code: 'slug_taken' })
  expect(await collect(workspaces.iterate({ limit: 1 }))).toEqual([other, made])
  expect((await workspaces.list()).data).toEqual([other, made])
  expect((await workspaces.suspend('first')).suspended_at).not.toBeNull()
  expect((await workspaces.resume('first')).suspended_at).toBeNull()
  expect(await workspaces.get(made.id)).toEqual(made)
  await workspaces.delete(made.id)
  expect(await rejection(workspaces.get(made.id))).toMatchObject({ status: 404, code: 'not_found' })
})

test('members can be added, changed, signed in and out, and removed', async () => {
  const { admin, baseUrl } = service
  const { members, sessions } = admin
  await admin.workspaces.create({ dialect: 'content', slug: 'people', name: 'People' })
  const ana = await members.create('people', { email: 'ana@example.com', name: 'Ana', role: 'owner' })
  const bo = await members.create('people', { email: 'bo@example.com', name: 'Bo', role: 'viewer' })
  expect(await collect(members.iterate('people', { limit: 1 }))).toEqual([bo, ana])
  expect((await members.list('people')).data).toEqual([bo, ana])
  expect(await members.update('people', bo.id, { role: 'editor' })).toMatchObject({ role: 'editor' })
  expect(await members.get('people', bo.id)).toMatchObject({ role: 'editor' })

  const { token } = await sessions.create('people', ana.id, { minutes: 5 })
  const signedIn = createContentClient({ baseUrl, apiKey: token!, workspace: 'people' })
  expect((await signedIn.webhooks.list()).data).toEqual([])
  await sessions.deleteAll('people', ana.id)
  expect(await rejection(signedIn.webhooks.list())).toMatchObject({ status: 401 })
  await members.delete('people', bo.id)
  expect(await rejection(members.get('people', bo.id))).toMatchObject({ code: 'not_found' })
})

test('links lead members to the console, and sign in the owner of the email address', async () => {
  const { admin, baseUrl } = service
  await admin.workspaces.create({ dialect: 'content', slug: 'links', name: 'Links' })
  const member = { email: 'lin@example.com', name: 'Lin', role: 'owner' } as const
  const { id } = await admin.members.create('links', member)
  const portal = await admin.portalLinks.create('links', id, { minutes: 10 })
  expect(portal.url).toContain(`${baseUrl}/`)
  expect(portal.embed_url).toContain(`${baseUrl}/embed`)
  expect((await admin.portalLinks.create('links', id)).url).not.toBe(portal.url)
  const { url } = await admin.signInLinks.create({ email: member.email })
  const session = await fetch(`${baseUrl}/console/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ token: new URL(url!).hash.slice(1) }),
  })
  expect(session.ok).toBe(true)
})

test('operators are added, listed and removed', async () => {
  const { operators } = service.admin
  const nadia = await operators.create({ email: 'nadia@example.com', name: 'Nadia' })
  const omar = await operators.create({ email: 'omar@example.com', name: 'Omar' })
  const again = operators.create({ email: 'omar@example.com', name: 'Omar' })
  expect(await rejection(again)).toMatchObject({ status: 409, code: 'email_taken' })
  expect(await collect(operators.iterate({ limit: 1 }))).toEqual([omar, nadia])
  await operators.delete(nadia.id)
  expect((await operators.list()).data).toEqual([omar])
})

test('admin tokens can be created, used, listed and expire', async () => {
  const { adminTokens } = service.admin
  const { token, secret_omitted: _, ...one } = await adminTokens.create({ name: 'CI' })
  const client = createAdminClient({ baseUrl: service.baseUrl, adminToken: token! })
  const two = await client.adminTokens.create({ name: 'other', expires_at: '2090-01-01T00:00:00Z' })
  expect((await collect(adminTokens.iterate({ limit: 1 }))).map(({ id }) => id)).toEqual([two.id, one.id])
  await adminTokens.revoke(one.id)
  expect((await adminTokens.list()).data.at(-1)!.revoked_at).not.toBeNull()
  expect(await rejection(client.adminTokens.list())).toMatchObject({
    status: 401,
    code: 'admin_token_revoked',
  })
})

test('keys can be created, listed and revoked, and the audit log records it', async () => {
  const { admin } = service
  const { id: workspace } = await admin.workspaces.create({ dialect: 'ads', slug: 'keys', name: 'Keys' })
  const { key, ...one } = await admin.keys.create('keys', { name: 'one', scopes: ['webhooks'] })
  const two = await admin.keys.create('keys', { name: 'two', scopes: ['events:write'] })
  expect(key).toMatch(/^phk_/)
  expect((await collect(admin.keys.iterate('keys', { limit: 1 }))).map(({ id }) => id)).toEqual([
    two.id,
    one.id,
  ])
  expect((await admin.keys.list('keys')).data).toHaveLength(2)
  await admin.keys.revoke('keys', one.id)
  expect((await admin.keys.get('keys', one.id)).revoked_at).not.toBeNull()
  const log = await collect(admin.auditLog.iterate({ workspace, limit: 1 }))
  expect(log.map(({ action }) => action)).toEqual([
    'key.revoked',
    'key.created',
    'key.created',
    'workspace.created',
  ])
  expect((await admin.auditLog.list({ workspace })).data).toEqual(log)
})

test('a wrong token is reported by its code', async () => {
  const stranger = createAdminClient({ baseUrl: service.baseUrl, adminToken: 'pha_unknown' })
  expect(await rejection(stranger.workspaces.list())).toMatchObject({
    status: 401,
    code: 'admin_token_invalid',
  })
})
