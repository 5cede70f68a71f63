import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, openClient, SERVICES } from './client.ts'
import { addOperator, browserOf, newAddress, OWN_PAGE } from './people.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService(() => ({}), { waitsMs: [3_600_000] })
})
afterAll(() => service.stop())

describe.each(SERVICES)('an operator who views a workspace of %s', (name) => {
  it('sends tests and single deliveries for the customer, which the audit log shows', async () => {
    service.receiver.answer((response) => response.writeHead(503).end())
    const client = await openClient(service, name)
    const { type } = client.words
    const { id: webhook } = await client.receivingWebhook()
    await client.publish(type)
    await service.recorded(1)
    const [{ id: delivery }] = await client.deliveries(webhook)
    const email = newAddress()
    const operatorId = await addOperator(service, email)
    const cookie = await browserOf(service, email)
    const headers = { ...OWN_PAGE, cookie, 'posthorn-workspace': client.ws.id }
    const act = (path: string, body?: object) =>
      service.call({ method: 'POST', url: client.root + path, body, headers })
    const log = async () => {
      const { json } = await service.admin('GET', `/audit-log?limit=100&workspace=${client.ws.id}`)
      return json.data.map(({ action, actor, target, details }: Json) => ({
        action,
        actor: actor.id,
        target: target.id,
        details,
      }))
    }
    const before = await log()

    const again = client.againPath(webhook, delivery)
    // A pending delivery is not sent again, and an error leaves no entry.
    expect((await act(again)).status).toBe(409)
    expect((await act(`/webhooks/${webhook}/test`, { type })).status).toBe(202)
    await service.recorded(1)
    expect((await act(`${client.deliveryPath(webhook, delivery)}/retry`)).status).toBe(202)
    await service.recorded(1)
    expect((await act(again)).status).toBe(202)
    await service.recorded(1)
    // The customers' own actions are in the log of deliveries.
    expect((await client.post(`/webhooks/${webhook}/test`)).status).toBe(202)
    await service.recorded(1)

    const by = { actor: operatorId, target: webhook }
    expect((await log()).slice(0, -before.length)).toEqual([
      { action: 'delivery.sent_again', ...by, details: { delivery } },
      { action: 'delivery.retried', ...by, details: { delivery } },
      { action: 'webhook.tested', ...by, details: { event_type: type } },
    ])
    for (const [path, body] of [
      ['/webhooks', { url: service.receiver.url }],
      [`/webhooks/${webhook}/retry`, undefined],
      [`/webhooks/${webhook}/recover`, { since: '2001-01-01T00:00:00Z' }],
    ] as const)
      expect((await act(path, body)).status).toBe(403)
  })
})
