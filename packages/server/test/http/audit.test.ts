import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUDIT_ACTIONS } from '../../src/storage/auditRows.ts'
import { ACTIONS, act, actorOf, setUp } from './audit.actions.ts'
import { type Client, type Json, openClient } from './client.ts'
import { contentEvent } from './events.ts'
import { addMemberWith, addOperator, browserOf, newAddress, OWN_PAGE, signedIn } from './people.ts'
import { ADMIN_TOKEN, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

/** An entry as stored: names are added when it is read. */
function asKept({ actor, target, workspace_name: _workspace, ...entry }: Json) {
  const { name: _actor, ...by } = actor
  const { name: _target, ...on } = target
  return { ...entry, actor: by, target: on }
}

/** The operator's view of a workspace's log, newest first. */
async function logOf({ ws }: Client, query = '') {
  const { status, json } = await service.admin('GET', `/audit-log?limit=100&workspace=${ws.id}${query}`)
  expect(status).toBe(200)
  return json.data.map(asKept)
}

it('every action of the log is tested here', () => {
  const elsewhere = [
    'member.signed_in',
    'member.sign_in_link_created',
    'workspace.created',
    'workspace.resumed',
    'webhook.switched_off',
    'recovery.canceled',
    'webhook.tested',
    'delivery.sent_again',
    'delivery.retried',
  ]
  const done = new Set([...ACTIONS.map(({ action }) => action), ...elsewhere])
  expect([...done].sort()).toEqual([...AUDIT_ACTIONS].sort())
})

/** Never in an entry: secrets, URLs, labels, names and e-mail addresses of people. */
const NEVER = ['whsec_', 'phk_', 'phs_', '://', 'in-the-', 'Secret Name', '@']

describe.each(ACTIONS)('$action by a $by ($service)', (action) => {
  it('is one entry with its actor, target, request and time, and without secrets', async () => {
    const audited = await setUp(service, action.service)
    const before = await logOf(audited.client)
    const from = service.clock.now()
    const answer = await act(service, action, audited, 'req-of-the-test')
    expect(answer.status).toBeLessThan(300)
    const after = await logOf(audited.client)
    const to = service.clock.now()
    expect(after.slice(1)).toEqual(before)
    expect(after[0]).toEqual({
      at: expect.any(String),
      action: action.action,
      actor: actorOf(action.by, audited),
      workspace_id: audited.client.ws.id,
      target: {
        type: action.targetType ?? action.action.split('.')[0],
        id: action.target(audited, answer),
      },
      details: action.details(audited, answer),
      request_id: 'req-of-the-test',
    })
    expect(Date.parse(after[0].at)).toBeGreaterThanOrEqual(from)
    expect(Date.parse(after[0].at)).toBeLessThanOrEqual(to)
    const { key, token, [audited.client.words.secret]: secret } = answer.json ?? {}
    for (const never of [...NEVER, key, token, secret, audited.owner.token, audited.client.ws.key])
      if (never !== undefined) expect(JSON.stringify(after)).not.toContain(never)
  })
})

describe('the audit log', () => {
  it('records in each workspace who created a sign-in link, once, and so does the process log', async () => {
    const clients = [await openClient(service, 'content'), await openClient(service, 'ads')]
    const email = newAddress()
    const members: string[] = []
    for (const { ws } of clients) members.push(await addMemberWith(service, ws.id, 'owner', email))
    const operator = newAddress()
    const operatorId = await addOperator(service, operator)
    const headers = {
      ...OWN_PAGE,
      cookie: await browserOf(service, operator),
      'idempotency-key': 'one-link',
      'x-request-id': 'req-of-the-link',
    }
    const make = { method: 'POST', url: '/admin/v1/sign-in-links', body: { email }, headers } as const
    expect([await service.call(make), await service.call(make)].map(({ status }) => status)).toEqual([
      201, 201,
    ])
    const actor = { type: 'operator', id: operatorId, session_id: expect.stringMatching(/^bws_/) }
    for (const [index, client] of clients.entries()) {
      const links = (await logOf(client)).filter(
        ({ action }: Json) => action === 'member.sign_in_link_created',
      )
      const target = { type: 'member', id: members[index] }
      expect(links).toMatchObject([{ actor, target, details: {}, request_id: 'req-of-the-link' }])
    }
    const lines = service.logs
      .filter((line) => line.includes('sign-in link created'))
      .map((line) => JSON.parse(line))
    const by = { type: 'operator', id: operatorId, sessionId: expect.stringMatching(/^bws_/) }
    expect(lines.filter(({ whose }) => whose === members[0])).toMatchObject([
      { level: 'info', request_id: 'req-of-the-link', by },
    ])
    // An operator's own link concerns no workspace, so only the process log has it.
    expect(lines.filter(({ whose }) => whose === operatorId)).toMatchObject([
      { by: { type: 'operator', id: null, sessionId: null } },
    ])
  })

  it('has portal links, which the process log records once too', async () => {
    const { ws } = await openClient(service, 'content')
    const id = await addMemberWith(service, ws.id, 'owner', newAddress())
    const url = `/admin/v1/workspaces/${ws.id}/members/${id}/portal-links`
    const headers = { 'idempotency-key': 'one-portal-link', 'x-request-id': 'req-of-the-portal' }
    const make = { method: 'POST', url, body: {}, headers, key: ADMIN_TOKEN } as const
    expect([await service.call(make), await service.call(make)].map(({ status }) => status)).toEqual([
      201, 201,
    ])
    const lines = service.logs.map((line) => JSON.parse(line)).filter(({ whose }) => whose === id)
    const by = { type: 'operator', id: null, sessionId: null }
    expect(lines).toMatchObject([
      { level: 'info', message: 'portal link created', request_id: 'req-of-the-portal', by },
    ])
  })

  it('covers workspaces: added and removed operators, and who changed them, are in the process log', async () => {
    const id = await addOperator(service, newAddress())
    const remover = newAddress()
    const removerId = await addOperator(service, remover)
    const headers = { ...OWN_PAGE, cookie: await browserOf(service, remover) }
    const url = `/admin/v1/operators/${id}`
    expect((await service.call({ method: 'DELETE', url, headers })).status).toBe(204)
    const lines = service.logs.map((line) => JSON.parse(line)).filter((line) => line.operator === id)
    expect(lines).toMatchObject([
      { level: 'info', message: 'operator added', by: { type: 'operator', id: null } },
      { level: 'info', message: 'operator removed', by: { type: 'operator', id: removerId } },
    ])
  })

  it('covers a workspace from its creation to its end, and after it', async () => {
    const client = await openClient(service, 'ads')
    for (const verb of ['suspend', 'resume'])
      await service.admin('POST', `/workspaces/${client.ws.id}/${verb}`)
    await client.webhook()
    await service.admin('DELETE', `/workspaces/${client.ws.id}`)
    const actions = (await logOf(client)).map(({ action }: Json) => action)
    expect(actions.reverse()).toEqual([
      'workspace.created',
      'key.created',
      'workspace.suspended',
      'workspace.resumed',
      'webhook.created',
      'workspace.deleted',
    ])
  })

  it('records that a receiver disabled its webhook, without an actor', async () => {
    const client = await openClient(service, 'content')
    const { id } = await client.receivingWebhook()
    service.receiver.answer((response) => response.writeHead(410).end())
    await client.publish()
    await service.recorded(1)
    expect(await logOf(client, `&target=${id}`)).toEqual([
      {
        at: expect.any(String),
        action: 'webhook.switched_off',
        actor: { type: 'system', id: null, session_id: null },
        workspace_id: client.ws.id,
        target: { type: 'webhook', id },
        details: { reason: 'gone' },
        request_id: null,
      },
      expect.objectContaining({ action: 'webhook.created' }),
    ])
  })

  it('records concurrent 410s once, and again after the next', async () => {
    const client = await openClient(service, 'content')
    const { id, path } = await client.receivingWebhook()
    const waiting: ServerResponse[] = []
    service.receiver.answer((response) => {
      if (waiting.push(response) === 5) for (const each of waiting) each.writeHead(410).end()
    })
    await client.post('/events/batch', { events: Array.from({ length: 5 }, () => contentEvent()) })
    await service.recorded(5)
    const times = async () =>
      (await logOf(client, `&target=${id}`)).filter(({ action }: Json) => action === 'webhook.switched_off')
        .length
    expect(await times()).toBe(1)
    service.receiver.answer((response) => response.writeHead(410).end())
    await client.call('PATCH', path, { body: { enabled: true } })
    await client.publish()
    await service.recorded(1)
    expect(await times()).toBe(2)
  })

  it('records a webhook that failed for a day', async () => {
    const client = await openClient(service, 'content')
    const { id } = await client.receivingWebhook()
    service.receiver.answer((response) => response.writeHead(500).end())
    for (let i = 0; i < 2; i++) {
      await client.publish()
      await service.recorded(1)
      service.clock.forwardCalendar(86_400_000)
    }
    const [entry] = await logOf(client, `&target=${id}`)
    expect(entry).toMatchObject({ action: 'webhook.switched_off', details: { reason: 'failing' } })
  })

  it('records nothing that was rejected or changed nothing', async () => {
    const { client, owner, webhookId, memberId, keyId } = await setUp(service, 'content')
    const { ws } = client
    const viewer = await signedIn(service, ws.id, 'viewer')
    const other = await service.key(ws.id)
    const path = `/webhooks/${webhookId}`
    const admin = `/workspaces/${ws.id}`
    await service.admin('DELETE', `${admin}/keys/${keyId}`)
    await service.admin('DELETE', `${admin}/members/${memberId}/sessions`)
    await client.call('PATCH', path, { body: { paused: true } })
    await service.admin('POST', `${admin}/suspend`)
    const before = await logOf(client)

    const statuses = [
      // Nothing was different afterwards.
      await client.call('PATCH', path, { body: { paused: true, description: '' } }),
      await service.admin('PATCH', `${admin}/members/${memberId}`, { role: 'viewer' }),
      await service.admin('DELETE', `${admin}/members/${memberId}/sessions`),
      await service.admin('DELETE', `${admin}/keys/${keyId}`),
      await service.admin('POST', `${admin}/suspend`),
      // Rejected.
      await client.post('/webhooks', { url: 'https://10.0.0.1/', events: ['plan.ready'] }),
      await client.call('PATCH', path, { body: { paused: 'yes' } }),
      await client.call('PATCH', path, { body: { paused: false }, key: viewer.token }),
      await client.call('DELETE', path, { key: other.key }),
      await client.call('DELETE', path, { headers: { 'if-match': '"v99"' }, key: owner.token }),
      await client.post(`${path}/rotate-secret`, undefined, { headers: { 'if-match': '"v99"' } }),
      await client.post(`${path}/test`),
      await service.admin('POST', '/workspaces', { dialect: 'content', slug: ws.slug, name: 'Again' }),
      await service.admin('POST', `${admin}/keys`, { name: 'x', scopes: ['nothing'] }),
      await service.admin('DELETE', `${admin}/members/usr_00000000000000000000000000`),
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 204, 204, 200, 422, 422, 403, 403, 412, 412, 409, 409, 422, 404])
    expect(await logOf(client)).toEqual(before)
  })

  it('records a request once that was sent twice with one Idempotency-Key', async () => {
    const client = await openClient(service, 'ads')
    const headers = { 'idempotency-key': 'k' }
    for (let i = 0; i < 3; i++) await client.post('/webhooks', client.webhookBody(), { headers })
    const created = (await logOf(client)).filter(({ action }: Json) => action === 'webhook.created')
    expect(created).toHaveLength(1)
  })
})
