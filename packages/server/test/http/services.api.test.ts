import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProfileDocument } from '../../src/profiles/format.ts'
import { billing, documentOf } from './profiles.ts'
import { ADMIN_TOKEN, startTestService, type TestService } from './service.ts'

const V1A = {
  content: '{id}.{timestamp}.{body}',
  algorithm: 'ed25519',
  encoding: 'base64',
  each: 'v1a,{signature}',
}

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

let names = 0
const newName = () => {
  names += 1
  return `billing-${names}`
}

/** Adds a service with a unique name. */
async function added(changes: object = {}) {
  const document = billing({ name: newName(), ...changes })
  const answer = await service.admin('POST', '/services', document)
  expect([answer.status, answer.json]).toEqual([201, expect.anything()])
  return document
}

const update = (document: ProfileDocument, headers: Record<string, string> = {}) =>
  service.call({
    method: 'PUT',
    url: `/admin/v1/services/${document.name}`,
    key: ADMIN_TOKEN,
    body: document,
    headers,
  })

describe('adding a service', () => {
  it('returns the service', async () => {
    const document = billing({ name: newName() })
    const { status, json, headers } = await service.admin('POST', '/services', document)
    expect(status).toBe(201)
    expect(headers.location).toBe(`/admin/v1/services/${document.name}`)
    expect(json).toMatchObject({
      name: document.name,
      title: 'Billing',
      built_in: false,
      version: 1,
      types: 1,
      open: false,
    })
    const shown = (await service.admin('GET', `/services/${document.name}`)).json
    expect(shown).toMatchObject({ profile: document, versions: [{ version: 1 }] })
    const listed = (await service.admin('GET', '/services')).json.data as { name: string }[]
    expect(listed.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ads', document.name, 'content', 'standard']),
    )
  })

  it.each<[string, object, string, RegExp]>([
    ['is no profile', { profile: 2 }, '/profile', /must be 1/],
    ['has a header that nothing fills', { headers: { 'X-A': '{nothing}' } }, '/headers/X-A', /nothing/],
    ['is not signed and does not say so', { signatures: [], headers: { 'X-A': '{id}' } }, '/signatures', /./],
  ])('rejects %s, and adds nothing', async (_, changes, pointer, message) => {
    const name = newName()
    const { status, json } = await service.admin('POST', '/services', billing({ name, ...changes }))
    expect([status, json.code]).toEqual([422, 'invalid_request'])
    expect(json.errors).toContainEqual({ pointer, message: expect.stringMatching(message) })
    expect((await service.admin('GET', `/services/${name}`)).status).toBe(404)
  })

  it.each(['content', 'standard', 'admin', 'console'])('rejects the name %s', async (name) => {
    const { status, json } = await service.admin('POST', '/services', billing({ name }))
    expect([status, json.errors?.[0]?.pointer]).toEqual([422, '/name'])
  })

  it('rejects a name in use', async () => {
    const document = await added()
    const { status, json } = await service.admin('POST', '/services', document)
    expect([status, json.code]).toEqual([409, 'service_exists'])
  })

  it('is allowed only to operators', async () => {
    const { key } = await service.workspace('content')
    const { status } = await service.call({ method: 'POST', url: '/admin/v1/services', key, body: billing() })
    expect(status).toBe(401)
  })

  it('happens once with an Idempotency-Key', async () => {
    const body = billing({ name: newName() })
    const headers = { 'idempotency-key': newName() }
    const add = () =>
      service.call({ method: 'POST', url: '/admin/v1/services', key: ADMIN_TOKEN, body, headers })
    expect([await add(), await add()].map(({ status, json }) => [status, json.version])).toEqual([
      [201, 1],
      [201, 1],
    ])
  })
})

