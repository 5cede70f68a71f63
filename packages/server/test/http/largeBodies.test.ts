import { Readable } from 'node:stream'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adsEvent, contentEvent } from './events.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let ws: TestWorkspace
let ads: TestWorkspace
beforeAll(async () => {
  service = await startTestService()
  ws = await service.workspace('content')
  ads = await service.workspace('ads')
})
afterAll(() => service.stop())

const send = (path: string, body: unknown, headers = {}) =>
  service.call({ method: 'POST', url: `/v1/workspaces/${ws.slug}${path}`, key: ws.key, body, headers })
const batch = (body: unknown, headers = {}) => send('/events/batch', body, headers)
const link = 'https://app.content.example/'.padEnd(2_048, 'x')
const links = Object.fromEntries(Array.from('abcdefghij', (name) => [`link_${name}`, link]))
/** More than 20 KB. */
const largeEvent = (overrides: object = {}) => contentEvent({ links, ...overrides })
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]))

describe('a large batch', () => {
  it('of almost 5 MiB is accepted, event by event as if each was single', async () => {
    const ids = Array.from({ length: 230 }, (_, n) => `evt_large_${n}`)
    const events = ids.map((id) => largeEvent({ id }))
    const first = await batch({ events })
    expect(first.status).toBe(202)
    expect(first.json.events.map(({ id }: { id: string }) => id)).toEqual(ids)
    // The same id with the same event, single and in a small batch.
    expect((await send('/events', events[7])).json).toEqual({ id: 'evt_large_7', repeated: true })
    expect((await batch({ events: [events[8]] })).json.events).toEqual([
      { id: 'evt_large_8', repeated: true },
    ])
  })

  it('with an idempotency key is done once, and the key belongs to this request', async () => {
    const events = Array.from({ length: 20 }, () => largeEvent())
    const headers = { 'idempotency-key': 'large' }
    const first = await batch({ events }, headers)
    expect(first.status).toBe(202)
    expect((await batch(`\n${JSON.stringify({ events })}`, headers)).json).toEqual(first.json)
    const other = await batch({ events: events.slice(1) }, headers)
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  it('is rejected with every mistake in its events, at its position', async () => {
    const events: object[] = Array.from({ length: 20 }, () => largeEvent())
    events[3] = largeEvent({ type: 'nothing' })
    events[17] = { ...largeEvent(), actor_id: 5, extra: 1 }
    const { status, json } = await batch({ events, more: 1 })
    expect([status, json.code]).toEqual([422, 'invalid_request'])
    expect(json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/events/17/actor_id',
      '/events/17/extra',
      '/events/3/type',
      '/more',
    ])
  })

  it('that is malformed is rejected with the position, whatever else is wrong before it', async () => {
    const events = Array.from({ length: 20 }, () => largeEvent({ type: 'nothing' }))
    const text = JSON.stringify({ events }, null, 1)
    const at = text.lastIndexOf('"link_j"')
    const { status, json } = await batch(`${text.slice(0, at)}1 ${text.slice(at)}`)
    expect([status, json.code]).toEqual([400, 'malformed_json'])
    const lines = text.slice(0, at).split('\n')
    expect(json.detail).toContain(`line ${lines.length}, column ${lines.at(-1)!.length + 1}`)
  })

  it('with an event of more than 256 KiB is rejected for that, and one with blanks around it is not', async () => {
    const large = await batch({ events: [largeEvent(), contentEvent({ actor_id: 'x'.repeat(300_000) })] })
    expect([large.status, large.json.errors]).toEqual([
      422,
      [{ pointer: '/events/1', message: 'is larger than 262144 bytes' }],
    ])
    const spaced = JSON.stringify({ events: [contentEvent()] }).replace('[', `[${' '.repeat(300_000)}`)
    expect((await batch(spaced)).status).toBe(202)
  })

  it('may be filled up to its limit with blanks', async () => {
    const text = JSON.stringify({ events: [contentEvent()] })
    expect((await batch(text.padEnd(5 * 1024 * 1024))).status).toBe(202)
    expect((await batch(text.replace('}]', `}${' '.repeat(500_000)}]`))).status).toBe(202)
  })

  it('of the advertising platform is accepted as well', async () => {
    const events = Array.from({ length: 400 }, () => adsEvent())
    const body = JSON.stringify({ events })
    expect(body.length).toBeGreaterThan(65_536)
    const { status } = await service.call({
      method: 'POST',
      url: '/api/v1/events/batch',
      key: ads.key,
      body,
    })
    expect(status).toBe(202)
  })
})

describe('a large body that is too expensive', () => {
  const times = (text: string, bytes = 4_800_000) => text.repeat(Math.floor(bytes / text.length))
  it.each([
    ['open lists', times('['), 'nested more than 64 levels deep'],
    ['nested objects', times('{"a":'), 'nested more than 64 levels deep'],
    ['nested lists in an event', `{"events":[{"data":${times('[')}`, 'nested more than 64 levels deep'],
    [
      '300,000 names',
      JSON.stringify({ events: [{ ...members(300_000) }] }),
      'Each event can have at most 5000 members and list items',
    ],
    ['many small events', `{"events":[${times('{},')}{}]}`, 'a list of more than 5000 items'],
    [
      'a long text outside of events',
      `{"a":"${times('日', 1_600_000)}"}`,
      'An event can take at most 1048576 bytes of the request body',
    ],
    [
      'an event of escapes',
      `{"events":[{"type":"${times('\\u0041')}"}]}`,
      'An event can take at most 1048576 bytes of the request body',
    ],
    ['numbers', `[${times('1e308,')}0]`, 'at most 5000 members and list items'],
    [
      'many wrong events',
      JSON.stringify({ events: Array.from({ length: 1_000 }, () => members(400)) }),
      'at most 300000 members and list items in total',
    ],
  ])('%s: is answered 413 with the limit', async (_, body, detail) => {
    const { status, json } = await batch(body)
    expect([status, json.code]).toEqual([413, 'payload_too_large'])
    expect(json.detail).toContain(detail)
  })

  it('is rejected before it has arrived completely', async () => {
    async function* endless() {
      // Ends when the answer arrives: the rest is never sent.
      for (let n = 0; n < 100; n++) yield '['.repeat(20_000)
      await answered
    }
    let tell = () => {}
    const answered = new Promise<void>((resolve) => {
      tell = resolve
    })
    const response = await request(`${service.base}/v1/workspaces/${ws.slug}/events/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ws.key}`, 'content-type': 'application/json' },
      body: Readable.from(endless()),
    })
    expect(response.statusCode).toBe(413)
    tell()
    await response.body.dump()
  })

  it('for one event has the same limit', async () => {
    const many = await send('/events', contentEvent({ data: members(15_000) }))
    expect([many.status, many.json.detail]).toEqual([
      413,
      'The request body can have at most 5000 members and list items in total.',
    ])
    const deep = await send('/events', contentEvent({ data: times('[', 100_000) }))
    expect(deep.status).toBe(422)
  })
})
