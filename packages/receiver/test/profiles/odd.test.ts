import { describe, expect, test } from 'vitest'
import { now, profileReceiver, profileWith, receiverOf, signingService, TYPE } from '../signingService.ts'
import { expectRefused, NOW_SECONDS } from '../support.ts'

/** Everything in an unusual form. */
const ODD = profileWith({
  event: {
    data: 'payload',
    members: { actor: { schema: { type: 'string' } }, builder: { schema: {} } },
  },
  envelope: {
    members: [
      { path: 'meta.event.id', field: 'id' },
      { path: 'meta.event.kind', field: 'type' },
      { path: 'meta.at', field: 'time', as: 'unix-ms' },
      { path: 'meta.version', constant: 3 },
      { path: 'payload.space.id', field: 'workspace.id' },
      { path: 'payload.space.name', field: 'workspace.name' },
      { path: 'payload.by', field: 'actor', otherwise: null },
      { path: 'payload.constructor', field: 'builder' },
      { path: 'payload', field: 'data' },
    ],
  },
  headers: {
    Constructor: '{{v1}:{webhook_id}:{attempt}',
    'X-Odd': '{type};{id};{delivery_id} of {workspace.slug}.example',
    'X-Odd-Version': '2026-01',
    'X-Odd-Signatures': 'at {timestamp:iso}, [{signatures}]',
  },
  signatures: [
    {
      content: '{{{webhook_id}/{timestamp}/{attempt}/{type}/{workspace.slug}/{id}\t{body}',
      algorithm: 'hmac-sha512',
      encoding: 'hex',
      secret: 'hex',
      each: 'h={signature}',
      join: ', ',
      most: 2,
    },
    {
      content: '{timestamp:iso}{type}:{workspace.slug}:{webhook_id}:{attempt}:{id}{body}',
      algorithm: 'ed25519',
      encoding: 'base64',
      each: 'e={signature}',
      join: ' & ',
      most: 2,
    },
  ],
  secret: { prefix: 'odd_', encoding: 'hex', bytes: 24 },
})

const service = signingService(ODD)
const body = service.body({ amount: 1, nested: {} }, { actor: 'usr_1', builder: [1] })
const headers = service.sign(body, [2, 1])

describe.each([
  ['its secret', [service.secret(1)]],
  ['its public key', [service.publicKey(1)]],
  ['both keys', [service.publicKey(2), service.secret(3)]],
])('an unusual profile, verified by %s', (_what, secrets) => {
  const receiver = receiverOf(service, secrets)

  test('returns everything that it contains', async () => {
    expect(await receiver.verify(body, headers)).toEqual({
      id: 'evt_1',
      type: TYPE,
      timestamp: new Date(now()),
      deliveryId: 'dlv_1',
      attempt: 2,
      webhookId: 'wh_1',
      workspaceSlug: 'acme',
      event: {
        id: 'evt_1',
        type: TYPE,
        occurredAt: new Date(now()),
        data: { amount: 1, nested: {} },
        workspace: { id: 'ws_1', slug: 'acme', name: 'Acme' },
        members: { actor: 'usr_1', builder: [1] },
        body: JSON.parse(body),
      },
    })
  })

  test('is rejected when any signed part was changed', async () => {
    const changes = {
      'X-Odd': headers['X-Odd']!.replace('paid', 'lost'),
      'X-Odd-Signatures': headers['X-Odd-Signatures']!.replace('00.000Z', '01.000Z'),
    }
    for (const [name, value] of Object.entries(changes)) {
      expect(value).not.toBe(headers[name])
      const verify = receiver.verifySignature(body, { ...headers, [name]: value })
      await expectRefused(verify, 'signature_mismatch')
    }
    await expectRefused(
      receiver.verify(body.replace('"amount":1', '"amount":2'), headers),
      'signature_mismatch',
    )
  })

  test.each([
    ['Constructor', 'wh_1:2', 'header_malformed'],
    ['Constructor', '{v1}:wh_1:02', 'header_malformed'],
    ['Constructor', '{v1}:wh:1:2', 'header_malformed'],
    ['X-Odd', `${TYPE};evt_1;dlv_1 of acme`, 'event_type_malformed'],
    ['X-Odd', `${TYPE};evt.1;dlv_1 of acme.example`, 'id_malformed'],
    ['X-Odd', `${TYPE};evt_1;dlv_1 of A.example`, 'header_malformed'],
    ['X-Odd', `a b;evt_1;dlv_1 of acme.example`, 'event_type_malformed'],
    ['X-Odd-Signatures', 'at 2026-01-01T00:00:00.000Z, []', 'signature_malformed'],
    ['X-Odd-Signatures', 'at 2026-01-01T00:00:00.001Z, [h=0]', 'timestamp_malformed'],
    ['X-Odd-Signatures', 'at 2026-02-30T00:00:00.000Z, [h=0]', 'timestamp_malformed'],
    ['X-Odd-Signatures', `at 2026-01-01T00:00:00.000Z, [${'h=0, '.repeat(10_000)}]`, 'signature_too_long'],
  ] as const)('rejects the header %s: %s', async (name, value, code) => {
    await expectRefused(receiver.verify(body, { ...headers, [name]: value }), code)
  })

  test.each([
    ['Constructor', 'header_missing'],
    ['X-Odd', 'event_type_missing'],
    ['X-Odd-Signatures', 'signature_missing'],
  ] as const)('reports the missing header %s', async (name, code) => {
    const { [name]: _, ...others } = headers
    await expectRefused(receiver.verify(body, others), code)
    await expectRefused(receiver.verify(body, { ...headers, [name]: ['a', 'b'] }), 'header_ambiguous')
  })
})

