import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  profileFile,
  profileReceiver,
  receiverOf,
  signingService,
  TYPE,
  WORKSPACE,
} from '../signingService.ts'
import { expectRefused, NOW_SECONDS } from '../support.ts'

/** Operational webhooks are signed like those of the standard profile. */
const NAMES = readdirSync(new URL('../../../server/profiles', import.meta.url))
  .map((file) => file.replace('.json', ''))
  .filter((name) => name !== 'operational')

/** Members of every event of a contract. */
const MEMBERS: Readonly<Record<string, object>> = {
  ads: { entityType: 'invoice', entityId: '01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6' },
  content: { links: { app: 'https://app.example.com' } },
}
/** Members of verified events in addition to the data. */
const EXPECTED: Readonly<Record<string, object>> = {
  standard: { id: 'evt_1', deliveryId: null },
  content: { id: 'evt_1', deliveryId: null },
  ads: { id: 'evt_1', deliveryId: 'dlv_1', timestamp: null },
  github: { id: null, deliveryId: 'dlv_1', timestamp: null },
  shopify: { id: 'evt_1', deliveryId: 'dlv_1', timestamp: null, workspaceSlug: 'acme' },
  stripe: { id: 'evt_1', timestamp: new Date(NOW_SECONDS * 1000) },
  svix: { id: 'evt_1', timestamp: new Date(NOW_SECONDS * 1000), type: null },
}

test('every profile of the server is tested here', () => {
  expect(NAMES.sort()).toEqual(Object.keys(EXPECTED).sort())
})

describe.each(NAMES)('requests that the server signs by the profile %s', (name) => {
  const service = signingService(profileFile(name))
  const receiver = receiverOf(service)
  const body = service.body({ amount: 100, name: 'Zoë 🐴' }, MEMBERS[name])
  const headers = service.sign(body)
  const signatureHeader = Object.keys(headers).find((header) => /signature|hmac/i.test(header))!
  const tampered = (value: string) => ({ ...headers, [signatureHeader]: value })

  test('are verified, and their event is read', async () => {
    const verified = await receiver.verify(body, headers)
    const type = name === 'svix' ? null : TYPE
    expect(verified).toMatchObject({ type, attempt: null, webhookId: null, ...EXPECTED[name] })
    expect(verified.event).toMatchObject({
      id: verified.id,
      type,
      data: { amount: 100, name: 'Zoë 🐴' },
      members: MEMBERS[name] ?? {},
      body: JSON.parse(body),
    })
    expect(Object.keys(verified.event.data!)).toEqual(['amount', 'name'])
    const hasTime = !['github', 'shopify', 'svix'].includes(name)
    expect(verified.event.occurredAt).toEqual(hasTime ? new Date(NOW_SECONDS * 1000) : null)
  })

  test('are verified as bytes, in a fetch Request and without their envelope', async () => {
    const request = new Request('https://example.com', { method: 'POST', headers, body })
    expect((await receiver.verify(request)).event.body).toEqual(JSON.parse(body))
    const message = await receiver.verifySignature(Buffer.from(body), headers)
    expect(Buffer.from(message.body).toString()).toBe(body)
  })

  test('are rejected with another body, secret or signature', async () => {
    await expectRefused(receiver.verify(body.replace('100', '900'), headers), 'signature_mismatch')
    await expectRefused(receiverOf(service, service.secret(2)).verify(body, headers), 'signature_mismatch')
    const other = service.sign(`${body} `)[signatureHeader]!
    await expectRefused(receiver.verify(body, tampered(other)), 'signature_mismatch')
  })

  test('are rejected without a header or with a junk signature', async () => {
    const { [signatureHeader]: _, ...unsigned } = headers
    await expectRefused(receiver.verify(body, unsigned), 'signature_missing')
    for (const value of ['', 'junk', `${headers[signatureHeader]}00`])
      await expectRefused(receiver.verify(body, tampered(value)), 'signature_malformed')
    await expectRefused(receiver.verify(body, tampered('x'.repeat(1_000_000))), /too_long|malformed/)
  })

  test('are verified by either secret during a rotation, if the header has room for it', async () => {
    const both = service.sign(body, [2, 1])
    await receiverOf(service, service.secret(2)).verify(body, both)
    const old = receiverOf(service, service.secret(1)).verify(body, both)
    if (service.maxSigning > 1) await old
    else await expectRefused(old, 'signature_mismatch')
    await receiverOf(service, [service.secret(1), service.secret(2)]).verify(body, both)
  })
})

describe.each(['standard', 'stripe', 'svix'])('the time that %s signs', (name) => {
  const service = signingService(profileFile(name))
  const at = (seconds: number, toleranceSeconds?: number) =>
    profileReceiver({
      profile: service.document,
      secrets: service.secret(1),
      now: () => (NOW_SECONDS + seconds) * 1000,
      ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
    })
  const body = service.body()
  const headers = service.sign(body)

  test('may be five minutes off', async () => {
    for (const seconds of [-300, 300]) await at(seconds).verify(body, headers)
    await expectRefused(at(301).verify(body, headers), 'timestamp_too_old')
    await expectRefused(at(-301).verify(body, headers), 'timestamp_too_new')
    await at(3600, 3600).verify(body, headers)
  })

  test('cannot be replaced by a fresh one', async () => {
    const fresh = Object.fromEntries(
      Object.entries(headers).map(([header, value]) => [
        header,
        value.replace(String(NOW_SECONDS), String(NOW_SECONDS + 3600)),
      ]),
    )
    await expectRefused(at(3600).verify(body, fresh), 'signature_mismatch')
  })
})

test('a type, an id or a slug in a header must match the signed body', async () => {
  const service = signingService(profileFile('ads'))
  const body = service.body({}, MEMBERS.ads)
  const changed = { ...service.sign(body), 'X-Service-Event': 'invoice.deleted' }
  await expectRefused(receiverOf(service).verify(body, changed), 'event_type_mismatch')
  const headers = { 'X-Id': '{id}', 'X-Slug': '{workspace.slug}', 'X-Signature': '{signatures}' }
  const members = [
    { path: 'id', field: 'id' },
    { path: 'slug', field: 'workspace.slug' },
    { path: 'data', field: 'data' },
  ]
  const signatures = [{ ...profileFile('ads').signatures![0]! }]
  const other = signingService({ ...profileFile('svix'), headers, signatures, envelope: { members } })
  const sent = other.sign(other.body())
  const verify = (header: object) => receiverOf(other).verify(other.body(), { ...sent, ...header })
  expect(await verify({})).toMatchObject({ id: 'evt_1', workspaceSlug: WORKSPACE.slug })
  await expectRefused(verify({ 'X-Id': 'evt_2' }), 'id_mismatch')
  await expectRefused(verify({ 'X-Slug': 'other' }), 'header_malformed')
})
