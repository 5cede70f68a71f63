import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import * as noble from '@noble/ed25519'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/core/duration.ts'
import type { AppDeps } from '../../src/http/app.ts'
import { collectOperations } from '../../src/http/documents/collect.ts'
import { contentService } from '../../src/profiles/builtIn.ts'
import { HMAC, KEY_PAIR, signedBy } from '../support/signedBy.ts'
import { TARGET } from './events.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

const TYPE = 'invoice.paid'
const both = signedBy([HMAC, KEY_PAIR])
const alone = signedBy([KEY_PAIR], {}, { name: 'alone', case: 'camel', ids: { style: 'uuid' } })
const secretOnly = signedBy([HMAC], {}, { name: 'secret-only' })

interface Jwk extends JsonWebKey {
  readonly kid: string
}

/** The store, with a count of the lookups only by public id. */
function counting(): { readonly replace: (deps: AppDeps) => Partial<AppDeps>; count: number } {
  const counted = {
    count: 0,
    replace({ storage }: AppDeps): Partial<AppDeps> {
      const { webhooks } = storage
      const getSigningSecrets: typeof webhooks.getSigningSecrets = (params) => {
        counted.count += 1
        return webhooks.getSigningSecrets(params)
      }
      return { storage: { ...storage, webhooks: { ...webhooks, getSigningSecrets } } }
    },
  }
  return counted
}

const reads = counting()
let service: TestService
let workspace: TestWorkspace
beforeAll(async () => {
  service = await startTestService(reads.replace, { services: [both, alone, secretOnly] })
  workspace = await service.workspace(both.name)
})
afterAll(() => service.stop())

const webhooksOf = ({ slug }: TestWorkspace) => `/v1/workspaces/${slug}/webhooks`

async function made(on: TestWorkspace, url = TARGET) {
  const body = { url, events: [TYPE] }
  const { status, json } = await service.call({ method: 'POST', url: webhooksOf(on), key: on.key, body })
  expect([status, json]).toEqual([201, expect.any(Object)])
  return json
}

const rotated = async (on: TestWorkspace, id: string, headers = {}) =>
  (
    await service.call({
      method: 'POST',
      url: `${webhooksOf(on)}/${id}/rotate-secret`,
      key: on.key,
      headers,
    })
  ).json

const read = async (on: TestWorkspace, id: string) =>
  (await service.call({ method: 'GET', url: `${webhooksOf(on)}/${id}`, key: on.key })).json

const keysOf = (id: string, headers = {}) =>
  service.call({ method: 'GET', url: `/.well-known/webhook-keys/${id}`, headers })

const xOf = (publicKey: string) =>
  Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')

