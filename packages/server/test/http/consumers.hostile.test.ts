import { once } from 'node:events'
import http from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { DAY_MS, SECOND_MS } from '../../src/core/duration.ts'
import { Signal } from '../support/signal.ts'
import { eventOf, SERVICES } from './client.ts'
import { callsOf, idsOf, openConsumer, openStream } from './consumers.ts'
import { startTestService, type TestService } from './service.ts'

/** They make an event of 20 KB. */
const LINKS = Object.fromEntries(
  Array.from('abcdefghij', (name) => [`link_${name}`, 'https://acme.example/'.padEnd(2_000, 'x')]),
)
const UNTIL = { timeout: 20_000, interval: 5 }

let service: TestService
/** Of readers that have started and not ended. */
let readers = 0
/** Events sent over streams. */
let streamed = 0
/** Whether readers of a consumer are held, and whether one is waiting. */
const hold = { isOn: false, isReached: false }
const changed = new Signal()
beforeAll(async () => {
  service = await startTestService(({ storage }) => ({
    consumerObserver: {
      reader: (_, change) => {
        readers += change
      },
      handedOut: (kind, events) => {
        if (kind === 'stream') streamed += events
      },
      acknowledged() {},
    },
    storage: {
      ...storage,
      consumers: {
        ...storage.consumers,
        getConsumer: async (params) => {
          const consumer = await storage.consumers.getConsumer(params)
          if (hold.isOn) hold.isReached = true
          changed.fire()
          await changed.until(() => !hold.isOn)
          return consumer
        },
      },
    },
  }))
})
afterAll(() => service.stop())
afterEach(() => vi.waitFor(() => expect(readers).toBe(0), UNTIL))

type Opened = Awaited<ReturnType<typeof openConsumer>>

const streamOf = ({ client, path }: Opened, headers: Readonly<Record<string, string>> = {}) =>
  openStream(service, `${client.root}${path}/stream`, {
    authorization: `Bearer ${client.ws.key}`,
    ...headers,
  })

/** Publishes large events of the content service. */
async function publishLarge({ client }: Opened, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 200) {
    const events = Array.from({ length: Math.min(left, 200) }, () =>
      eventOf('content', undefined, { links: LINKS }),
    )
    expect((await client.post('/events/batch', { events })).status).toBe(202)
  }
  await service.settled()
}

async function loseAll(): Promise<void> {
  service.clock.forwardCalendar(3 * DAY_MS)
  const now = service.clock.now()
  const ages = { before: now - DAY_MS, expiredBefore: now, auditBefore: 0, idempotencyBefore: 0 }
  while ((await service.storage.deleteExpired({ ...ages, now, limit: 1000 })).handled > 0) {}
}

describe('a client', () => {
  it('that stops reading its stream gets nothing more, delays no other, and is disconnected', async () => {
    const slow = await openConsumer(service, 'content')
    await publishLarge(slow, 1_000)
    streamed = 0
    const stream = await streamOf(slow)
    stream.pause()
    const other = await openConsumer(service, 'content')
    const reading = other.read('wait=30')
    const id = await other.client.publish()
    expect(idsOf(await reading)).toEqual([id])
    service.clock.forward(31 * SECOND_MS)
    await vi.waitFor(() => expect(readers).toBe(0), UNTIL)
    // Only the content of the sockets' own buffers.
    expect(streamed).toBeLessThan(1_000)
    stream.close()
  })

  it('that disconnects before its request waits uses no slot', async () => {
    const { client, path } = await openConsumer(service, 'content')
    hold.isOn = true
    const request = http.get(`${service.base}${client.root}${path}/events?wait=30`, {
      headers: { authorization: `Bearer ${client.ws.key}` },
      agent: false,
    })
    request.on('error', () => {})
    const [socket] = await once(service.app.server, 'connection')
    await changed.until(() => hold.isReached)
    request.destroy()
    await once(socket, 'close')
    hold.isOn = false
    changed.fire()
    await client.get(path)
    expect(readers).toBe(0)
  })
})