describe('changing a service', () => {
  it('creates the next version, given the current one', async () => {
    const document = await added()
    const { headers } = await service.admin('GET', `/services/${document.name}`)
    const next = { ...document, title: 'Bills' }
    const ifMatch = { 'if-match': String(headers.etag) }
    expect((await update(next, ifMatch)).json).toMatchObject({ title: 'Bills', version: 2 })
    expect(await update(next, ifMatch)).toMatchObject({ status: 412, json: { code: 'version_mismatch' } })
    expect((await service.admin('GET', `/services/${document.name}`)).json.versions).toHaveLength(2)
  })

  it.each<[string, object, string]>([
    ['takes a type away', { catalog: { types: [{ type: 'b', title: 'B' }] } }, '/catalog/types'],
    [
      'gives a type another shape',
      { catalog: { types: [{ type: 'invoice.paid', title: 'Invoice paid', schema: { type: 'object' } }] } },
      '/catalog/types/0',
    ],
    ['gives ids another form', { ids: { style: 'uuid' } }, '/ids'],
    ['gives secrets another form', { secret: { prefix: 'sec_' } }, '/secret'],
    ['signs with key pairs alone from now on', { signatures: [V1A] }, '/signatures'],
  ])('is rejected if it %s', async (_, changes, pointer) => {
    const document = await added()
    const { status, json } = await update({ ...document, ...changes })
    expect([status, json.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([422, [pointer]])
    expect((await service.admin('GET', `/services/${document.name}`)).json.version).toBe(1)
  })

  it('may change shapes if the profile allows it', async () => {
    const document = await added()
    const catalog = { types: [{ type: 'b', title: 'B' }] }
    expect((await update({ ...document, compatibility: 'none', catalog })).status).toBe(200)
  })

  it('may add a type, and extend one', async () => {
    const document = await added()
    const types = [
      { ...document.catalog!.types![0]!, description: 'Paid in full.' },
      { type: 'b', title: 'B' },
    ]
    expect((await update({ ...document, catalog: { types } })).json.types).toBe(2)
  })

  it('is rejected for a built-in one, and for another name than in the path', async () => {
    const document = await added()
    const content = documentOf('content')
    expect((await update(content)).json.errors[0].pointer).toBe('/name')
    const url = `/admin/v1/services/${document.name}`
    const body = { ...document, name: 'other' }
    const { json } = await service.call({ method: 'PUT', url, key: ADMIN_TOKEN, body })
    expect(json.errors[0].pointer).toBe('/name')
  })
})

describe('removing a service', () => {
  it('is rejected while a workspace uses it', async () => {
    const { name } = await added()
    const workspace = await service.workspace(name)
    const { status, json } = await service.admin('DELETE', `/services/${name}`)
    expect([status, json.code]).toEqual([409, 'service_in_use'])
    expect(json.detail).toContain(workspace.slug)
    await service.admin('DELETE', `/workspaces/${workspace.id}`)
    expect((await service.admin('DELETE', `/services/${name}`)).status).toBe(204)
    expect((await service.admin('DELETE', `/services/${name}`)).status).toBe(404)
    const made = { dialect: name, slug: 'too-late', name: 'Too late' }
    const late = await service.admin('POST', '/workspaces', made)
    expect([late.status, late.json.errors[0].pointer]).toEqual([422, '/dialect'])
  })

  it('is rejected for a built-in one', async () => {
    expect((await service.admin('DELETE', '/services/standard')).json.code).toBe('service_in_use')
  })
})

it('the audit log of operators has each change', async () => {
  const document = await added()
  await update({ ...document, title: 'Bills' })
  await service.admin('DELETE', `/services/${document.name}`)
  const { json } = await service.admin('GET', `/audit-log?target=${document.name}`)
  expect(json.data).toMatchObject([
    { action: 'service.removed', workspace_id: null, target: { type: 'service', id: document.name } },
    { action: 'service.updated', details: { title: 'Bills', version: 2 } },
    { action: 'service.added', details: { title: 'Billing' } },
  ])
})

describe('checking a profile', () => {
  const check = (document: object) => service.admin('POST', '/services/check', document)

  it('reports mistakes, and changes nothing', async () => {
    const { json } = await check(billing({ name: 'never-added', case: 'kebab' }))
    expect(json).toMatchObject({ errors: [{ pointer: '/case' }], request: null })
    expect((await service.admin('GET', '/services/never-added')).status).toBe(404)
  })

  it('shows the request that a receiver will get', async () => {
    const { json } = await check(billing({ name: 'never-added' }))
    expect(json).toMatchObject({ errors: [], request: { type: 'invoice.paid' } })
    expect(json.request.headers).toHaveProperty('webhook-signature')
    expect(JSON.parse(json.request.body).data).toEqual({ invoice_id: 'inv_1001' })
    expect(json.request.secret).toMatch(/^whsec_/)
  })

  it('reports obstacles to replacing the service of its name', async () => {
    const document = await added()
    const { json } = await check({ ...document, ids: { style: 'uuid' } })
    expect(json.errors).toMatchObject([{ pointer: '/ids' }])
  })
})
