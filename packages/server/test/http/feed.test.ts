import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, eventOf, openClient, SERVICES } from './client.ts'
import { thanks } from './content.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

describe.each(SERVICES)('the feed of events of the %s service', (name) => {
  let client: Client
  beforeEach(async () => {
    client = await openClient(service, name)
  })

  const ownId = () => (name === 'content' ? `evt_${randomUUID()}` : randomUUID())

  async function read(query = '') {
    const { status, json } = await client.get(`/events?${query}`)
    expect(status).toBe(200)
    const ids: string[] = json.data.map(({ id }: { id: string }) => id)
    return { events: json.data, ids, cursor: json[client.words.nextCursor], more: json[client.words.hasMore] }
  }

  /** Publishes one by one, some of them with their own ids, and waits until feeds show them. */
  async function publishSome(count: number): Promise<string[]> {
    const ids = await publishUnseen(count)
    await service.settled()
    return ids
  }

  async function publishUnseen(count: number): Promise<string[]> {
    const ids: string[] = []
    for (let i = 0; i < count; i++)
      ids.push(await client.publish(undefined, i % 2 === 0 ? {} : { id: ownId() }))
    return ids
  }

  it('shows exactly what webhooks receive, and its id', async () => {
    await client.receivingWebhook()
    const before = service.receiver.requests.length
    const ids = await publishSome(2)
    await service.recorded(2)
    const received = service.receiver.requests.slice(before).map(({ headers, body }) => {
      const event = JSON.parse(body.toString())
      return name === 'content' ? { id: headers['webhook-id'], ...event } : event
    })
    const byId = (a: { id: string }, b: { id: string }) => ids.indexOf(a.id) - ids.indexOf(b.id)
    const { events } = await read()
    expect(events).toEqual(received.sort(byId))
    expect(Object.keys(events[0])).toEqual(
      name === 'content'
        ? ['id', 'type', 'timestamp', 'data']
        : ['id', 'type', 'entityType', 'entityId', 'workspaceId', 'payload', 'occurredAt'],
    )
    for (const event of events) expect((await client.get(`/events/${event.id}`)).json).toEqual(event)
  })

  it('has the order in which events were accepted, whatever their times and ids', async () => {
    const time = name === 'content' ? 'timestamp' : 'occurredAt'
    const ids: string[] = []
    for (const at of ['2027-01-01T00:00:00Z', '2020-01-01T00:00:00Z', '2024-01-01T00:00:00Z'])
      ids.push(await client.publish(undefined, { [time]: at, id: ownId() }))
    const batch = [
      eventOf(name, undefined, { id: ownId() }),
      eventOf(name),
      eventOf(name, undefined, { id: ownId() }),
    ]
    const { json } = await client.post('/events/batch', { events: batch })
    ids.push(...json.events.map(({ id }: { id: string }) => id))
    ids.push(...(await publishSome(2)))
    expect((await read()).ids).toEqual(ids)
  })

  it("continues after a cursor and after any event, by a generated or a publisher's id", async () => {
    const ids = await publishSome(5)
    const first = await read('limit=2')
    expect([first.ids, first.more]).toEqual([ids.slice(0, 2), true])
    const second = await read(`limit=2&after=${first.cursor}`)
    expect([second.ids, second.more]).toEqual([ids.slice(2, 4), true])
    const third = await read(`limit=2&after=${second.cursor}`)
    expect([third.ids, third.more]).toEqual([ids.slice(4), false])
    for (const [i, id] of ids.entries()) expect((await read(`after=${id}`)).ids).toEqual(ids.slice(i + 1))
  })

  it('ends with a cursor that stays valid', async () => {
    const nothing = await read()
    expect([nothing.ids, nothing.cursor, nothing.more]).toEqual([[], null, false])
    const before = await publishSome(1)
    const { cursor, more } = await read()
    expect(more).toBe(false)
    const empty = await read(`after=${cursor}`)
    expect([empty.ids, empty.more]).toEqual([[], false])
    const later = await publishSome(2)
    for (const after of [cursor, empty.cursor, before[0]])
      expect((await read(`after=${after}`)).ids).toEqual(later)
  })

  it('misses no event and repeats none while many publish at once', async () => {
    const publishers = Array.from({ length: 8 }, async () => publishUnseen(25))
    let publishing = true
    const published = Promise.all(publishers).then(async (ids) => {
      await service.settled()
      publishing = false
      return ids.flat()
    })
    const seen: string[] = []
    let after = ''
    for (let last = false; !last; ) {
      // One more read after the last event.
      last = !publishing
      for (let more = true; more; ) {
        const page = await read(`limit=7${after}`)
        seen.push(...page.ids)
        more = page.more
        if (page.cursor !== null) after = `&after=${page.cursor}`
      }
    }
    const all = await published
    expect(new Set(seen)).toEqual(new Set(all))
    expect(seen).toHaveLength(200)
    const whole: string[] = []
    for (let cursor = ''; whole.length < 200; ) {
      const page = await read(`limit=100${cursor}`)
      whole.push(...page.ids)
      cursor = `&after=${page.cursor}`
    }
    expect(seen).toEqual(whole)
  })

  it('can be filtered by type, and continues after events of others', async () => {
    const { type, otherType, idleType } = client.words
    const published: { id: string; type: string }[] = []
    for (const of of [type, otherType, otherType, type, otherType])
      published.push({ id: await client.publish(of), type: of })
    await service.settled()
    const idsOf = (wanted: string) => published.filter((event) => event.type === wanted).map(({ id }) => id)
    expect((await read(`type=${type}`)).ids).toEqual(idsOf(type))
    const first = await read(`type=${otherType}&limit=1`)
    expect([first.ids, first.more]).toEqual([idsOf(otherType).slice(0, 1), true])
    expect((await read(`type=${otherType}&after=${first.cursor}`)).ids).toEqual(idsOf(otherType).slice(1))
    expect((await read(`type=${type}&after=${published[1]!.id}`)).ids).toEqual(idsOf(type).slice(1))
    const none = await read(`type=${idleType}`)
    expect([none.ids, none.more]).toEqual([[], false])
    const later = await client.publish(idleType)
    await service.settled()
    expect((await read(`type=${idleType}&after=${none.cursor}`)).ids).toEqual([later])
  })

  it('has a repeated event once', async () => {
    const id = ownId()
    const event = eventOf(name, undefined, { id })
    for (let i = 0; i < 3; i++) await client.post('/events', event)
    await service.settled()
    expect((await read()).ids).toEqual([id])
  })

  it('has nothing of other workspaces', async () => {
    const other = await openClient(service, name)
    const [made, brought] = [await other.publish(), await other.publish(undefined, { id: ownId() })]
    await service.settled()
    const theirs = (await other.get('/events')).json[client.words.nextCursor]
    await publishSome(2)
    for (const after of [made, brought, theirs]) {
      const { status, json } = await client.get(`/events?after=${after}`)
      expect([status, json.errors?.[0].pointer]).toEqual([422, '/after'])
    }
    for (const id of [made, brought]) {
      const { status, json } = await client.get(`/events/${id}`)
      expect([status, json.code]).toEqual([404, 'not_found'])
    }
    expect((await read()).ids).not.toContain(made)
  })

  it("separates two workspaces with the same publisher's id", async () => {
    const other = await openClient(service, name)
    const id = ownId()
    await client.publish(client.words.type, { id })
    await other.publish(client.words.otherType, { id })
    expect((await client.get(`/events/${id}`)).json.type).toBe(client.words.type)
    expect((await other.get(`/events/${id}`)).json.type).toBe(client.words.otherType)
  })

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'ten'],
    ['after', 'nonsense'],
    ['after', ''],
    ['after', 'x'.repeat(301)],
    ['after', `evt_${'A'.repeat(60)}`],
    ['after', randomUUID()],
    ['type', 'no.such.type'],
    ['type', ''],
    ['cursor', 'x'],
  ])('refuses %s=%s', async (parameter, value) => {
    await publishSome(1)
    const { status, json } = await client.get(`/events?${parameter}=${value}`)
    expect([status, json.code, json.errors?.[0].pointer]).toEqual([422, 'invalid_request', `/${parameter}`])
  })

  it.each(['nonsense', 'evt_', '%00', randomUUID(), 'evt_00000000000000000000000000', 'x'.repeat(2000)])(
    'has no event %s',
    async (id) => {
      expect((await client.get(`/events/${id}`)).status).toBe(404)
    },
  )
})

describe('tests', () => {
  it('are in no feed, but can be read like any event', async () => {
    const client = await openClient(service, 'content')
    const { path, id } = await client.receivingWebhook()
    const published = await client.publish()
    expect((await client.post(`${path}/test`)).status).toBe(202)
    await service.recorded(2)
    await service.settled()
    expect((await client.get('/events')).json.data.map(({ id }: { id: string }) => id)).toEqual([published])
    const test = (await client.deliveries(id, 'event_type=webhook.test'))[0].event_id
    expect((await client.get(`/events/${test}`)).json).toMatchObject({ id: test, type: 'webhook.test' })
    const after = await client.get(`/events?after=${test}`)
    expect([after.status, after.json.errors[0].pointer]).toEqual([422, '/after'])
    expect((await client.get('/events?type=webhook.test')).json.data).toEqual([])
  })
})

it('ids of the ads service are found in any letter case', async () => {
  const client = await openClient(service, 'ads')
  for (const id of [await client.publish(), await client.publish(undefined, { id: randomUUID() })]) {
    expect((await client.get(`/events/${id.toUpperCase()}`)).json.id).toBe(id)
    expect((await client.get(`/events?after=${id.toUpperCase()}`)).status).toBe(200)
  }
})
