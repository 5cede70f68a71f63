import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadDocuments, type Placed, pathTo } from './documents.ts'
import { TARGET } from './events.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let loaded: Awaited<ReturnType<typeof loadDocuments>>
const workspaces = new Map<string, TestWorkspace>()
beforeAll(async () => {
  loaded = await loadDocuments()
  service = await startTestService()
  for (const name of ['content', 'ads'] as const) workspaces.set(name, await service.workspace(name))
})
afterAll(async () => {
  await loaded.app.close()
  await service.stop()
})

/** The token of a signed-in owner. */
async function ownerOf({ id }: TestWorkspace): Promise<string> {
  const owner = { name: 'Owner', email: 'owner@example.com', role: 'owner' }
  const member = (await service.admin('POST', `/workspaces/${id}/members`, owner)).json
  return (await service.admin('POST', `/workspaces/${id}/members/${member.id}/sessions`, {})).json.token
}

describe.each(['content', 'ads'])('the operations of %s', (name) => {
  const operations = () => loaded.operations.filter(({ document }) => document === name)
  const method = (operation: Placed) => operation.method.toUpperCase() as Call['method']

  it('accept signed-in members exactly where the document says so', async () => {
    const workspace = workspaces.get(name)!
    const token = await ownerOf(workspace)
    for (const operation of operations()) {
      const url = pathTo(operation.path, workspace.slug)
      const { json } = await service.call({ method: method(operation), url, key: token })
      const isDocumented = operation.security.some((one) => 'memberSession' in one)
      expect(json?.code !== 'role_missing', operation.operationId).toBe(isDocumented)
    }
  })

  it('all accept keys', () => {
    for (const { security } of operations()) expect(security).toContainEqual({ apiKey: [] })
  })
})

/** Headers that follow from the kind of an operation; the document says which of its answers have them. */
const FOLLOWING = [
  'location',
  'etag',
  'retry-after',
  'www-authenticate',
  'ratelimit',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
]

/** Calls an operation and compares such headers. @returns the answer */
async function called(operationId: string, call: Omit<Call, 'method'>) {
  const { method, responses } = loaded.operations.find((one) => one.operationId === operationId)!
  const answer = await service.call({ ...call, method: method.toUpperCase() as Call['method'] })
  const documented = Object.entries(responses[answer.status]!.headers ?? {}).map(([header, described]) => ({
    header: header.toLowerCase(),
    required: (described as { readonly required?: boolean }).required !== false,
  }))
  const sent = FOLLOWING.filter((header) => header in answer.headers)
  const required = documented.filter((one) => one.required).map(({ header }) => header)
  expect(sent, operationId).toEqual(expect.arrayContaining(required.filter((one) => FOLLOWING.includes(one))))
  expect(documented.map(({ header }) => header)).toEqual(expect.arrayContaining(sent))
  return answer
}

it('answers have exactly the documented headers of that kind', async () => {
  const { slug, key } = workspaces.get('content')!
  const webhooks = `/v1/workspaces/${slug}/webhooks`
  const body = { url: TARGET, events: ['plan.ready'] }
  const seen = new Set<number>()
  const call = async (operationId: string, of: Omit<Call, 'method'>) => {
    const answer = await called(operationId, of)
    seen.add(answer.status)
    return answer
  }
  const { json: webhook } = await call('createContentWebhook', { url: webhooks, key, body })
  const url = `${webhooks}/${webhook.id}`
  await call('createContentWebhook', { url: webhooks, body })
  await call('createContentWebhook', { url: webhooks, key, body: {} })
  await call('listContentWebhooks', { url: webhooks, key })
  await call('getContentWebhook', { url, key })
  await call('updateContentWebhook', { url, key, body: { description: 'x' } })
  await call('updateContentWebhook', { url, key, body: { paused: false }, headers: { 'if-match': '"v99"' } })
  await call('rotateContentWebhookSecret', { url: `${url}/rotate-secret`, key })
  for (let sent = 0; sent <= 10; sent++) await call('testContentWebhook', { url: `${url}/test`, key })
  const { json: other } = await call('getContentWebhook', { url, key: workspaces.get('ads')!.key })
  expect(other.code).toBe('not_found')
  const scopeless = (await service.key(slug, { scopes: ['events:write'] })).key
  await call('getContentWebhook', { url, key: scopeless })
  await call('deleteContentWebhook', { url, key })
  expect([...seen].sort()).toEqual([200, 201, 202, 204, 401, 403, 404, 412, 422, 429])
})

it('resources created by an operator have a path where they can be read', async () => {
  const { id } = workspaces.get('ads')!
  const url = `/admin/v1/workspaces/${id}/members`
  const key = ADMIN_TOKEN
  const body = { name: 'Other', email: 'other@example.com', role: 'owner' }
  const { json, headers } = await called('createMember', { url, key, body })
  expect(headers.location).toBe(`${url}/${json.id}`)
  await called('createSession', { url: `${url}/${json.id}/sessions`, key, body: {} })
})
