import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/core/duration.ts'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { callsOf, idsOf, openConsumer } from './consumers.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function published(client: Client, count: number, type?: string): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await client.publish(type))
  await service.settled()
  return ids
}

describe.each(SERVICES)('consumers of %s', (name) => {
  it('can be created, listed, read, moved and deleted', async () => {
    const client = await openClient(service, name)
    const { type } = client.words
    const spelled = (snake: object) => (name === 'content' ? snake : camel(snake))
    const first = await client.post('/consumers', { name: 'first' })
    expect(first).toMatchObject({
      status: 201,
      json: spelled({ name: 'first', event_types: null, gap: null }),
    })
    expect(first.headers.location).toBe(`${client.root}/consumers/first`)
    const made = await client.post('/consumers', {
      ...spelled({ name: 'second', event_types: [type] }),
      start: 'oldest',
    })
    expect(made.json).toMatchObject(spelled({ event_types: [type], acknowledged_at: null, moved_at: null }))
    const [event] = await published(client, 1)
    const { json: list } = await client.get('/consumers?limit=1')
    expect(list.data.map(({ name }: Json) => name)).toEqual(['second'])
    const { json: rest } = await client.get(`/consumers?cursor=${list[client.words.nextCursor]}`)
    expect(rest.data.map(({ name }: Json) => name)).toEqual(['first'])
    const second = callsOf(client, 'second')
    expect((await second.state()).lag).toEqual(
      spelled({ events: 1, has_more: false, oldest_at: expect.any(String) }),
    )
    const page = await second.read()
    expect(idsOf(page)).toEqual([event])
    expect((await second.acknowledge(page.ack)).json).toEqual({ moved: true })
    expect(await second.state()).toMatchObject({
      lag: spelled({ events: 0, oldest_at: null }),
      ...spelled({ acknowledged_at: expect.any(String) }),
    })
    expect((await second.seek({ start: 'oldest' })).json).toMatchObject(
      spelled({ moved_at: expect.any(String) }),
    )
    expect(idsOf(await second.read())).toEqual([event])
    expect((await client.call('DELETE', second.path)).status).toBe(204)
    expect((await client.call('DELETE', second.path)).status).toBe(404)
    expect((await client.get(second.path)).status).toBe(404)
  })

  it('return each event as a webhook gets it, in order, until it is acknowledged', async () => {
    const { client, read, acknowledge } = await openConsumer(service, name)
    await client.receivingWebhook()
    const arrived = service.receiver.requests.length
    const ids = await published(client, 3)
    await service.recorded(3)
    const page = await read('limit=2')
    expect(idsOf(page)).toEqual(ids.slice(0, 2))
    expect(page[client.words.hasMore]).toBe(true)
    const sent = service.receiver.requests.slice(arrived).map(({ body }) => JSON.parse(String(body)))
    for (const { body } of page.events) expect(sent).toContainEqual(body)
    expect(idsOf(await read())).toEqual(ids)
    // One of them also acknowledges those before it.
    await acknowledge(page.events[1].ack)
    expect(idsOf(await read())).toEqual(ids.slice(2))
    await acknowledge((await read()).ack)
    expect(await read()).toMatchObject({ events: [], ack: null, gap: null })
  })

  it('reject an acknowledgement that is repeated, from before a seek, of another consumer, or invented', async () => {
    const one = await openConsumer(service, name)
    const ids = await published(one.client, 2)
    await one.client.post('/consumers', { name: 'other', start: 'oldest' })
    const other = callsOf(one.client, 'other')
    const { ack, events } = await one.read()
    expect((await other.acknowledge(ack)).status).toBe(422)
    for (const wrong of ['x'.repeat(80), `${ack.slice(0, -4)}AAAA`]) {
      const { status, json } = await one.acknowledge(wrong)
      expect([status, json.errors[0].pointer]).toEqual([422, '/ack'])
    }
    expect((await one.acknowledge(ack)).json).toEqual({ moved: true })
    expect((await one.acknowledge(ack)).json).toEqual({ moved: false })
    expect((await one.acknowledge(events[0].ack)).json).toEqual({ moved: false })
    await one.seek({ start: 'oldest' })
    const { status, json } = await one.acknowledge(ack)
    expect([status, json.code]).toEqual([409, 'acknowledgement_outdated'])
    expect(idsOf(await one.read())).toEqual(ids)
    // A new consumer of the same name is another one.
    const { ack: fresh } = await one.read()
    await one.client.call('DELETE', one.path)
    await one.client.post('/consumers', { name: 'crm', start: 'oldest' })
    expect((await one.acknowledge(fresh)).status).toBe(422)
  })

  it('start after an event, after a cursor of the feed, and at a time', async () => {
    const client = await openClient(service, name)
    const early = await published(client, 2)
    service.clock.forwardCalendar(DAY_MS)
    const since = new Date(service.clock.now()).toISOString()
    const late = await published(client, 2)
    const { json: feed } = await client.get('/events?limit=1')
    const starts: [object, string[]][] = [
      [{ after: early[1] }, late],
      [{ after: feed[client.words.nextCursor] }, [early[1]!, ...late]],
      [{ since }, late],
      [{ since: '2001-01-01T00:00:00Z' }, [...early, ...late]],
      [{ start: 'oldest' }, [...early, ...late]],
      [{ start: 'now' }, []],
      [{}, []],
    ]
    for (const [index, [start, expected]] of starts.entries()) {
      await client.post('/consumers', { name: `c${index}`, ...start })
      expect([start, idsOf(await callsOf(client, `c${index}`).read())]).toEqual([start, expected])
    }
    const crm = callsOf(client, 'c0')
    for (const [start, expected] of starts.slice(0, -1)) {
      expect((await crm.seek(start)).status).toBe(200)
      expect([start, idsOf(await crm.read())]).toEqual([start, expected])
    }
  })

  it('report invalid requests', async () => {
    const { client, path, seek } = await openConsumer(service, name)
    const wrong: [object, string][] = [
      [{}, '/name'],
      [{ name: '' }, '/name'],
      [{ name: 'with space' }, '/name'],
      [{ name: 'x'.repeat(65) }, '/name'],
      [{ name: 'a', start: 'soon' }, '/start'],
      [{ name: 'a', start: 'now', since: '2026-01-01T00:00:00Z' }, '/since'],
      [{ name: 'a', after: 'evt_unknown' }, '/after'],
      [{ name: 'a', since: '2098-01-01T00:00:00Z' }, '/since'],
      [{ name: 'a', since: 'yesterday' }, '/since'],
      [{ name: 'a', [typesOf(name)]: [] }, `/${typesOf(name)}`],
      [{ name: 'a', [typesOf(name)]: ['no.such.type'] }, `/${typesOf(name)}/0`],
    ]
    for (const [body, pointer] of wrong) {
      const { status, json } = await client.post('/consumers', body)
      expect([body, status, json.errors?.[0].pointer]).toEqual([body, 422, pointer])
    }
    expect((await client.post('/consumers', { name: 'crm' })).json.code).toBe('consumer_exists')
    expect((await seek({})).json.errors[0]).toMatchObject({ pointer: '/start' })
    for (const query of ['wait=31', 'wait=-1', 'limit=101', 'limit=0', 'wait=x'])
      expect([query, (await client.get(`${path}/events?${query}`)).status]).toEqual([query, 422])
    expect((await client.get('/consumers/unknown/events')).status).toBe(404)
    expect((await client.post('/consumers/unknown/ack', { ack: 'x'.repeat(80) })).status).toBe(404)
  })

  it('skip types that they do not select', async () => {
    const client = await openClient(service, name)
    const { type, otherType } = client.words
    const body = { name: 'some', start: 'oldest', [typesOf(name)]: [otherType] }
    await client.post('/consumers', body)
    const some = callsOf(client, 'some')
    await published(client, 3, type)
    expect(await some.read()).toMatchObject({ events: [], ack: null })
    const [wanted] = await published(client, 1, otherType)
    await published(client, 1, type)
    const page = await some.read()
    expect(idsOf(page)).toEqual([wanted])
    await some.acknowledge(page.ack)
    expect(idsOf(await some.read())).toEqual([])
  })

  it('report a gap left by the retention, until that is acknowledged', async () => {
    const { client, read, acknowledge, state } = await openConsumer(service, name)
    await published(client, 2)
    service.clock.forwardCalendar(3 * DAY_MS)
    const now = service.clock.now()
    const ages = { before: now - DAY_MS, expiredBefore: now, auditBefore: 0, idempotencyBefore: 0 }
    while ((await service.storage.deleteExpired({ ...ages, now, limit: 1000 })).handled > 0) {}
    const [kept] = await published(client, 1)
    const gap = { events: 2, [name === 'content' ? 'noticed_at' : 'noticedAt']: expect.any(String) }
    expect((await state()).gap).toEqual(gap)
    const page = await read()
    expect(page).toMatchObject({ gap, events: [{ id: kept }] })
    await acknowledge(page.ack)
    expect((await state()).gap).toBeNull()
    expect((await read()).gap).toBeNull()
  })
})

