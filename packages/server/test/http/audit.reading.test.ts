import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, openClient, SERVICES } from './client.ts'
import { addMember, addOperator, browserOf, newAddress, OWN_PAGE, type SignedIn, signedIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

interface NamedEntry {
  readonly action: string
  readonly actor: { readonly name: string | null }
  readonly target: { readonly name: string | null }
}

interface OperatorsEntry {
  readonly actor: {
    readonly type: string
    readonly id: string | null
    readonly name: string | null
    readonly session_id: string | null
  }
  readonly workspace_id: string
  readonly workspace_name: string | null
  readonly request_id: string | null
}

/** An entry as the operator reads it, in the naming of the ads service. */
function inAds(entry: OperatorsEntry) {
  const {
    actor,
    workspace_id: workspaceId,
    workspace_name: workspaceName,
    request_id: requestId,
    ...same
  } = entry
  const { session_id: sessionId, ...who } = actor
  return { ...same, actor: { ...who, sessionId }, workspaceId, workspaceName, requestId }
}

describe.each(SERVICES)('the audit log of the %s service', (name) => {
  let client: Client
  let owner: SignedIn
  beforeEach(async () => {
    client = await openClient(service, name)
    owner = await signedIn(service, client.ws.id, 'owner')
  })

  const read = async (query = '', key = owner.token) => {
    const { status, json } = await client.get(`/audit-log${query}`, { key })
    expect(status).toBe(200)
    return { entries: json.data, cursor: json[client.words.nextCursor] }
  }
  const operators = async (query: string) => (await service.admin('GET', `/audit-log?${query}`)).json.data

  it("shows owners and their keys the operator's entries, in the naming of the service", async () => {
    await client.webhook({}, { key: owner.token })
    const all: OperatorsEntry[] = await operators(`workspace=${client.ws.id}`)
    expect(all).toHaveLength(5)
    const expected = name === 'ads' ? all.map(inAds) : all
    expect(await read()).toEqual({ entries: expected, cursor: null })
    const memberId = await addMember(service, client.ws.id, 'owner')
    const { key } = await service.key(client.ws.id, {
      scopes: name === 'content' ? ['webhooks', 'generations:read'] : ['webhooks'],
      member_id: memberId,
    })
    expect((await read('', key)).entries.slice(2)).toEqual(expected)
    const withoutMember = await client.get('/audit-log')
    expect([withoutMember.status, withoutMember.json.code]).toEqual([403, 'role_missing'])
    expect(withoutMember.json.detail).toContain("Create one with an owner's id as member_id")
  })

  it('uses the current names of actors and targets', async () => {
    const memberId = await addMember(service, client.ws.id, 'editor')
    const member = `/workspaces/${client.ws.id}/members/${memberId}`
    const named = async () =>
      (await read('?limit=100')).entries.map(({ action, actor, target }: NamedEntry) => [
        action,
        actor.name,
        target.name,
      ])
    await service.admin('POST', `${member}/sessions`)
    const { id } = await client.webhook({ description: '' })
    await client.call('PATCH', `/webhooks/${id}`, { body: { description: 'Billing' }, key: owner.token })
    const key = await service.key(client.ws.id, { name: 'Deploys', scopes: ['webhooks'] })
    expect((await named()).slice(0, 5)).toEqual([
      ['key.created', null, 'Deploys'],
      ['webhook.updated', 'The owner', 'Billing'],
      ['webhook.created', expect.any(String), 'Billing'],
      ['session.created', null, 'The editor'],
      ['member.created', null, 'The editor'],
    ])
    await service.admin('PATCH', member, { name: 'Mira' })
    await service.admin('DELETE', `/workspaces/${client.ws.id}/keys/${key.id}`)
    expect((await named())[1]).toEqual(['member.updated', null, 'Mira'])
    expect((await named())[0]).toEqual(['key.revoked', null, 'Deploys'])
    await service.admin('DELETE', member)
    expect((await named())[0]).toEqual(['member.deleted', null, null])
  })

  it('names a webhook without a description by its URL, and its workspace by its name', async () => {
    const { id } = await client.webhook({ description: '', url: 'https://example.com/hook' })
    const [entry] = await operators(`target=${id}`)
    expect(entry.target).toEqual({ type: 'webhook', id, name: 'https://example.com/hook' })
    const { name: workspaceName } = (await service.admin('GET', `/workspaces/${client.ws.id}`)).json
    expect(entry.workspace_name).toBe(workspaceName)
  })

  it('names operators only to operators', async () => {
    const email = newAddress()
    const id = await addOperator(service, email)
    const headers = { ...OWN_PAGE, cookie: await browserOf(service, email) }
    const url = `/admin/v1/workspaces/${client.ws.id}/suspend`
    expect((await service.call({ method: 'POST', url, headers })).status).toBe(200)
    const [shown] = await operators(`workspace=${client.ws.id}`)
    expect(shown.actor).toMatchObject({ type: 'operator', id, name: 'Olga' })
    const [entry] = (await read()).entries
    expect(entry.actor).toMatchObject({ type: 'operator', id, name: null })
  })

  it('shows nothing of other workspaces, whatever the filter', async () => {
    const other = await openClient(service, name)
    const { id } = await other.webhook()
    expect((await read(`?target=${id}`)).entries).toEqual([])
    expect(
      (await read('?limit=100')).entries.map(({ target }: { target: { id: string } }) => target.id),
    ).not.toContain(id)
    const stranger = await signedIn(service, other.ws.id, 'owner')
    const path = await client.get('/audit-log', { key: stranger.token })
    // The paths of ads do not name a workspace: it is the caller's own.
    if (name === 'content') expect(path.status).toBe(404)
    else expect(path.text).not.toContain(client.ws.id)
  })

  it('can be filtered by one target', async () => {
    const { id, path } = await client.webhook()
    await client.webhook()
    await client.call('PATCH', path, { body: { description: 'changed' } })
    const { entries } = await read(`?target=${id}`)
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'webhook.updated',
      'webhook.created',
    ])
    const sameForOperator: OperatorsEntry[] = await operators(`target=${id}&workspace=${client.ws.id}`)
    expect(name === 'ads' ? sameForOperator.map(inAds) : sameForOperator).toEqual(entries)
    expect(await operators(`target=${id}&workspace=nowhere`)).toEqual([])
    expect((await read('?target=nothing')).entries).toEqual([])
  })

  it('is paged without shifts by new entries', async () => {
    for (let i = 0; i < 4; i++) await client.webhook()
    const whole = (await read('?limit=100')).entries
    const seen = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await read(`?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.entries)
      cursor = page.cursor
      await client.webhook()
    }
    expect(seen).toEqual(whole)
  })

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=nonsense',
    `target=${'x'.repeat(101)}`,
    'action=key.created',
  ])('refuses %s', async (query) => {
    const { status, json } = await client.get(`/audit-log?${query}`, { key: owner.token })
    expect([status, json.errors[0].pointer]).toEqual([422, `/${query.split('=')[0]}`])
  })

  it('accepts no cursor of another list or workspace', async () => {
    for (let i = 0; i < 2; i++) await client.webhook()
    const other = await openClient(service, name)
    const stranger = await signedIn(service, other.ws.id, 'owner')
    const { cursor } = await read('?limit=1')
    const elsewhere = await other.get(`/audit-log?cursor=${cursor}`, { key: stranger.token })
    const { json } = await client.get('/webhooks?limit=1', { key: owner.token })
    const ofWebhooks = await client.get(`/audit-log?cursor=${json[client.words.nextCursor]}`, {
      key: owner.token,
    })
    const operators = await service.admin('GET', `/audit-log?cursor=${cursor}`)
    for (const { status, json } of [elsewhere, ofWebhooks, operators]) {
      expect([status, json.errors[0].pointer]).toEqual([422, '/cursor'])
    }
  })
})

describe('the audit log of the operator', () => {
  it('goes over all workspaces, newest first, and in pages', async () => {
    const one = await openClient(service, 'content')
    const two = await openClient(service, 'ads')
    await one.webhook()
    await two.webhook()
    const first = (await service.admin('GET', '/audit-log?limit=1')).json
    const second = (await service.admin('GET', `/audit-log?limit=1&cursor=${first.next_cursor}`)).json
    const workspaces = [...first.data, ...second.data].map(({ workspace_id }) => workspace_id)
    expect(workspaces).toEqual([two.ws.id, one.ws.id])
  })

  it('keeps the entries of a deleted workspace, which only the operator can still read', async () => {
    const client = await openClient(service, 'content')
    const { token } = await signedIn(service, client.ws.id, 'owner')
    const url = `/audit-log?workspace=${client.ws.id}`
    const before = (await service.admin('GET', url)).json.data
    await service.admin('DELETE', `/workspaces/${client.ws.id}`)
    const after = (await service.admin('GET', url)).json.data
    expect(after.slice(1)).toEqual(before)
    expect((await client.get('/audit-log', { key: token })).status).toBe(401)
  })
})