describe.each(SERVICES)('two readers of one consumer of %s', (name) => {
  it('get the same events, and a gap acknowledged by one is not reported to the other', async () => {
    const one = await openConsumer(service, name)
    await one.client.publish()
    await service.settled()
    const stream = await streamOf(one)
    const other = await streamOf(one)
    const [first, same] = [await stream.next(), await other.next()]
    expect(first.data.id).toBe(same.data.id)
    await loseAll()
    const page = await one.read()
    expect(page.gap).toMatchObject({ events: 1 })
    await one.acknowledge(page.ack)
    // Makes streams read their consumer.
    const { id: spare } = await service.key(one.client.ws.id)
    await service.admin('DELETE', `/workspaces/${one.client.ws.id}/keys/${spare}`)
    const id = await one.client.publish()
    for (const { event, data } of [await stream.next(), await other.next()])
      expect([event, data?.id]).toEqual([undefined, id])
    stream.close()
    other.close()
  })

  it('acknowledge in any order, and the furthest counts', async () => {
    const one = await openConsumer(service, name)
    const ids = [await one.client.publish(), await one.client.publish(), await one.client.publish()]
    await service.settled()
    const { events } = await one.read()
    const acks: string[] = events.map(({ ack }: { ack: string }) => ack)
    const answers = await Promise.all([...acks].reverse().map((ack) => one.acknowledge(ack)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(idsOf(await one.read())).toEqual([])
    expect(ids).toHaveLength(3)
  })
})

describe('an acknowledgement', () => {
  it('applies only to the own workspace and consumer, of whatever service', async () => {
    const mine = await openConsumer(service, 'content')
    const others = [await openConsumer(service, 'content'), await openConsumer(service, 'ads')]
    await mine.client.publish()
    for (const { client } of others) await client.publish()
    await service.settled()
    const { json: feed } = await mine.client.get('/events?limit=1')
    const foreign = [...(await Promise.all(others.map(({ read }) => read()))).map(({ ack }) => ack)]
    for (const ack of [...foreign, feed.next_cursor]) {
      const { status, json } = await mine.acknowledge(ack)
      expect([status, json.errors]).toEqual([
        422,
        [
          {
            pointer: '/ack',
            message: expect.stringContaining('does not belong to an event of this consumer'),
          },
        ],
      ])
    }
    expect((await mine.read()).events).toHaveLength(1)
  })
})

describe('a page', () => {
  it('a page of large events has about a megabyte, and the rest comes with the next', async () => {
    const one = await openConsumer(service, 'content')
    await publishLarge(one, 70)
    const pages: number[] = []
    for (let more = true; more; ) {
      const page = await one.read('limit=100')
      expect(JSON.stringify(page).length).toBeLessThan(1_200_000)
      pages.push(page.events.length)
      more = page.has_more
      await one.acknowledge(page.ack)
    }
    expect(pages).toHaveLength(2)
    expect(pages[0]! + pages[1]!).toBe(70)
  })
})

describe('a clock that is set back', () => {
  it('moves no consumer, and later events are returned', async () => {
    const one = await openConsumer(service, 'ads')
    const early = await one.client.publish()
    await service.settled()
    await one.acknowledge((await one.read()).ack)
    const stream = await streamOf(one)
    service.clock.forwardCalendar(-DAY_MS)
    const late = await one.client.publish()
    expect((await stream.next()).data.id).toBe(late)
    const page = await one.read()
    expect(idsOf(page)).toEqual([late])
    expect((await one.acknowledge(page.ack)).json).toEqual({ moved: true })
    expect(early).not.toBe(late)
    service.clock.forwardCalendar(DAY_MS)
    stream.close()
  })
})

describe('polls and acknowledgements in a tight loop', () => {
  it('of one workspace leave others their share', async () => {
    const busy = await openConsumer(service, 'content')
    await busy.client.publishMany(300)
    await service.settled()
    const calm = await openConsumer(service, 'content')
    let isOver = false
    const { ack } = await busy.read()
    const loops = Array.from({ length: 8 }, async () => {
      while (!isOver) await Promise.all([busy.read('limit=100'), busy.acknowledge(ack)])
    })
    const reading = calm.read('wait=30')
    await vi.waitFor(() => expect(readers).toBe(1), UNTIL)
    const beganAt = performance.now()
    const id = await calm.client.publish()
    expect(idsOf(await reading)).toEqual([id])
    const tookMs = performance.now() - beganAt
    isOver = true
    await Promise.all(loops)
    expect(callsOf(calm.client, 'crm').path).toBe(calm.path)
    expect(tookMs).toBeLessThan(5 * SECOND_MS)
  })
})

const CROWD = 60

describe('a crowd of streams', () => {
  it('gets each event, delays no other, and is gone when its connections break', async () => {
    const workspaces = await Promise.all(
      Array.from({ length: CROWD / 20 }, () => openConsumer(service, 'content')),
    )
    const streams = await Promise.all(
      workspaces.flatMap((one) => Array.from({ length: 20 }, () => streamOf(one))),
    )
    expect(readers).toBe(CROWD)
    const beganAt = performance.now()
    const published = await Promise.all(workspaces.map(({ client }) => client.publish()))
    const seen = await Promise.all(streams.map(async (stream) => (await stream.next()).data.id))
    const tookMs = performance.now() - beganAt
    expect(seen).toEqual(published.flatMap((id) => Array.from({ length: 20 }, () => id)))
    expect(tookMs).toBeLessThan(10 * SECOND_MS)
    for (const stream of streams) stream.close()
    await vi.waitFor(() => expect(readers).toBe(0), UNTIL)
  })
})