const typesOf = (name: string) => (name === 'content' ? 'event_types' : 'eventTypes')

const camel = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([key, held]) => [
      key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      held,
    ]),
  )

describe('a key that may not see event contents', () => {
  it('gets events without their bodies, and acknowledges them', async () => {
    const { client, path, acknowledge } = await openConsumer(service, 'content')
    const [id] = await published(client, 1)
    const { key } = await service.key(client.ws.id, { scopes: ['webhooks'] })
    const { json } = await client.get(`${path}/events`, { key })
    expect(json.events).toMatchObject([{ id, type: client.words.type, body: null }])
    expect((await acknowledge(json.ack)).status).toBe(200)
  })
})

describe('the number of consumers', () => {
  it('is limited for a workspace', async () => {
    const few = await startTestService(({ quotas }) => ({ quotas: { ...quotas, consumers: 2 } }))
    const client = await openClient(few, 'content')
    const statuses = []
    for (const name of ['a', 'b', 'c']) statuses.push((await client.post('/consumers', { name })).status)
    expect(statuses).toEqual([201, 201, 409])
    expect((await client.post('/consumers', { name: 'c' })).json).toMatchObject({
      code: 'consumer_limit_reached',
      detail: expect.stringContaining('POSTHORN_MAX_CONSUMERS_PER_WORKSPACE'),
    })
    await few.stop()
  })
})
