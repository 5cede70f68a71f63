import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visibilityOfKey } from '../../src/http/shared/visibility.ts'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'
import type { ApiKey } from '../../src/storage/rows.ts'
import { type Client, type Json, openClient, type ServiceName } from './client.ts'
import { thanks } from './content.ts'
import { addMember, addMemberWith, browserOf, newAddress, OWN_PAGE, signedIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

interface Scene {
  readonly client: Client
  /** Of a key with only the scope `webhooks`, made for an owner. */
  readonly key: string
  readonly webhook: string
  readonly event: string
  readonly delivery: string
}

/** A workspace in which a webhook of another key has received an event. */
async function setScene(name: ServiceName): Promise<Scene> {
  const client = await openClient(service, name)
  const { id: webhook } = await client.receivingWebhook({ description: '' })
  const event = await client.publish()
  await service.recorded(1)
  await service.settled()
  const [{ id: delivery }] = await client.deliveries(webhook)
  const owner = await addMember(service, client.ws.id, 'owner')
  const { key } = await service.key(client.ws.id, { scopes: ['webhooks'], member_id: owner })
  return { client, key, webhook, event, delivery }
}

/** The answer of a path, without the cursor, which differs each time. */
async function read({ client }: Scene, path: string, key?: string): Promise<Json> {
  const { status, json, text } = await client.get(path, key === undefined ? {} : { key })
  expect(status, text).toBe(200)
  const { [client.words.nextCursor]: _, ...shown } = json
  return shown
}

const hiddenIn = (attempt: Json): Json => ({
  ...attempt,
  response: { ...attempt.response, body: null, body_encoding: null },
})

describe('a key of the content service without generations:read', () => {
  let scene: Scene
  let origin: string
  beforeAll(async () => {
    scene = await setScene('content')
    origin = new URL(service.receiver.url).origin
  })

  it('reads events without their data', async () => {
    const { event } = scene
    const whole = await read(scene, `/events/${event}`)
    expect(whole.data).toMatchObject({ workspace: { id: scene.client.ws.id } })
    expect(await read(scene, `/events/${event}`, scene.key)).toEqual({ ...whole, data: null })
    const feed = await read(scene, '/events')
    expect(await read(scene, '/events', scene.key)).toEqual({ ...feed, data: [{ ...whole, data: null }] })
  })

  it('reads deliveries without bodies, signatures, response excerpts and the path of the URL', async () => {
    const path = scene.client.deliveryPath(scene.webhook, scene.delivery)
    const whole = await read(scene, path)
    const [attempt] = whole.attempts
    expect([attempt.response.body, whole.request_body]).toEqual(['thanks', expect.any(String)])
    const headers = { ...attempt.request.headers, 'webhook-signature': null }
    const request = { ...attempt.request, url: origin, headers }
    expect(await read(scene, path, scene.key)).toEqual({
      ...whole,
      attempts: [{ ...hiddenIn(attempt), request }],
      request_body: null,
    })
    for (const list of [`/webhooks/${scene.webhook}/deliveries`, '/deliveries']) {
      const page = await read(scene, list)
      const data = page.data.map((one: Json) => ({ ...one, attempts: one.attempts.map(hiddenIn) }))
      expect(await read(scene, list, scene.key)).toEqual({ ...page, data })
    }
  })

  it('sees only scheme and host of webhooks, also in lists and in the audit log', async () => {
    const path = `/webhooks/${scene.webhook}`
    const whole = await read(scene, path)
    expect(whole.url).toBe(service.receiver.url)
    expect(await read(scene, path, scene.key)).toEqual({ ...whole, url: origin })
    const { backlog: _, ...listed } = whole
    expect((await read(scene, '/webhooks', scene.key)).data).toEqual([{ ...listed, url: origin }])
    const log = await read(scene, `/audit-log?target=${scene.webhook}`, scene.key)
    expect(log.data.map(({ target }: Json) => target.name)).toEqual([origin])
  })

  it('gets generated samples, whatever was published', async () => {
    const path = '/webhooks/sample?event=version.approved'
    expect(await read(scene, path)).toMatchObject({ source: 'real' })
    const { source, samples } = await read(scene, path, scene.key)
    expect([source, samples.length]).toEqual(['example', 1])
    expect(JSON.stringify(samples)).not.toContain(scene.event)
  })

  it('gets no response excerpt for its redeliveries, at first or in a repeat', async () => {
    const path = scene.client.againPath(scene.webhook, scene.delivery)
    const headers = { 'idempotency-key': 'again' }
    const send = () => scene.client.post(path, undefined, { key: scene.key, headers })
    const first = await send()
    expect(first.status).toBe(202)
    await service.recorded(1)
    for (const { json } of [first, await send()]) {
      expect(json.attempts.map(({ response }: Json) => response.body)).toEqual([null])
    }
  })
})

it.each(['owner', 'editor', 'viewer'] as const)('a member who is %s sees everything', async (role) => {
  const scene = await setScene('content')
  const { token } = await signedIn(service, scene.client.ws.id, role)
  const path = scene.client.deliveryPath(scene.webhook, scene.delivery)
  for (const one of [path, '/events', '/webhooks', '/webhooks/sample?event=version.approved']) {
    expect(await read(scene, one, token)).toEqual(await read(scene, one))
  }
})

it('a member in a browser sees everything', async () => {
  const scene = await setScene('content')
  const email = newAddress()
  await addMemberWith(service, scene.client.ws.id, 'viewer', email)
  const headers = { ...OWN_PAGE, cookie: await browserOf(service, email) }
  const path = scene.client.deliveryPath(scene.webhook, scene.delivery)
  const { json } = await service.call({ method: 'GET', url: scene.client.root + path, headers })
  expect(json).toEqual(await read(scene, path))
})

it('a key of the ads service sees everything with the scope webhooks', async () => {
  const scene = await setScene('ads')
  const path = scene.client.deliveryPath(scene.webhook, scene.delivery)
  for (const one of [path, '/events', '/webhooks', `/audit-log?target=${scene.webhook}`]) {
    const seen = await read(scene, one, scene.key)
    if (!one.startsWith('/audit-log')) expect(seen).toEqual(await read(scene, one))
    else expect(seen.data[0].target.name).toBe(service.receiver.url)
  }
})

describe('the path of a URL', () => {
  const content = contentService()
  const key = { publicId: 'key_1', scopes: ['webhooks'] } as unknown as ApiKey
  const url = 'https://hooks.example.com:8443/services/T0?token=secret'

  it('is visible to the key that created the webhook, and to no other without the scope', () => {
    const { url: shown } = visibilityOfKey(content, key)
    expect(shown(url, { type: 'key', publicId: 'key_1' })).toBe(url)
    for (const createdBy of [
      { type: 'key', publicId: 'key_2' } as const,
      { type: 'member', publicId: 'key_1' } as const,
      null,
    ]) {
      expect(shown(url, createdBy)).toBe('https://hooks.example.com:8443')
    }
  })

  it('is visible to keys with the scope, and where a service has none', () => {
    const reader = { ...key, scopes: ['webhooks', 'generations:read'] }
    expect(visibilityOfKey(content, reader).url(url, null)).toBe(url)
    expect(visibilityOfKey(adsService({ waitsMs: [], timeoutMs: 1 }), key).url(url, null)).toBe(url)
  })
})