describe('signed content has only one reading', () => {
  const verifying = (content: string) => {
    const { signatures } = ODD
    const signed = { ...signatures![0]!, content }
    const other = signingService({ ...ODD, signatures: [signed] })
    return { other, receiver: receiverOf(other) }
  }

  test('so a value must not contain its terminator', async () => {
    const { other, receiver } = verifying('{id}:{timestamp}:{body}')
    const sent = other.sign(body, [1], { eventId: 'evt_1:2' })
    await expectRefused(receiver.verifySignature(body, sent), 'id_malformed')
  })

  test('so the body must be an object if only that ends the text before it', async () => {
    const { other, receiver } = verifying('{type}{body}')
    const sent = other.sign('x{"a":1}', [1], { eventType: 'invoice.paid' })
    const shifted = { ...sent, 'X-Odd': sent['X-Odd']!.replace('invoice.paid', 'invoice.paidx') }
    await expectRefused(receiver.verifySignature('{"a":1}', sent), 'signature_mismatch')
    await expectRefused(receiver.verifySignature('x{"a":1}', sent), 'envelope_invalid')
    expect((await receiver.verifySignature('{"a":1}', shifted)).type).toBe('invoice.paidx')
  })
})

describe('two headers with one value', () => {
  const twice = signingService({
    ...profileWith({}),
    headers: { A: '{id}', B: '{timestamp}', C: '{timestamp:iso}', D: '{id};{attempt}', S: '{signatures}' },
  })
  const sent = twice.sign(twice.body())

  test('must agree', async () => {
    const receiver = receiverOf(twice)
    await receiver.verify(twice.body(), sent)
    for (const change of [{ D: 'evt_2;2' }, { C: new Date((NOW_SECONDS + 1) * 1000).toISOString() }])
      await expectRefused(receiver.verify(twice.body(), { ...sent, ...change }), 'header_ambiguous')
  })
})

test('a profile without signatures returns its events when that is accepted', async () => {
  const unsigned = profileWith({
    signatures: [],
    unsigned: true,
    headers: { 'X-Type': '{type}', 'X-Time': '{timestamp}' },
  })
  const receiver = profileReceiver({ profile: unsigned, acceptUnsigned: true })
  const sender = signingService(unsigned)
  const { type, timestamp, event } = await receiver.verify(sender.body(), sender.sign(sender.body()))
  expect({ type, timestamp, data: event.data }).toEqual({
    type: TYPE,
    timestamp: null,
    data: { amount: 100 },
  })
  await expectRefused(receiver.verify('[]', { 'X-Type': TYPE }), 'envelope_invalid')
})
