import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentEvent, TARGET } from './events.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let ws: TestWorkspace
beforeAll(async () => {
  service = await startTestService()
  ws = await service.workspace('content')
})
afterAll(() => service.stop())

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  service.call({ method: 'POST', url: `/v1/workspaces/${ws.slug}${path}`, key: ws.key, body, headers })
const publish = (body: unknown, headers?: Readonly<Record<string, string>>) => post('/events', body, headers)
const pointersOf = (answer: { json: { errors?: { pointer: string }[] } }) =>
  [...new Set(answer.json.errors?.map(({ pointer }) => pointer))].sort()

describe('a request body', () => {
  it.each([
    ['cut short', '{"type":"plan.ready"', 'it ends before the JSON is complete'],
    ['with a trailing comma', '{"type":1,\n}', 'line 2, column 1'],
    ['that is text', 'hello', 'not valid JSON'],
    ['with a comment', '{/* */}', 'line 1, column 2'],
    ['of invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'UTF-8'],
    ['of two documents', '{}{}', 'line 1, column 3'],
    ['with NaN', '{"a":NaN}', 'not valid JSON'],
  ])('%s is rejected as malformed, with the position', async (_, body, detail) => {
    const { status, json } = await publish(body)
    expect([status, json.code]).toEqual([400, 'malformed_json'])
    expect(json.detail).toContain(detail)
  })

  it.each([
    ['an array', []],
    ['a string', '"text"'],
    ['a number', '1'],
    ['null', 'null'],
    ['nothing', ''],
  ])('that is %s is rejected as not an object', async (_, body) => {
    const { status, json } = await publish(body)
    expect([status, json.errors]).toEqual([422, [{ pointer: '', message: 'must be an object' }]])
  })

  it('without a declared type, or with another than JSON, is rejected', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'nonsense',
      '',
    ]) {
      const { status, json } = await publish(JSON.stringify(contentEvent()), { 'content-type': type })
      expect([type, status, json.code]).toEqual([type, 415, 'unsupported_media_type'])
    }
    const compressed = await publish(contentEvent(), { 'content-encoding': 'gzip' })
    expect(compressed.status).toBe(415)
  })

  it('may declare a charset and begin with a byte order mark', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect((await publish(`\ufeff${JSON.stringify(contentEvent())}`, headers)).status).toBe(202)
  })

  it('may contain a member twice; the last one counts', async () => {
    const body = JSON.stringify(contentEvent()).replace('{', '{"actor_id":5,')
    expect((await publish(body)).status).toBe(202)
  })

  it('of more than 256 KB is rejected for one event', async () => {
    const { status, json } = await publish(contentEvent({ actor_id: 'x'.repeat(262_144) }))
    expect([status, json.code]).toEqual([413, 'payload_too_large'])
  })

  it('of exactly 256 KB is read', async () => {
    const text = JSON.stringify(contentEvent())
    expect((await publish(text + ' '.repeat(262_144 - Buffer.byteLength(text)))).status).toBe(202)
    expect((await publish(text + ' '.repeat(262_145 - Buffer.byteLength(text)))).status).toBe(413)
  })

  it('of more than 5 MB is rejected for a batch', async () => {
    const { status } = await post('/events/batch', ' '.repeat(5 * 1024 * 1024 + 1))
    expect(status).toBe(413)
  })

  it('of more than 64 KB is rejected for anything else', async () => {
    const { status } = await post('/webhooks', { url: TARGET, events: [], description: 'x'.repeat(65_536) })
    expect(status).toBe(413)
  })

  it.each(['{"__proto__":{"a":1}}', '{"data":{"\\u005f_proto__":1}}', '{"a":[{"__proto__":null}]}'])(
    'with a member __proto__ is rejected: %s',
    async (body) => {
      const { status, json } = await publish(body)
      expect(status).toBe(422)
      expect(json.errors[0].pointer).toMatch(/\/__proto__$/)
      expect(({} as Record<string, unknown>).a).toBeUndefined()
    },
  )

  it('with members that look like methods is rejected like any other unknown member', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'prototype']) {
      const data = { ...contentEvent().data, [name]: { prototype: { polluted: true } } }
      expect(pointersOf(await publish(contentEvent({ data })))).toEqual([`/data/${name}`])
      expect(pointersOf(await publish({ ...contentEvent(), [name]: 1 }))).toEqual([`/${name}`])
    }
  })

  it('nested 10,000 levels deep is rejected without harm', async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    const body = JSON.stringify(contentEvent()).replace('"data":', `"data":${deep},"x":`)
    expect((await publish(body)).status).toBe(422)
    expect((await publish('['.repeat(60_000))).status).toBe(400)
    expect((await publish(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).status).toBe(422)
    expect((await publish(`${'{"\\u005f":'.repeat(5_000)}1${'}'.repeat(5_000)}`)).status).toBe(422)
    // Beyond 64 KB it is rejected while it arrives.
    expect((await publish('['.repeat(100_000))).status).toBe(413)
    expect((await publish(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).status).toBe(413)
  })

  it('with thousands of mistakes is answered with a limited list', async () => {
    const data = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, i]))
    const { status, json } = await publish(contentEvent({ data }))
    expect([status, json.errors.length]).toEqual([422, 100])
  })
})

