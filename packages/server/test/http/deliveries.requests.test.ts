import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentCatalog } from '../../src/profiles/builtIn.ts'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { thanks } from './content.ts'
import { startTestService, type TestService } from './service.ts'
import { SIGNATURE_HEADER, signatureOf } from './signatures.ts'

let service: TestService
let retrying: TestService
beforeAll(async () => {
  service = await startTestService()
  retrying = await startTestService(undefined, { waitsMs: [1, 1] })
})
afterAll(() => Promise.all([service.stop(), retrying.stop()]))

type Received = TestService['receiver']['requests'][number]

const fail = (response: ServerResponse) => void response.writeHead(500).end()

/** A request received by the receiver, in the form of the log. */
function asShown({ receiver }: TestService, { path, headers }: Received) {
  const { connection: _, ...sent } = headers
  return { method: 'POST', url: new URL(path, receiver.url).href, headers: sent }
}

/** Node returns the names of headers in lower case. */
const inLowerCase = ({ headers, ...request }: Json) => ({
  ...request,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
})
const requestsOf = (delivery: Json) => delivery.attempts.map(({ request }: Json) => inLowerCase(request))
const deliveryIn = ({ headers }: Received) => headers['webhook-id'] ?? headers['x-service-delivery']

async function rotate(client: Client, path: string): Promise<string> {
  return (await client.post(`${path}/rotate-secret`)).json[client.words.secret]
}

