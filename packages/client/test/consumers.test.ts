import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContentClient, createAdsClient, createContentClient } from '../src/index.ts'
import { contentClient, EVENT, rejection } from './support/clients.ts'
import { problem, type Seen, scriptedService } from './support/scriptedService.ts'
import { collect, type RunningService, runService } from './support/service.ts'

const event = (n: number) => ({ id: `evt_${n}`, type: 'a.b', accepted_at: '', ack: `ack_${n}`, body: { n } })
const page = (...numbers: number[]) => ({
  status: 200,
  body: {
    events: numbers.map(event),
    ack: numbers.length === 0 ? null : `ack_${numbers.at(-1)}`,
    gap: null,
    has_more: false,
  },
})
const moved = { status: 200, body: { moved: true } }
const acksOf = (seen: readonly Seen[]) =>
  seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).ack)

describe('consuming', () => {
  test('acknowledges events whose handler resolved, and gets those again whose handler failed', async () => {
    const service = await scriptedService(page(1, 2, 3), moved, page(2, 3), moved)
    const { client, waitsMs } = contentClient(service.baseUrl)
    const [stop, handled, errors]: [AbortController, string[], unknown[]] = [new AbortController(), [], []]
    await client.consumers.consume(
      'crm',
      async ({ id }) => {
        handled.push(id)
        if (id === 'evt_2' && handled.length === 2) throw new Error('no luck')
        if (id === 'evt_3') stop.abort()
      },
      { signal: stop.signal, onError: (error) => errors.push(error) },
    )
    expect(handled).toEqual(['evt_1', 'evt_2', 'evt_2', 'evt_3'])
    expect(acksOf(service.seen)).toEqual(['ack_1', 'ack_3'])
    expect(errors).toMatchObject([{ message: 'no luck' }])
    expect(waitsMs).toHaveLength(1)
  })

  test('continues after service failures, with longer waits each time, and after a seek', async () => {
    const down = problem(503, 'store_unavailable')
    const service = await scriptedService(
      down,
      down,
      page(1),
      problem(409, 'acknowledgement_outdated'),
      page(1),
      moved,
    )
    const { client, waitsMs } = contentClient(service.baseUrl, { retries: 0 })
    const stop = new AbortController()
    const handled: string[] = []
    await client.consumers.consume(
      'crm',
      ({ id }) => {
        handled.push(id)
        if (handled.length === 2) stop.abort()
      },
      { signal: stop.signal },
    )
    expect(handled).toEqual(['evt_1', 'evt_1'])
    expect(waitsMs[1]!).toBeGreaterThan(waitsMs[0]!)
  })

  test('ends with an error when waiting cannot help', async () => {
    const service = await scriptedService(problem(401, 'key_revoked'))
    const { client } = contentClient(service.baseUrl)
    const consuming = client.consumers.consume('crm', () => {})
    expect(await rejection(consuming)).toMatchObject({ status: 401, code: 'key_revoked' })
  })

  test('an iterator acknowledges an event when the next is asked for', async () => {
    const service = await scriptedService(page(1, 2, 3), moved)
    const { client } = contentClient(service.baseUrl)
    for await (const { id } of client.consumers.events('crm')) if (id === 'evt_3') break
    expect(acksOf(service.seen)).toEqual(['ack_2'])
  })

  test('reports a gap, and acknowledges one that has no events', async () => {
    const gap = { events: 7, noticed_at: '2026-01-01T00:00:00.000Z' }
    const service = await scriptedService(
      { status: 200, body: { events: [], ack: 'ack_gap', gap, has_more: false } },
      moved,
      page(1),
      moved,
    )
    const { client } = contentClient(service.baseUrl)
    const [stop, gaps]: [AbortController, unknown[]] = [new AbortController(), []]
    await client.consumers.consume('crm', () => stop.abort(), {
      signal: stop.signal,
      onGap: (one) => void gaps.push(one),
    })
    expect([gaps, acksOf(service.seen)]).toEqual([[gap], ['ack_gap', 'ack_1']])
  })
})

describe('on a real service', () => {
  let service: RunningService
  let client: ContentClient

  beforeAll(async () => {
    service = await runService()
    const { admin, baseUrl } = service
    await admin.workspaces.create({ dialect: 'content', slug: 'acme', name: 'Acme' })
    const scopes = ['webhooks', 'generations:read', 'events:write'] as const
    const { key } = await admin.keys.create('acme', { name: 'all', scopes })
    client = createContentClient({ baseUrl, apiKey: key!, workspace: 'acme' })
  })
  afterAll(() => service.stop())

  test('consumers are created, listed, moved and deleted, and events consumed as they are published', async () => {
    const { consumers } = client
    expect(await consumers.create({ name: 'crm' })).toMatchObject({ name: 'crm', event_types: null })
    await consumers.create({ name: 'other', start: 'oldest', event_types: [EVENT.type] })
    const all = await collect(consumers.iterate({ limit: 1 }))
    expect(all.map(({ name }) => name)).toEqual(['other', 'crm'])
    const stop = new AbortController()
    const handled: string[] = []
    const published: string[] = []
    const consuming = consumers.consume(
      'crm',
      async ({ id }) => {
        handled.push(id)
        if (handled.length === 2) stop.abort()
        // It comes while the consumer waits again.
        else setImmediate(async () => published.push((await client.publish(EVENT)).id))
      },
      { signal: stop.signal },
    )
    published.push((await client.publish(EVENT)).id)
    await consuming
    expect(handled).toEqual(published)
    expect((await consumers.get('crm')).lag).toMatchObject({ events: 0, oldest_at: null })
    await consumers.seek('crm', { after: published[0]! })
    expect((await consumers.read('crm')).events.map(({ id }) => id)).toEqual([published[1]])
    await consumers.delete('crm')
    expect(await rejection(consumers.get('crm'))).toMatchObject({ status: 404 })
  })

  test('those of the other service too', async () => {
    const { admin, baseUrl } = service
    await admin.workspaces.create({ dialect: 'ads', slug: 'ads', name: 'Ads' })
    const { key } = await admin.keys.create('ads', { name: 'all', scopes: ['webhooks', 'events:write'] })
    const { consumers } = createAdsClient({ baseUrl, apiKey: key! })
    expect(await consumers.create({ name: 'crm', start: 'oldest' })).toMatchObject({ eventTypes: null })
    const { lag } = await consumers.get('crm')
    expect(lag).toEqual({ events: 0, hasMore: false, oldestAt: null })
    expect(await consumers.read('crm')).toMatchObject({ events: [], hasMore: false })
    await consumers.delete('crm')
  })
})