describe('an event', () => {
  it.each([
    ['without a type', { type: undefined }, ['/type']],
    ['of a type that is no string', { type: 5 }, ['/type']],
    ['of an unknown type', { type: 'version.rejected' }, ['/type']],
    ['of a type that only the service sends', { type: 'webhook.test' }, ['/type']],
    ['of a type that objects have', { type: 'constructor' }, ['/type']],
    ['without data', { data: undefined }, ['/data']],
    ['with data of the wrong type', { data: [] }, ['/data']],
    ['with an article in its data', { data: { ...contentEvent().data, body: 'Once…' } }, ['/data/body']],
    ['with workspace in its data', { data: { ...contentEvent().data, workspace: {} } }, ['/data/workspace']],
    ['with a huge number for a string', { actor_id: 1e308 }, ['/actor_id']],
    ['with NUL in a string', { actor_id: 'usr_\0' }, ['/actor_id']],
    ['with an actor that is null', { actor_id: null }, ['/actor_id']],
    ['with a link that is no URL', { links: { app: 'there' } }, ['/links/app']],
    ['with a link that runs', { links: { app: 'javascript:alert(1)' } }, ['/links/app']],
    ['with a link of a bad name', { links: { 'A B': 'https://example.com' } }, ['/links/A B']],
    ['with links as a list', { links: ['https://example.com'] }, ['/links']],
    ['with an id without its prefix', { id: 'mine' }, ['/id']],
    ['with an id with a dot', { id: 'evt_a.b' }, ['/id']],
    ['with an id that is too long', { id: `evt_${'a'.repeat(65)}` }, ['/id']],
    ['with a time without a zone', { timestamp: '2026-03-14T09:26:53' }, ['/timestamp']],
    ['with a time that is a number', { timestamp: 1_773_480_413 }, ['/timestamp']],
    ['with a day that does not exist', { timestamp: '2026-02-30T00:00:00Z' }, ['/timestamp']],
    ['with an absurd year', { timestamp: '9999-01-01T00:00:00Z' }, ['/timestamp']],
    ['with a member that does not exist', { extra: 1 }, ['/extra']],
    [
      'with several mistakes',
      { type: 'plan.redy', actor_id: 5, timestamp: 'now', extra: 1 },
      ['/actor_id', '/extra', '/timestamp', '/type'],
    ],
  ])('%s is rejected with pointers', async (_, wrong, pointers) => {
    const answer = await publish(contentEvent(wrong))
    expect([answer.status, pointersOf(answer)]).toEqual([422, pointers])
  })

  it('with more than ten links is rejected', async () => {
    const links = Object.fromEntries(Array.from('abcdefghijk', (name) => [name, 'https://example.com']))
    expect(pointersOf(await publish(contentEvent({ links })))).toEqual(['/links'])
  })

  it('gets a hint when its type is nearly right', async () => {
    const { json } = await publish(contentEvent({ type: 'Version.aproved' }))
    expect(json.errors[0].message).toBe(
      'is not an event type of content, the service of this workspace; did you mean version.approved?',
    )
    const far = await publish(contentEvent({ type: 'x'.repeat(100_000) }))
    expect(far.json.errors[0].message).toBe(
      'is not an event type of content, the service of this workspace; GET /schemas/index.json lists them',
    )
  })
})

