import { expect, test } from 'vitest'
import { adsClient, contentClient, rejection } from './support/clients.ts'
import { problem, type Seen, scriptedService } from './support/scriptedService.ts'

const ok = (body: object) => ({ status: 200, body })
const ids = (...names: string[]) => names.map((id) => ({ id }))
const queriesOf = (seen: readonly Seen[]) =>
  seen.map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams))

async function all<Item extends { readonly id: string }>(items: AsyncIterable<Item>): Promise<string[]> {
  const found: string[] = []
  for await (const { id } of items) found.push(id)
  return found
}

test('a list is read page after page to its end, short and empty pages included', async () => {
  const service = await scriptedService(
    ok({ data: ids('a', 'b'), next_cursor: 'after b' }),
    ok({ data: [], next_cursor: 'still searching' }),
    ok({ data: ids('c'), next_cursor: null }),
  )
  const { client } = contentClient(service.baseUrl)
  expect(await all(client.deliveries.iterate('wh_1', { status: 'failed' }))).toEqual(['a', 'b', 'c'])
  expect(queriesOf(service.seen)).toEqual([
    { status: 'failed', limit: '100' },
    { status: 'failed', limit: '100', cursor: 'after b' },
    { status: 'failed', limit: '100', cursor: 'still searching' },
  ])
})

test('the log of a workspace is read in the same way, with all filters', async () => {
  const service = await scriptedService(
    ok({ data: ids('a'), next_cursor: 'after a' }),
    ok({ data: ids('b'), next_cursor: null }),
  )
  const { client } = contentClient(service.baseUrl)
  const query = { webhook_id: 'wh_1', status_code: '5xx', event_id: 'evt_1' }
  expect(await all(client.deliveries.iterateAll(query))).toEqual(['a', 'b'])
  expect(queriesOf(service.seen)).toEqual([
    { ...query, limit: '100' },
    { ...query, limit: '100', cursor: 'after a' },
  ])
})

test('a feed is read until there is nothing more for now, and its cursor stays valid', async () => {
  const service = await scriptedService(
    ok({ data: ids('a'), next_cursor: 'after a', has_more: true }),
    ok({ data: [], next_cursor: 'far on', has_more: true }),
    ok({ data: ids('b'), next_cursor: 'after b', has_more: false }),
  )
  const { client } = contentClient(service.baseUrl)
  expect(await all(client.events.iterate({ after: 'evt_0', limit: 1 }))).toEqual(['a', 'b'])
  expect(queriesOf(service.seen)).toEqual([
    { after: 'evt_0', limit: '1' },
    { after: 'after a', limit: '1' },
    { after: 'far on', limit: '1' },
  ])
})

test('a feed without any event ends at once', async () => {
  const service = await scriptedService(ok({ data: [], next_cursor: null, has_more: false }))
  const { client } = contentClient(service.baseUrl)
  expect(await all(client.events.iterate())).toEqual([])
  expect(service.seen).toHaveLength(1)
})

test('lists and feeds of the advertising platform are read with its own names', async () => {
  const list = await scriptedService(
    ok({ data: ids('a'), nextCursor: 'after a' }),
    ok({ data: ids('b'), nextCursor: null }),
  )
  expect(await all(adsClient(list.baseUrl).webhooks.iterate())).toEqual(['a', 'b'])
  const feed = await scriptedService(
    ok({ data: ids('a'), nextCursor: 'after a', hasMore: true }),
    ok({ data: ids('b'), nextCursor: 'after b', hasMore: false }),
  )
  expect(await all(adsClient(feed.baseUrl).events.iterate())).toEqual(['a', 'b'])
  expect(queriesOf(feed.seen)[1]).toEqual({ limit: '100', after: 'after a' })
})

test('a page is read only when it is needed', async () => {
  const service = await scriptedService(ok({ data: ids('a', 'b'), next_cursor: 'after b' }))
  const { client } = contentClient(service.baseUrl)
  for await (const { id } of client.webhooks.iterate()) if (id === 'b') break
  expect(service.seen).toHaveLength(1)
})

test('a page that breaks off is requested again, and an error ends the iteration', async () => {
  const service = await scriptedService(
    ok({ data: ids('a'), next_cursor: 'after a' }),
    'hang up',
    ok({ data: ids('b'), next_cursor: 'after b' }),
    problem(401, 'key_revoked'),
  )
  const { client } = contentClient(service.baseUrl)
  const webhooks = client.webhooks.iterate()
  expect(await webhooks.next()).toMatchObject({ value: { id: 'a' } })
  expect(await webhooks.next()).toMatchObject({ value: { id: 'b' } })
  expect(await rejection(webhooks.next())).toMatchObject({ code: 'key_revoked' })
})

test('waiting for a replay polls until it is finished, and abort ends it', async () => {
  const running = ok({ id: 'r', status: 'running', total: 2, replayed: 1 })
  const finished = ok({ id: 'r', status: 'finished', total: 2, replayed: 2 })
  const waitsMs: number[] = []
  const sleep = async (ms: number) => {
    waitsMs.push(ms)
  }
  const service = await scriptedService(running, running, finished)
  const { replays } = adsClient(service.baseUrl, { sleep })
  expect(await replays.wait('r', { everyMs: 20 })).toMatchObject({ status: 'finished', replayed: 2 })
  expect(waitsMs).toEqual([20, 20])

  const endless = await scriptedService(running)
  const abort = new AbortController()
  const { replays: watched } = adsClient(endless.baseUrl, { sleep: undefined })
  const waiting = rejection(watched.wait('r', { signal: abort.signal, everyMs: 60_000 }))
  await endless.next()
  abort.abort()
  expect(await waiting).toMatchObject({ name: 'AbortError' })
})

test('progress of a replay ends with its finished state', async () => {
  const running = ok({ id: 'r', status: 'running', total: 2, replayed: 1 })
  const finished = ok({ id: 'r', status: 'finished', total: 2, replayed: 2 })
  const service = await scriptedService(running, finished)
  const seen: string[] = []
  for await (const { replayed, total } of adsClient(service.baseUrl).replays.watch('r')) {
    seen.push(`${replayed} of ${total}`)
  }
  expect(seen).toEqual(['1 of 2', '2 of 2'])
})
