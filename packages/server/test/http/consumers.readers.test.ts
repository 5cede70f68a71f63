import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, SECOND_MS } from '../../src/core/duration.ts'
import { type Client, openClient, SERVICES } from './client.ts'
import { callsOf, idsOf, openConsumer, openStream } from './consumers.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
let reads = 0
/** Of readers that have started and not ended. */
let readers = 0
beforeAll(async () => {
  service = await startTestService(({ storage, quotas }) => ({
    quotas: { ...quotas, readers: 3 },
    consumerObserver: {
      reader: (_, change) => {
        readers += change
      },
      handedOut() {},
      acknowledged() {},
    },
    storage: {
      ...storage,
      consumers: {
        ...storage.consumers,
        lookAhead: (params) => {
          reads += 1
          return storage.consumers.lookAhead(params)
        },
      },
    },
  }))
})
afterAll(() => service.stop())
beforeEach(() => {
  reads = 0
})

const streamOf = (client: Client, path: string, headers: Readonly<Record<string, string>> = {}) =>
  openStream(service, `${client.root}${path}/stream`, {
    authorization: `Bearer ${client.ws.key}`,
    ...headers,
  })

/** Resolves once this many readers wait. */
async function waiting(count: number): Promise<void> {
  while (readers !== count) await new Promise((resolve) => setImmediate(resolve))
}

describe.each(SERVICES)('a request that waits for events of %s', (name) => {
  it('is answered when one is published', async () => {
    const { client, read } = await openConsumer(service, name)
    const reading = read('wait=30')
    await waiting(1)
    const id = await client.publish()
    expect(idsOf(await reading)).toEqual([id])
    await waiting(0)
  })

  it('is answered with nothing at its timeout', async () => {
    const { read } = await openConsumer(service, name)
    const logged = service.logs.length
    expect(await read('wait=2')).toMatchObject({ events: [], ack: null })
    await waiting(0)
    // The line is written after the answer, and so before that of the next request.
    await read()
    expect(service.logs.slice(logged).filter((line) => line.includes('slow request'))).toEqual([])
  })

  it('keeps waiting while events of other types are published', async () => {
    const types = name === 'content' ? 'event_types' : 'eventTypes'
    const client = await openClient(service, name)
    const { type, otherType } = client.words
    await client.post('/consumers', { name: 'some', [types]: [otherType] })
    const reading = callsOf(client, 'some').read('wait=30')
    await waiting(1)
    await client.publish(type)
    const id = await client.publish(otherType)
    expect(idsOf(await reading)).toEqual([id])
  })

  it('continues where a seek moved the consumer in the meantime', async () => {
    const { client, read, seek, acknowledge } = await openConsumer(service, name)
    const old = await client.publish()
    await service.settled()
    await acknowledge((await read()).ack)
    const reading = read('wait=30')
    await waiting(1)
    await seek({ start: 'oldest' })
    const fresh = await client.publish()
    expect(idsOf(await reading)).toEqual([old, fresh])
  })

  it('frees its slot when the client disconnects', async () => {
    const { client, path } = await openConsumer(service, name)
    const abort = new AbortController()
    const asked = fetch(`${service.base}${client.root}${path}/events?wait=30`, {
      headers: { authorization: `Bearer ${client.ws.key}` },
      signal: abort.signal,
    })
    await waiting(1)
    abort.abort()
    await expect(asked).rejects.toThrow()
    await waiting(0)
  })
})

describe('waiting requests', () => {
  it('are limited for a workspace, with its streams, and leave others theirs', async () => {
    const one = await openConsumer(service, 'content')
    const other = await openConsumer(service, 'content')
    const held = [one.read('wait=30'), one.read('wait=30')]
    const stream = await streamOf(one.client, one.path)
    await waiting(3)
    const { status, json, headers } = await one.client.get(`${one.path}/events?wait=1`)
    expect([status, json.code, headers['retry-after']]).toEqual([429, 'too_many_readers', '5'])
    expect(json.detail).toContain('POSTHORN_MAX_READERS_PER_WORKSPACE')
    // Reading without waiting needs no slot.
    expect((await one.read()).events).toEqual([])
    expect((await other.read('wait=1')).events).toEqual([])
    const id = await one.client.publish()
    for (const page of await Promise.all(held)) expect(idsOf(page)).toEqual([id])
    stream.close()
    await waiting(0)
  })

  it('share one read of the feed of their workspace', async () => {
    const { client, read } = await openConsumer(service, 'content')
    const held = [read('wait=2'), read('wait=2'), read('wait=2')]
    await waiting(3)
    reads = 0
    await Promise.all(held)
    expect(reads).toBeLessThanOrEqual(4)
    expect(client.name).toBe('content')
  })

  it('get nothing once the key is revoked', async () => {
    const { client, path } = await openConsumer(service, 'content')
    const { id, key } = await service.key(client.ws.id)
    const asked = client.get(`${path}/events?wait=30`, { key })
    await waiting(1)
    await service.admin('DELETE', `/workspaces/${client.ws.id}/keys/${id}`)
    await client.publish()
    expect((await asked).json.events).toEqual([])
  })
})

