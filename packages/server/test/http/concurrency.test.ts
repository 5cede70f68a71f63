import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { type Client, eventOf, openClient, SERVICES } from './client.ts'
import { thanks } from './content.ts'
import { type Answer, startTestService, type TestService } from './service.ts'
import { SIGNATURE_HEADER, signatureOf } from './signatures.ts'

const HOUR_MS = 3_600_000
/** Limit of entries in the header of Standard Webhooks. */
const MAX_SIGNATURES = 16

let service: TestService
/** Another node's HTTP layer, which does not share this one's requests in progress. */
let secondNode: FastifyInstance
beforeAll(async () => {
  service = await startTestService((deps) => {
    secondNode = buildApp(deps)
    return {}
  })
})
beforeEach(() => service.receiver.answer(thanks))
afterAll(async () => {
  await secondNode.close()
  await service.stop()
})

const atOnce = <T>(times: number, run: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, i) => run(i)))

/** How often each answer was given. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, json } of answers) {
    const name = json?.code === undefined ? String(status) : `${status} ${json.code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const withStatus = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status)

describe('concurrent requests', () => {
  it('never take a workspace beyond its 20 webhooks', async () => {
    const client = await openClient(service, 'content')
    for (let i = 0; i < 19; i++) await client.webhook()
    const answers = await atOnce(50, () => client.post('/webhooks', client.webhookBody()))
    expect(tally(answers)).toEqual({ 201: 1, '409 webhook_limit_reached': 49 })
    expect((await client.get('/webhooks?limit=100')).json.data).toHaveLength(20)
  })

  it('never take tests beyond their limit, and each answer has the rest of it', async () => {
    const client = await openClient(service, 'content')
    const { path, id } = await client.receivingWebhook()
    const before = service.receiver.requests.length
    const answers = await atOnce(50, () => client.post(`${path}/test`))
    expect(tally(answers)).toEqual({ 202: 10, '429 rate_limited': 40 })
    const left = withStatus(answers, 202).map(({ headers }) => Number(headers['ratelimit-remaining']))
    expect(left.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const { headers } of withStatus(answers, 429)) {
      const reset = Number(headers['retry-after'])
      expect(reset).toBeGreaterThan(0)
      expect(reset).toBeLessThanOrEqual(60)
      expect(headers).toMatchObject({
        'ratelimit-policy': '"manual-sends";q=10;w=60',
        ratelimit: `"manual-sends";r=0;t=${reset}`,
        'ratelimit-limit': '10',
        'ratelimit-remaining': '0',
        'ratelimit-reset': String(reset),
      })
    }
    await service.recorded(10)
    expect(await client.deliveries(id)).toHaveLength(10)
    expect(service.receiver.requests.length - before).toBe(10)
  })

  it('redeliver the documented number of times', async () => {
    const client = await openClient(service, 'content')
    const { id } = await client.receivingWebhook()
    await client.publish()
    await service.recorded(1)
    const [{ id: delivery }] = await client.deliveries(id)
    const before = service.receiver.requests.length
    const answers = await atOnce(30, () => client.post(client.againPath(id, delivery)))
    const { 202: accepted = 0, ...refused } = tally(answers)
    expect(accepted).toBeGreaterThan(0)
    expect(
      Object.keys(refused).filter((name) => !/^(409 delivery_not_finished|429 rate_limited)$/.test(name)),
    ).toEqual([])
    await service.recorded(accepted)
    const { json } = await client.get(client.deliveryPath(id, delivery))
    expect([json.status, json.attempts.length]).toEqual(['delivered', 1 + accepted])
    expect(service.receiver.requests.length - before).toBe(accepted)
  })

  it('replay a dead delivery once', async () => {
    const client = await openClient(service, 'ads')
    const { id } = await client.receivingWebhook()
    service.receiver.answer((response) => response.writeHead(500).end())
    await client.publish()
    await service.recorded(1)
    service.receiver.answer(thanks)
    const [{ id: delivery }] = await client.deliveries(id)
    const answers = await atOnce(30, () => client.post(client.againPath(id, delivery)))
    expect(tally(answers)).toEqual({ 202: 1, '409 delivery_not_dead': 29 })
    await service.recorded(1)
    const { json } = await client.get(client.deliveryPath(id, delivery))
    expect([json.status, json.attempts.length]).toEqual(['delivered', 2])
  })

  it('give only one of them an e-mail address and a slug', async () => {
    const { ws } = await openClient(service, 'ads')
    const member = { email: 'anna@example.com', name: 'Anna', role: 'owner' }
    const members = await atOnce(20, () => service.admin('POST', `/workspaces/${ws.id}/members`, member))
    expect(tally(members)).toEqual({ 201: 1, '409 email_taken': 19 })
    const workspace = { dialect: 'ads', slug: 'wanted', name: 'Wanted' }
    const workspaces = await atOnce(20, () => service.admin('POST', '/workspaces', workspace))
    expect(tally(workspaces)).toEqual({ 201: 1, '409 slug_taken': 19 })
  })
})

describe.each(SERVICES)('concurrent requests of the %s service', (name) => {
  let client: Client
  beforeEach(async () => {
    client = await openClient(service, name)
  })

  it('change a version of a webhook once', async () => {
    const { path, etag } = await client.webhook()
    const answers = await atOnce(30, (i) =>
      client.call('PATCH', path, { body: { description: `by ${i}` }, headers: { 'if-match': etag } }),
    )
    expect(tally(answers)).toEqual({ 200: 1, '412 version_mismatch': 29 })
    const [winner] = withStatus(answers, 200)
    const now = await client.get(path)
    expect(now.json).toEqual({ ...winner!.json, backlog: null })
    for (const { headers } of answers) expect(headers.etag).toBe(now.headers.etag)
  })

  it('change, rotate or delete one version: one of them wins', async () => {
    const { path, etag } = await client.webhook()
    const headers = { 'if-match': etag }
    const answers = await atOnce(30, (i) => {
      if (i % 3 === 0) return client.call('DELETE', path, { headers })
      if (i % 3 === 1) return client.post(`${path}/rotate-secret`, undefined, { headers })
      return client.call('PATCH', path, { headers, body: { description: 'changed' } })
    })
    const won = answers.filter(({ status }) => status < 300)
    expect(won).toHaveLength(1)
    // A request after a deletion finds nothing to compare with.
    const lost = won[0]!.status === 204 ? ['404', '412'] : ['412']
    for (const { status } of answers) if (status >= 300) expect(lost).toContain(String(status))
  })

  it('delete a webhook once', async () => {
    const { path } = await client.webhook()
    const answers = await atOnce(20, () => client.call('DELETE', path))
    expect(tally(answers)).toEqual({ 204: 1, '404 not_found': 19 })
  })

  it('create one webhook with one Idempotency-Key', async () => {
    const options = { headers: { 'idempotency-key': 'one-webhook' } }
    const create = () => client.post('/webhooks', client.webhookBody(), options)
    const answers = await atOnce(30, create)
    const { 201: made = 0, '409 idempotency_key_in_use': early = 0, ...others } = tally(answers)
    expect([made + early, others]).toEqual([30, {}])
    expect(made).toBeGreaterThan(0)
    const repeat = await create()
    for (const { text } of withStatus(answers, 201)) expect(text).toBe(repeat.text)
    for (const { headers } of withStatus(answers, 409)) expect(headers['retry-after']).toBe('1')
    expect((await client.get('/webhooks')).json.data).toHaveLength(1)
  })

  it('create one webhook with one Idempotency-Key also when they reach different nodes', async () => {
    const headers = { 'idempotency-key': 'two-nodes' }
    const body = client.webhookBody()
    const answers = await atOnce(20, async (i) => {
      if (i % 2 === 0) return client.post('/webhooks', body, { headers })
      const authorization = `Bearer ${client.ws.key}`
      const url = `${client.root}/webhooks`
      const answer = await secondNode.inject({
        method: 'POST',
        url,
        headers: { ...headers, authorization },
        body,
      })
      return { status: answer.statusCode, headers: answer.headers, text: answer.body, json: answer.json() }
    })
    const { 201: made = 0, '409 idempotency_key_in_use': early = 0, ...others } = tally(answers)
    expect([made + early, others]).toEqual([20, {}])
    expect(new Set(withStatus(answers, 201).map(({ text }) => text)).size).toBe(1)
    expect((await client.get('/webhooks')).json.data).toHaveLength(1)
  })

  it('publish one event with one id of its own', async () => {
    const id = name === 'content' ? 'evt_at-once' : '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11'
    const event = eventOf(name, client.words.type, { id })
    const answers = await atOnce(30, () => client.post('/events', event))
    expect(tally(answers)).toEqual({ 202: 30 })
    expect(answers.filter(({ json }) => !json.repeated)).toHaveLength(1)
    await service.settled()
    expect((await client.get('/events')).json.data).toHaveLength(1)
  })

  it('rotate a secret one after the other, and each one still in its overlap signs', async () => {
    const { path, secret: first } = await client.receivingWebhook()
    const second = (await client.post(`${path}/rotate-secret`)).json[client.words.secret] as string
    service.clock.forwardCalendar(12 * HOUR_MS)
    const secrets = await rotateAtOnce(client, path, 10)
    const signed = async (by: readonly string[]) => {
      const { header, expected } = await signatureNow(client, by)
      expect(header).toBe(expected)
    }
    await signed([...secrets, second, first])
    service.clock.forwardCalendar(12 * HOUR_MS)
    await signed([...secrets, second])
    service.clock.forwardCalendar(12 * HOUR_MS)
    await signed([secrets[0]!])
  })

  it('rotate a secret so often that not all fit into the header: the newest sign', async () => {
    const { path } = await client.receivingWebhook()
    const secrets = await rotateAtOnce(client, path, 20)
    const { header, expected } = await signatureNow(client, secrets.slice(0, MAX_SIGNATURES))
    expect(header).toBe(expected)
  })
})

/** @returns the secrets of that many rotations, newest first by the versions of their answers */
async function rotateAtOnce(client: Client, path: string, times: number): Promise<string[]> {
  const answers = await atOnce(times, () => client.post(`${path}/rotate-secret`))
  expect(tally(answers)).toEqual({ 200: times })
  const version = ({ headers }: Answer) => Number(/^"v(\d+)"$/.exec(String(headers.etag))![1])
  const newest = [...answers].sort((a, b) => version(b) - version(a))
  expect(new Set(answers.map(version)).size).toBe(times)
  expect((await client.get(path)).headers.etag).toBe(newest[0]!.headers.etag)
  return newest.map(({ json }) => json[client.words.secret])
}

/** The signature of an event published now, and the expected one with these secrets. */
async function signatureNow(client: Client, secrets: readonly string[]) {
  const before = service.receiver.requests.length
  await client.publish()
  await service.recorded(1)
  const request = service.receiver.requests[before]!
  return {
    header: request.headers[SIGNATURE_HEADER[client.name]],
    expected: signatureOf(client.name, request, secrets),
  }
}
