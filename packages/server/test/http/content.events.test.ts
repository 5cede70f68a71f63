import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publish, thanks, withWebhook } from './content.ts'
import { contentEvent } from './events.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

describe('publishing content events', () => {
  it('sends exactly the documented envelope', async () => {
    const { ws } = await withWebhook(service, service.receiver.url)
    const before = service.receiver.requests.length
    const event = contentEvent({ id: 'evt_mine-1' })
    const { status, json } = await publish(service, ws, event)
    expect([status, json]).toEqual([202, { id: 'evt_mine-1', repeated: false }])
    await service.recorded(1)
    expect(JSON.parse(String(service.receiver.requests[before]!.body))).toEqual({
      type: 'version.approved',
      timestamp: '2026-03-14T09:26:53.589Z',
      data: {
        workspace: { id: ws.id, slug: ws.slug, name: `The ${ws.slug}` },
        actor_id: 'usr_01',
        links: event.links,
        ...event.data,
      },
    })
  })

  it('accepts a repeat with the same id as the same event, whatever the order of its members', async () => {
    const ws = await service.workspace('content')
    const event = contentEvent({ id: 'evt_again' })
    await publish(service, ws, event)
    const reordered = Object.fromEntries(Object.entries(event).reverse())
    const sameInstant = { ...reordered, timestamp: '2026-03-14T10:26:53.589+01:00' }
    expect((await publish(service, ws, sameInstant)).json).toEqual({ id: 'evt_again', repeated: true })
  })

  it('rejects another event with an id in use', async () => {
    const ws = await service.workspace('content')
    await publish(service, ws, contentEvent({ id: 'evt_taken' }))
    const { status, json } = await publish(service, ws, contentEvent({ id: 'evt_taken', actor_id: 'usr_02' }))
    expect([status, json.code, json.errors[0].pointer]).toEqual([409, 'event_id_conflict', '/id'])
  })

  it('accepts a batch of 1,000 and answers in its order', async () => {
    const ws = await service.workspace('content')
    const events = Array.from({ length: 1000 }, (_, i) => contentEvent({ id: `evt_b${i}` }))
    const url = `/v1/workspaces/${ws.slug}/events/batch`
    const { status, json } = await service.call({ method: 'POST', url, key: ws.key, body: { events } })
    expect(status).toBe(202)
    expect(json.events.map(({ id }: { id: string }) => id)).toEqual(events.map((_, i) => `evt_b${i}`))
  })

  it('stores nothing of a partly invalid batch, and names every mistake in it', async () => {
    const ws = await service.workspace('content')
    const url = `/v1/workspaces/${ws.slug}/events/batch`
    const good = contentEvent({ id: 'evt_half' })
    const events = [good, contentEvent({ type: 'version.aproved' }), { ...good, id: 'no', extra: 1 }]
    const refused = await service.call({ method: 'POST', url, key: ws.key, body: { events } })
    expect(refused.status).toBe(422)
    const pointers = refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers.sort()).toEqual(['/events/1/type', '/events/2/extra', '/events/2/id'])
    expect(JSON.stringify(refused.json)).toContain('did you mean version.approved?')
    expect((await publish(service, ws, good)).json).toEqual({ id: 'evt_half', repeated: false })
  })

  it('rejects a batch whose events disagree about one id', async () => {
    const ws = await service.workspace('content')
    const url = `/v1/workspaces/${ws.slug}/events/batch`
    const events = [contentEvent({ id: 'evt_twice' }), contentEvent({ id: 'evt_twice', actor_id: 'usr_09' })]
    const { status, json } = await service.call({ method: 'POST', url, key: ws.key, body: { events } })
    expect([status, json.errors?.[0].pointer]).toEqual([409, '/events/1/id'])
  })
})

describe('samples', () => {
  it('are generated with the real workspace until there are real events, then those, newest first', async () => {
    const ws = await service.workspace('content')
    const url = `/v1/workspaces/${ws.slug}/webhooks/sample?event=version.approved`
    const sample = () => service.call({ method: 'GET', url, key: ws.key })
    const before = (await sample()).json
    expect(before.source).toBe('example')
    expect(before.samples).toHaveLength(1)
    expect(before.samples[0].data.workspace).toEqual({
      id: ws.id,
      slug: ws.slug,
      name: `The ${ws.slug}`,
    })
    for (const actor of ['a', 'b', 'c', 'd']) await publish(service, ws, contentEvent({ actor_id: actor }))
    const after = (await sample()).json
    expect(after.source).toBe('real')
    expect(after.samples.map((s: { data: { actor_id: string } }) => s.data.actor_id)).toEqual(['d', 'c', 'b'])
    expect(Object.keys(after.samples[0])).toEqual(['type', 'timestamp', 'data'])
  })

  it('exist for webhook.test too, and not for types that do not exist', async () => {
    const ws = await service.workspace('content')
    const get = (event: string) =>
      service.call({ method: 'GET', url: `/v1/workspaces/${ws.slug}/webhooks/sample${event}`, key: ws.key })
    expect((await get('?event=webhook.test')).json.samples[0].type).toBe('webhook.test')
    const unknown = await get('?event=plan.redy')
    expect([unknown.status, unknown.json.errors[0].pointer]).toEqual([422, '/event'])
    expect((await get('')).status).toBe(422)
  })
})