/** Whether a request is signed by the key, by node:crypto and by another implementation. */
async function isSignedBy(key: Jwk, request: { readonly headers: object; readonly body: Buffer }) {
  const headers = request.headers as Readonly<Record<string, string>>
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${request.body}`
  const publicKey = createPublicKey({ key, format: 'jwk' })
  const raw = Buffer.from(key.x!, 'base64url')
  const signatures = headers['webhook-signature']!.split(' ').filter((one) => one.startsWith('v1a,'))
  for (const signature of signatures) {
    const bytes = Buffer.from(signature.slice('v1a,'.length), 'base64')
    const matches = verify(null, Buffer.from(signed), publicKey, bytes)
    expect(await noble.verifyAsync(bytes, Buffer.from(signed), raw)).toBe(matches)
    if (matches) return true
  }
  return false
}

/** @returns the request that the receiver got */
async function publish(on: TestWorkspace) {
  const before = service.receiver.requests.length
  const url = `/v1/workspaces/${on.slug}/events`
  const { status } = await service.call({
    method: 'POST',
    url,
    key: on.key,
    body: { type: TYPE, data: { total: 7 } },
  })
  expect(status).toBe(202)
  await service.recorded(1)
  return service.receiver.requests[before]!
}

describe('a webhook of a service with key pairs', () => {
  it('shows its public key when it is created, read and rotated', async () => {
    const webhook = await made(workspace)
    expect(webhook.public_key).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
    expect(webhook.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect((await read(workspace, webhook.id)).public_key).toBe(webhook.public_key)
    const next = await rotated(workspace, webhook.id)
    expect(next.public_key).not.toBe(webhook.public_key)
    expect((await read(workspace, webhook.id)).public_key).toBe(next.public_key)
  })

  it('repeats the same key with one idempotency key, for as long as the secret', async () => {
    const { id } = await made(workspace)
    const headers = { 'idempotency-key': `rotate-${id}` }
    const first = await rotated(workspace, id, headers)
    expect(await rotated(workspace, id, headers)).toEqual(first)
    await rotated(workspace, id)
    expect(await rotated(workspace, id, headers)).toMatchObject({
      public_key: null,
      signing_secret: null,
      secret_omitted: 'rotated',
    })
  })

  it('shows no secret where all signatures use key pairs', async () => {
    const on = await service.workspace(alone.name)
    const webhook = await made(on)
    expect(webhook).toMatchObject({ signingSecret: null, secretOmitted: null })
    expect(webhook.publicKey).toMatch(/^whpk_/)
    expect(await read(on, webhook.id)).toMatchObject({ publicKey: webhook.publicKey })
  })

  it('shows no answer and no log line with the private key', async () => {
    const webhook = await made(workspace)
    const [stored] = (await service.storage.getSigningSecrets({
      publicId: webhook.id,
      limit: 1,
      now: service.clock.now(),
    }))!.secrets
    expect(Buffer.from(stored!.sealed).includes('whsk_')).toBe(false)
    const shown = [webhook, await read(workspace, webhook.id), (await keysOf(webhook.id)).text]
    expect(JSON.stringify([shown, service.logs])).not.toMatch(/whsk_|"d"/)
  })
})

it('a service without key pairs shows no public key, and reads no secret to show a webhook', async () => {
  const on = await service.workspace(secretOnly.name)
  const webhook = await made(on)
  const before = reads.count
  expect(webhook).not.toHaveProperty('public_key')
  expect(await read(on, webhook.id)).not.toHaveProperty('public_key')
  expect(reads.count).toBe(before)
})

describe('the key set of a webhook', () => {
  it('is a public JWK Set, of keys that verify its requests', async () => {
    const on = await service.workspace(both.name)
    const webhook = await made(on, service.receiver.url)
    const { status, headers, json } = await keysOf(webhook.id)
    const x = xOf(webhook.public_key)
    const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
    expect(json).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x, use: 'sig', alg: 'EdDSA', kid }],
    })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=300',
    })
    expect(both.secrets.overlapMs).toBeGreaterThanOrEqual(60 * MINUTE_MS)
    expect(await isSignedBy(json.keys[0], await publish(on))).toBe(true)
  })

  it('contains the replaced key until it stops signing', async () => {
    const on = await service.workspace(both.name)
    const webhook = await made(on, service.receiver.url)
    const [old] = (await keysOf(webhook.id)).json.keys as readonly Jwk[]
    const next = await rotated(on, webhook.id)
    const { keys } = (await keysOf(webhook.id)).json as { readonly keys: readonly Jwk[] }
    expect(keys.map(({ x }) => x)).toEqual([xOf(next.public_key), xOf(webhook.public_key)])
    expect(keys[1]).toEqual(old)
    const request = await publish(on)
    expect(await Promise.all(keys.map((key) => isSignedBy(key, request)))).toEqual([true, true])
    service.clock.forwardCalendar(both.secrets.overlapMs)
    expect((await keysOf(webhook.id)).json.keys).toEqual([keys[0]])
    const later = await publish(on)
    expect(await Promise.all(keys.map((key) => isSignedBy(key, later)))).toEqual([true, false])
  })

  it('is not sent again to receivers that have it', async () => {
    const webhook = await made(workspace)
    const { headers } = await keysOf(webhook.id)
    const known = { 'if-none-match': String(headers.etag) }
    const again = await keysOf(webhook.id, known)
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag])
    await rotated(workspace, webhook.id)
    expect((await keysOf(webhook.id, known)).status).toBe(200)
  })

  it('is found with every spelling of an id', async () => {
    const webhook = await made(await service.workspace(alone.name))
    expect((await keysOf(webhook.id.toUpperCase())).json.keys).toHaveLength(1)
  })

  it('does not exist for others, with one answer, and invalid ids cost no read', async () => {
    const on = await service.workspace(both.name)
    const deleted = await made(on)
    await service.call({ method: 'DELETE', url: `${webhooksOf(on)}/${deleted.id}`, key: on.key })
    const withoutKeys = await made(await service.workspace(secretOnly.name))
    const made_up = both.ids.webhook.format(Buffer.alloc(16, 1))
    const answerOf = async (id: string) => {
      const { status, json, headers } = await keysOf(id)
      const { request_id: _, ...problem } = json
      return { status, problem, type: headers['content-type'], cache: headers['cache-control'] }
    }
    const expected = await answerOf(made_up)
    expect(expected).toMatchObject({ status: 404, problem: { code: 'not_found' } })
    for (const id of [deleted.id, withoutKeys.id]) expect(await answerOf(id)).toEqual(expected)
    const before = reads.count
    for (const id of ['x', 'A'.repeat(90), '%00', `${made_up}a`, `wh_${'z'.repeat(26)}`])
      expect(await answerOf(id)).toEqual(expected)
    expect(reads.count).toBe(before)
  })
})

it('a flood of requests for keys is limited by client, with a time to retry', async () => {
  const counted = counting()
  const publicKeys = { byClient: { burst: 3, everyMs: 10_000 }, inAll: { burst: 100, everyMs: 1 } }
  const other = await startTestService(
    (deps) => ({
      ...counted.replace(deps),
      authenticationLimits: { ...deps.authenticationLimits, publicKeys },
    }),
    { services: [both] },
  )
  const url = `/.well-known/webhook-keys/${both.ids.webhook.format(Buffer.alloc(16, 1))}`
  const answers = []
  for (let i = 0; i < 5; i++) answers.push(await other.call({ method: 'GET', url }))
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429, 429])
  expect(counted.count).toBe(3)
  expect(answers[4]!.json.code).toBe('too_many_requests')
  expect(Number(answers[4]!.headers['retry-after'])).toBeGreaterThan(0)
  other.clock.forward(10_000)
  expect((await other.call({ method: 'GET', url })).status).toBe(404)
  await other.stop()
})

it('is documented only for services with key pairs', async () => {
  const path = '/.well-known/webhook-keys/{id}'
  const { paths } = await collectOperations(both)
  expect(paths[path]).toMatchObject({ get: { operationId: 'getBillingWebhookKeys', security: [] } })
  expect((await collectOperations(contentService())).paths[path]).toBeUndefined()
})