describe('a batch', () => {
  it.each([
    ['of 1,001 events', { events: Array.from({ length: 1001 }, () => contentEvent()) }, ['/events']],
    // Not one complaint for each: a body may have millions of them, and collecting them took seconds.
    ['of 1,001 that are no events', { events: Array.from({ length: 1001 }, () => 0) }, ['/events']],
    ['of none', { events: [] }, ['/events']],
    ['that is a list', [contentEvent()], ['']],
    ['whose events are no list', { events: contentEvent() }, ['/events']],
    ['with an event that is no object', { events: [contentEvent(), 5, null] }, ['/events/1', '/events/2']],
  ])('%s is rejected', async (_, body, pointers) => {
    const answer = await post('/events/batch', body)
    expect([answer.status, pointersOf(answer)]).toEqual([422, pointers])
  })
})

describe('a webhook', () => {
  it.each([
    ['without a url', { url: undefined }, ['/url']],
    ['with a url that is no string', { url: 5 }, ['/url']],
    ['with an http url', { url: 'http://hooks.example.com' }, ['/url']],
    ['at an IP address', { url: 'https://10.0.0.1/' }, ['/url']],
    ['at a local name', { url: 'https://localhost/' }, ['/url']],
    ['without events', { events: undefined }, ['/events']],
    ['with no event', { events: [] }, ['/events']],
    ['with an event twice', { events: ['plan.ready', 'plan.ready'] }, ['/events']],
    ['for webhook.test', { events: ['plan.ready', 'webhook.test'] }, ['/events/1']],
    ['for an unknown event', { events: ['plan.read'] }, ['/events/0']],
    ['for an event that is no string', { events: [{}] }, ['/events/0']],
    ['with a description that is null', { description: null }, ['/description']],
    ['with NUL in its description', { description: 'a\0' }, ['/description']],
    ['with a description that is too long', { description: 'x'.repeat(1001) }, ['/description']],
    ['that names its own secret', { signing_secret: 'whsec_x' }, ['/signing_secret']],
    ['with several mistakes', { url: 'ftp://x', events: ['a'], extra: 1 }, ['/events/0', '/extra', '/url']],
  ])('%s is rejected with pointers', async (_, wrong, pointers) => {
    const answer = await post('/webhooks', { url: TARGET, events: ['plan.ready'], ...wrong })
    expect([answer.status, pointersOf(answer)]).toEqual([422, pointers])
  })

  it('is not changed by a body without known members, or with invalid ones', async () => {
    const made = await post('/webhooks', { url: TARGET, events: ['plan.ready'] })
    const url = `/v1/workspaces/${ws.slug}/webhooks/${made.json.id}`
    const patch = (body: unknown) => service.call({ method: 'PATCH', url, key: ws.key, body })
    expect(pointersOf(await patch({}))).toEqual([''])
    expect(pointersOf(await patch({ enabled: 'true' }))).toEqual(['/enabled'])
    expect(pointersOf(await patch({ enabled: 1, paused: null }))).toEqual(['/enabled', '/paused'])
    expect(pointersOf(await patch({ status: 'off' }))).toEqual(['/status'])
    expect(pointersOf(await patch({ url: 'https://127.0.0.2/' }))).toEqual(['/url'])
    expect(pointersOf(await patch({ events: [] }))).toEqual(['/events'])
    const { updated_at } = (await service.call({ method: 'GET', url, key: ws.key })).json
    expect(updated_at).toBe(made.json.created_at)
  })
})
