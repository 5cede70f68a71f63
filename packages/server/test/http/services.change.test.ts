import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { HOUR_MS } from '../../src/core/duration.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { BUILT_IN } from '../../src/profiles/builtIn.ts'
import { ServiceRegistry } from '../../src/services/registry.ts'
import { Signal } from '../support/signal.ts'
import { billing, ProfileClient } from './profiles.ts'
import { ADMIN_TOKEN, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

/** The registry of another node. */
function registry(): ServiceRegistry {
  const quiet = { info() {}, warn() {}, error() {} }
  return new ServiceRegistry({
    storage: service.storage.profiles,
    builtIn: BUILT_IN,
    settingsOf: () => ({}),
    clock: systemClock,
    log: quiet,
    failureLog: new FailureLog(systemClock, quiet),
  })
}

const put = (body: { readonly name: string }) =>
  service.call({ method: 'PUT', url: `/admin/v1/services/${body.name}`, key: ADMIN_TOKEN, body })

const withHeader = (name: string, value: string) =>
  billing({
    name,
    headers: {
      'webhook-id': '{id}',
      'webhook-timestamp': '{timestamp}',
      'webhook-signature': '{signatures}',
      'x-version': value,
    },
  })

async function finished(client: ProfileClient) {
  for (;;) {
    const { data } = (await client.call('GET', '/deliveries')).json
    if (data.length > 0 && data.every(({ status }: { status: string }) => status !== 'pending')) return data
  }
}

describe('a changed service', () => {
  it('sends with the new profile at once, and shows earlier requests unchanged', async () => {
    await service.admin('POST', '/services', withHeader('versions', 'one'))
    const client = await ProfileClient.open(service, withHeader('versions', 'one'))
    const { id: webhook } = await client.webhook()
    await client.publish()
    await finished(client)
    expect((await put(withHeader('versions', 'two'))).status).toBe(200)
    await client.publish()
    const deliveries = await finished(client)
    const sent = service.receiver.requests.slice(-2)
    expect(sent.map(({ headers }) => headers['x-version'])).toEqual(['one', 'two'])
    for (const [i, { id }] of deliveries.toReversed().entries()) {
      const shown = (await client.call('GET', client.delivery(webhook, id))).json
      const { headers } = shown.attempts[0].request
      expect(headers['x-version']).toBe(['one', 'two'][i])
      expect(headers['webhook-signature']).toBe(sent[i]!.headers['webhook-signature'])
    }
  })

  it('rejects at once types that its catalog no longer has', async () => {
    const document = billing({ name: 'shrinking', compatibility: 'none' })
    await service.admin('POST', '/services', document)
    const client = await ProfileClient.open(service, document)
    await client.publish()
    await put({ ...document, catalog: { types: [{ type: 'b', title: 'B' }] } } as typeof document)
    expect((await client.call('POST', '/events', client.event())).status).toBe(422)
    expect((await client.call('POST', '/events', { type: 'b', data: { any: 1 } })).status).toBe(202)
  })

  it('may get key pairs: a webhook signs only with HMAC until its secret is rotated', async () => {
    const v1 = {
      content: '{id}.{timestamp}.{body}',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      secret: 'base64-after-prefix',
      each: 'v1,{signature}',
      join: ' ',
    }
    const { secret: _, ...unkeyed } = v1
    const v1a = { ...unkeyed, algorithm: 'ed25519', each: 'v1a,{signature}' }
    const document = billing({ name: 'key-pairs', signatures: [v1] })
    await service.admin('POST', '/services', document)
    const client = await ProfileClient.open(service, document)
    const { id } = await client.webhook()
    const signatures = async () => {
      await client.publish()
      await finished(client)
      const { headers } = service.receiver.requests.at(-1)!
      return String(headers['webhook-signature']).replaceAll(/,[^ ]+/g, '')
    }
    expect((await put(billing({ name: 'key-pairs', signatures: [v1, v1a] }) as never)).status).toBe(200)
    expect(await signatures()).toBe('v1')
    expect((await client.call('GET', `/webhooks/${id}`)).json.public_key).toBeNull()
    const { json } = await client.call('POST', `/webhooks/${id}/rotate-secret`)
    expect(json.public_key).toMatch(/^whpk_/)
    expect(await signatures()).toBe('v1 v1a')
  })

  it('still hides contents of old events from keys without the scope, wherever they are now', async () => {
    const scopes = ['webhooks', 'events:write', 'contents']
    const hiding = (path: string) =>
      billing({
        name: 'hiding',
        access: { keys: scopes, contents: 'contents' },
        catalog: { open: true },
        envelope: {
          members: [
            { path: 'type', field: 'type' },
            { path: 'at', field: 'time' },
            { path, field: 'data' },
          ],
        },
      })
    await service.admin('POST', '/services', hiding('payload'))
    const client = await ProfileClient.open(service, hiding('payload'))
    const id = await client.publish({ data: { card: '4711' } })
    const { key } = (
      await service.admin('POST', `/workspaces/${client.ws.slug}/keys`, { name: 'k', scopes: ['webhooks'] })
    ).json
    const shown = async () => (await client.call('GET', `/events/${id}`, undefined, key)).json
    expect(await shown()).toEqual({ id, type: client.type, at: expect.any(String), payload: null })
    expect((await put(hiding('data'))).status).toBe(200)
    expect(await shown()).toEqual({ id, type: client.type, at: expect.any(String), data: null })
    expect((await client.call('GET', '/events', undefined, key)).text).not.toContain('4711')
  })

  it('matches patterns in time that grows only with the text', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    const document = billing({
      name: 'patterns',
      catalog: { types: [{ type: 'a', title: 'A', schema }] },
      event: { members: { region: { schema: { type: 'string', pattern: '^(b+)+$' } } } },
    })
    await service.admin('POST', '/services', document)
    const client = await ProfileClient.open(service, document)
    // JavaScript's engine would practically never finish.
    const event = { type: 'a', data: { a: `${'a'.repeat(80)}!` }, region: `${'b'.repeat(80)}!` }
    const { status, json } = await client.call('POST', '/events', event)
    expect([status, json.errors.map((one: { pointer: string }) => one.pointer).sort()]).toEqual([
      422,
      ['/data/a', '/region'],
    ])
  })

  it('has updated documents', async () => {
    const document = billing({ name: 'documented' })
    await service.admin('POST', '/services', document)
    const title = async () =>
      (await service.call({ method: 'GET', url: '/openapi/documented.json' })).json.info.title
    expect(await title()).toBe('Billing: event webhooks')
    await put({ ...document, title: 'Bills' } as typeof document)
    expect(await title()).toBe('Bills: event webhooks')
    await service.admin('DELETE', '/services/documented')
    expect((await service.call({ method: 'GET', url: '/openapi/documented.json' })).status).toBe(404)
  })
})

