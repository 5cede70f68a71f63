import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { thanks } from './content.ts'
import { type LiveStream, watch } from './live.ts'
import { signedIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function watching(client: Client, query = '', token?: string): Promise<LiveStream> {
  const key = token ?? (await signedIn(service, client.ws.id, 'viewer')).token
  const stream = await watch(service, client.ws.slug, key, query)
  onTestFinished(() => stream.close())
  return stream
}

const idsOf = ({ deliveries }: Json) => deliveries.map(({ id }: Json) => id)

describe.each(SERVICES)('a live stream of deliveries of the %s service', (name) => {
  async function opened() {
    const client = await openClient(service, name)
    const { type, otherType, types } = client.words
    const { id: webhook } = await client.receivingWebhook({ [types]: [type, otherType] })
    service.receiver.answer(thanks)
    return { client, webhook }
  }

  it('starts with the existing list', async () => {
    const { client, webhook } = await opened()
    await client.publish()
    await client.publish()
    await service.recorded(2)
    const stream = await watching(client)
    expect(await stream.next()).toEqual({ deliveries: await client.deliveries(webhook), more: false })
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
  })

  it('sends new deliveries and their changes, each once', async () => {
    const { client, webhook } = await opened()
    await client.publish()
    await service.recorded(1)
    const stream = await watching(client)
    await stream.next()
    const arrived = new Promise<ServerResponse>((resolve) => service.receiver.answer(resolve))
    await client.publish()
    const response = await arrived
    const [one] = await client.deliveries(webhook)
    expect(await stream.next()).toEqual({ deliveries: [one], more: false })
    response.writeHead(500).end()
    await service.recorded(1)
    const changed = await stream.next()
    expect(changed).toEqual({ deliveries: [(await client.deliveries(webhook))[0]], more: false })
    expect([one.status, changed.deliveries[0].attempts.length]).toEqual(['pending', 1])
  })

  it('can be filtered by everything, with the same names in both services', async () => {
    const { client, webhook } = await opened()
    const other = await client.receivingWebhook()
    const event = await client.publish()
    await service.recorded(2)
    service.receiver.answer((response) => response.writeHead(503).end())
    await client.publish(client.words.otherType)
    await service.recorded(1)
    const all = await client.deliveries(webhook)
    const failed = name === 'content' ? 'failed' : 'dead'
    const [{ id: bad }, { id: good }] = all
    const others = (await client.deliveries(other.id)).map(({ id }) => id)
    const { token } = await signedIn(service, client.ws.id, 'viewer')
    for (const [query, expected] of [
      [`webhook_id=${webhook}`, [bad, good]],
      [`status=${failed}`, [bad]],
      ['status_code=5xx', [bad]],
      ['status_code=none', []],
      [`event_type=${client.words.otherType}`, [bad]],
      [`event_id=${event}&webhook_id=${webhook}`, [good]],
      [`event_id=${event}`, [good, ...others]],
      ['event_id=nonsense', []],
    ] as const) {
      const stream = await watching(client, query, token)
      expect([query, new Set(idsOf(await stream.next()))]).toEqual([query, new Set(expected)])
      stream.close()
      await stream.ended
    }
  })

  it('says so when more are new than it sends', async () => {
    const { client, webhook } = await opened()
    const stream = await watching(client)
    expect(await stream.next()).toEqual({ deliveries: [], more: false })
    service.receiver.answer(thanks)
    await client.publishMany(51)
    await service.recorded(51)
    let first = await stream.next()
    const seen = new Set<string>(idsOf(first))
    let more = first.more
    while (seen.size < 50 && !more) {
      first = await stream.next()
      more ||= first.more
      for (const id of idsOf(first)) seen.add(id)
    }
    const late = await watching(client)
    const newest = (await client.deliveries(webhook, 'limit=100')).slice(0, 50).map(({ id }) => id)
    const update = await late.next()
    expect([idsOf(update), update.more]).toEqual([newest, true])
  })

  it('ends with the session', async () => {
    const { client } = await opened()
    const { memberId, token } = await signedIn(service, client.ws.id, 'editor')
    const stream = await watching(client, '', token)
    await stream.next()
    const signOut = `/workspaces/${client.ws.id}/members/${memberId}/sessions`
    expect((await service.admin('DELETE', signOut)).status).toBe(204)
    await stream.ended
  })

  it.each([
    ['status', 'lost'],
    ['status_code', '6xx'],
    ['event_type', 'no.such.type'],
    ['webhook_id', 'wh_unknown'],
    ['limit', '5'],
  ])('refuses %s=%s', async (parameter, value) => {
    const { client } = await opened()
    const { token } = await signedIn(service, client.ws.id, 'viewer')
    const url = `/console/v1/workspaces/${client.ws.slug}/deliveries/live?${parameter}=${value}`
    const { status, json } = await service.call({ method: 'GET', url, key: token })
    expect([status, json.errors[0].pointer]).toEqual([422, `/${parameter}`])
  })
})

it('a session may have a few streams at a time, and others have theirs', async () => {
  const client = await openClient(service, 'content')
  const { token } = await signedIn(service, client.ws.id, 'viewer')
  const streams = []
  for (let i = 0; i < 5; i++) streams.push(await watching(client, '', token))
  const url = `/console/v1/workspaces/${client.ws.slug}/deliveries/live`
  const refused = await service.call({ method: 'GET', url, key: token })
  expect([refused.status, refused.json.code]).toEqual([429, 'too_many_streams'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const other = await watching(client)
  await other.next()
  streams[0]!.close()
  const again = await until(async () => {
    const { status } = await service.call({ method: 'GET', url, key: token })
    return status === 200
  })
  expect(again).toBe(true)
})

it('a service that stops ends its streams, and accepts no new ones', async () => {
  const stopping = await startTestService()
  const client = await openClient(stopping, 'content')
  const { token } = await signedIn(stopping, client.ws.id, 'viewer')
  const streams = [await watch(stopping, client.ws.slug, token), await watch(stopping, client.ws.slug, token)]
  await streams[0]!.next()
  await stopping.stop()
  for (const stream of streams) await stream.ended
})

async function until(isSo: () => Promise<boolean>): Promise<boolean> {
  while (!(await isSo()));
  return true
}