describe.each(SERVICES)('a delivery of the %s service shows each request as it was sent', (name) => {
  it('also when the URL and the secret were changed since, and the overlap has ended', async () => {
    const client = await openClient(service, name)
    const { id, path, secret } = await client.receivingWebhook()
    const moveTo = (url: string) =>
      client.call('PATCH', path, { body: { url: new URL(url, service.receiver.url).href } })
    service.receiver.answer(fail)
    const before = service.receiver.requests.length
    await client.publish()
    await service.recorded(1)
    const [{ id: delivery }] = await client.deliveries(id)
    const again = async () => {
      expect((await client.post(client.againPath(id, delivery))).status).toBe(202)
      await service.recorded(1)
    }
    const second = await rotate(client, path)
    await moveTo('/moved?token=%20a%2Fb&x=ü')
    await again()
    service.clock.forwardCalendar(12 * 3_600_000)
    const third = await rotate(client, path)
    await moveTo('/moved/again')
    await again()
    service.clock.forwardCalendar(12 * 3_600_000)
    await again()
    await rotate(client, path)
    await moveTo('/nowhere')
    service.clock.forwardCalendar(48 * 3_600_000)

    const received = service.receiver.requests.slice(before)
    expect(received.map((request) => request.path)).toEqual([
      '/hook',
      '/moved?token=%20a%2Fb&x=%C3%BC',
      '/moved/again',
      '/moved/again',
    ])
    const signers = [[secret], [second, secret], [third, second, secret], [third, second]]
    for (const [i, request] of received.entries()) {
      expect(request.headers[SIGNATURE_HEADER[name]]).toBe(signatureOf(name, request, signers[i]!))
    }
    const { json } = await client.get(client.deliveryPath(id, delivery))
    expect(requestsOf(json)).toEqual(received.map((request) => asShown(service, request)))
    for (const { body } of received) expect(Buffer.from(json[client.words.requestBody])).toEqual(body)
  })

  it('for every retry', async () => {
    const client = await openClient(retrying, name)
    const { id, path, secret } = await client.receivingWebhook()
    const second = await rotate(client, path)
    retrying.receiver.answer(fail)
    const before = retrying.receiver.requests.length
    await client.publish()
    await retrying.recorded(3)
    const received = retrying.receiver.requests.slice(before)
    const [{ id: delivery }] = await client.deliveries(id)
    const { json } = await client.get(client.deliveryPath(id, delivery))
    expect(json.attempts.map(({ trigger }: Json) => trigger)).toEqual(['schedule', 'schedule', 'schedule'])
    expect(requestsOf(json)).toEqual(received.map((request) => asShown(retrying, request)))
    for (const request of received)
      expect(request.headers[SIGNATURE_HEADER[name]]).toBe(signatureOf(name, request, [second, secret]))
  })

  it('whatever was changed at the same moment', async () => {
    const client = await openClient(service, name)
    const { id, path } = await client.receivingWebhook()
    service.receiver.answer(thanks)
    const before = service.receiver.requests.length
    const rounds = Array.from({ length: 30 }, (_, i) => i)
    const publishing = Promise.all(rounds.map(() => client.publish()))
    for (const i of rounds.slice(0, 6)) {
      await rotate(client, path)
      await client.call('PATCH', path, { body: { url: new URL(`/at-${i}`, service.receiver.url).href } })
      await client.publish()
    }
    await publishing
    await service.recorded(rounds.length + 6)
    const received = new Map(
      service.receiver.requests.slice(before).map((request) => [deliveryIn(request), request]),
    )
    const deliveries = await client.deliveries(id, 'limit=100')
    expect(deliveries).toHaveLength(rounds.length + 6)
    for (const { id: delivery, event_id: event } of deliveries) {
      const { json } = await client.get(client.deliveryPath(id, delivery))
      const request = received.get(event ?? delivery)!
      expect(requestsOf(json)).toEqual([asShown(service, request)])
      expect(json[client.words.requestBody]).toBe(request.body.toString())
    }
    expect(new Set([...received.values()].map((request) => request.path)).size).toBeGreaterThan(1)
  })

  it('and nothing while the first is in flight', async () => {
    const client = await openClient(service, name)
    const { id } = await client.receivingWebhook()
    const arrived = new Promise<ServerResponse>((resolve) => service.receiver.answer(resolve))
    await client.publish()
    const response = await arrived
    const [{ id: delivery }] = await client.deliveries(id)
    const underWay = (await client.get(client.deliveryPath(id, delivery))).json
    expect([underWay.status, underWay.attempts, underWay[client.words.requestBody]]).toEqual([
      'pending',
      [],
      null,
    ])
    thanks(response)
    await service.recorded(1)
    const done = (await client.get(client.deliveryPath(id, delivery))).json
    expect([done.status, done.attempts.length]).toEqual(['delivered', 1])
  })

  it('in a list of deliveries it shows none', async () => {
    const client = await openClient(service, name)
    const { id } = await client.receivingWebhook()
    service.receiver.answer(thanks)
    await client.publish()
    await service.recorded(1)
    const [listed] = await client.deliveries(id)
    const { json } = await client.get(client.deliveryPath(id, listed.id))
    const { [client.words.requestBody]: _, ...whole } = json
    expect({ ...whole, attempts: whole.attempts.map(({ request: _, ...attempt }: Json) => attempt) }).toEqual(
      listed,
    )
  })
})

it('a body is shown character by character, and its length is counted in bytes', async () => {
  const client = await openClient(service, 'content')
  const { id } = await client.receivingWebhook()
  service.receiver.answer(thanks)
  const before = service.receiver.requests.length
  const { generation, ...data } = contentCatalog.get('version.approved')!.example as Json
  const title = 'Caf\u00e9 \u{1f4ef}: "\u2028" \\ \u0001'
  await client.publish(undefined, {
    id: 'evt_bytes',
    data: { ...data, generation: { ...generation, title } },
  })
  await service.recorded(1)
  const [{ id: delivery }] = await client.deliveries(id)
  const { json } = await client.get(client.deliveryPath(id, delivery))
  const { body } = service.receiver.requests[before]!
  expect(Buffer.from(json.request_body)).toEqual(body)
  expect(json.attempts[0].request.headers).toMatchObject({
    'content-length': String(body.length),
    'webhook-id': 'evt_bytes',
  })
})