it('a version that this release cannot use leaves the previous one, and can be replaced', async () => {
  const document = billing({ name: 'future' })
  await service.admin('POST', '/services', document)
  const client = await ProfileClient.open(service, document)
  const now = systemClock.now()
  const later = JSON.stringify({ ...document, profile: 2 })
  await service.storage.putProfile({ name: 'future', version: 1, document: later, keepSince: 0, now })
  const other = registry()
  await other.start()
  expect(other.served.get('future')?.version).toBe(1)
  await other.stop()
  expect((await client.call('POST', '/events', client.event())).status).toBe(202)
  expect((await put({ ...document, title: 'Again' } as typeof document)).json).toMatchObject({
    version: 3,
    title: 'Again',
  })
})

it('a version that an earlier build stored with former names of members is used with the current ones', async () => {
  const document = billing({ name: 'former', policy: { gone: 'disable', disable_after: '72h' } })
  await service.admin('POST', '/services', document)
  const former = JSON.stringify({ ...document, policy: { gone: 'switch-off', switch_off_after: '36h' } })
  const now = systemClock.now()
  await service.storage.putProfile({ name: 'former', version: 1, document: former, keepSince: 0, now })
  const other = registry()
  await other.start()
  expect(other.served.get('former')).toMatchObject({
    version: 2,
    profile: { policy: { gone: 'disable', disableAfterMs: 36 * HOUR_MS } },
  })
  expect(other.stored.get('former')?.warnings).toEqual([])
  await other.stop()
  const policy = async () => (await service.admin('GET', '/services/former')).json.profile.policy
  await expect.poll(policy, { timeout: 5_000 }).toEqual({ gone: 'disable', disable_after: '36h' })
})

it('another node learns of a service within 5 seconds, and of its removal', { timeout: 12_000 }, async () => {
  const other = registry()
  await other.start()
  const changed = new Signal()
  other.onChange(() => changed.fire())
  const heard = (served: boolean) => changed.until(() => other.served.has('elsewhere') === served)
  await service.admin('POST', '/services', billing({ name: 'elsewhere' }))
  await heard(true)
  await service.admin('DELETE', '/services/elsewhere')
  await heard(false)
  await other.stop()
})