describe.each(SERVICES)('a stream of events of %s', (name) => {
  it('returns existing and new events, each with its acknowledgement', async () => {
    const { client, path, read, acknowledge } = await openConsumer(service, name)
    const first = await client.publish()
    await service.settled()
    const stream = await streamOf(client, path)
    const shown = await stream.next()
    const page = await read()
    expect(shown).toMatchObject({ event: undefined, data: { ...page.events[0], ack: expect.any(String) } })
    const second = await client.publish()
    const { id, data } = await stream.next()
    expect(data.id).toBe(second)
    expect((await acknowledge(id)).json).toEqual({ moved: true })
    expect(idsOf(await read())).toEqual([])
    expect(shown.data.id).toBe(first)
    stream.close()
  })

  it("continues after the client's last event, which acknowledges nothing", async () => {
    const { client, path, read } = await openConsumer(service, name)
    const ids = [await client.publish(), await client.publish(), await client.publish()]
    await service.settled()
    const before = await streamOf(client, path)
    await before.next()
    const { id } = await before.next()
    before.close()
    const after = await streamOf(client, path, { 'last-event-id': id })
    expect((await after.next()).data.id).toBe(ids[2])
    after.close()
    expect(idsOf(await read())).toEqual(ids)
    for (const unknown of ['nonsense', 'x'.repeat(80)]) {
      const stream = await streamOf(client, path, { 'last-event-id': unknown })
      expect((await stream.next()).data.id).toBe(ids[0])
      stream.close()
    }
  })

  it('arrives in order and without a gap while thousands are published', async () => {
    const { client, path } = await openConsumer(service, name)
    const stream = await streamOf(client, path)
    for (let batch = 0; batch < 5; batch++) await client.publishMany(300)
    const seen = new Set<string>()
    while (seen.size < 1_500) seen.add((await stream.next()).data.id)
    const feed: string[] = []
    let after = ''
    for (let more = true; more; ) {
      const { json } = await client.get(`/events?limit=100${after}`)
      feed.push(...json.data.map((event: Record<string, string>) => event.id ?? event.event_id))
      after = `&after=${json[client.words.nextCursor]}`
      more = json[client.words.hasMore]
    }
    if (feed[0] !== undefined) expect([...seen]).toEqual(feed)
    stream.close()
  })
})

describe('a stream', () => {
  it('ends when the consumer is moved, and when it is deleted', async () => {
    const { client, path, seek } = await openConsumer(service, 'content')
    const id = await client.publish()
    await service.settled()
    const moved = await streamOf(client, path)
    const { id: before } = await moved.next()
    await seek({ start: 'oldest' })
    await moved.ended
    // From before the seek, so it does not determine where to continue.
    const again = await streamOf(client, path, { 'last-event-id': before })
    expect((await again.next()).data.id).toBe(id)
    await client.call('DELETE', path)
    await again.ended
  })

  it('ends when the key is revoked, and when it expires', async () => {
    const { client, path } = await openConsumer(service, 'content')
    const { id, key } = await service.key(client.ws.id)
    const revoked = await streamOf(client, path, { authorization: `Bearer ${key}` })
    await service.admin('DELETE', `/workspaces/${client.ws.id}/keys/${id}`)
    await revoked.ended
    const expiresAt = new Date(service.clock.now() + DAY_MS).toISOString()
    const brief = await service.key(client.ws.id, { expires_at: expiresAt })
    const expiring = await streamOf(client, path, { authorization: `Bearer ${brief.key}` })
    service.clock.forwardCalendar(2 * DAY_MS)
    const endedWithin = Date.now()
    await expiring.ended
    expect(Date.now() - endedWithin).toBeLessThan(10 * SECOND_MS)
  })

  it('continues while the workspace is suspended: earlier events can be read', async () => {
    const { client, path } = await openConsumer(service, 'content')
    const id = await client.publish()
    await service.settled()
    await service.admin('POST', `/workspaces/${client.ws.id}/suspend`)
    const stream = await streamOf(client, path)
    expect((await stream.next()).data.id).toBe(id)
    stream.close()
  })

  it('accepts a credential only in a header', async () => {
    const { client, path } = await openConsumer(service, 'content')
    const url = `${client.root}${path}/stream?key=${client.ws.key}&token=${client.ws.key}`
    await expect(openStream(service, url, {})).rejects.toThrow('401')
  })

  it('reports a gap first', async () => {
    const { client, path, acknowledge, state } = await openConsumer(service, 'ads')
    await client.publish()
    await service.settled()
    service.clock.forwardCalendar(3 * DAY_MS)
    const now = service.clock.now()
    const ages = { before: now - DAY_MS, expiredBefore: now, auditBefore: 0, idempotencyBefore: 0 }
    while ((await service.storage.deleteExpired({ ...ages, now, limit: 1000 })).handled > 0) {}
    const stream = await streamOf(client, path)
    const gap = await stream.next()
    expect(gap).toMatchObject({ event: 'gap', data: { events: 1, noticedAt: expect.any(String) } })
    await acknowledge(gap.id)
    expect((await state()).gap).toBeNull()
    stream.close()
  })
})

describe('a stop', () => {
  it('ends waiting requests and streams', async () => {
    const stopped = await startTestService()
    const { client, path, read } = await openConsumer(stopped, 'content')
    const stream = await openStream(stopped, `${client.root}${path}/stream`, {
      authorization: `Bearer ${client.ws.key}`,
    })
    const reading = read('wait=30')
    await client.get(path)
    await stopped.stop()
    expect((await reading).events).toEqual([])
    await stream.ended
  })
})
