import { describe, expect, test } from 'vitest'
import { profileReceiver, profileWith, receiverOf, signingService } from '../signingService.ts'
import { configurationError, expectRefused, NOW_SECONDS } from '../support.ts'

const CONTENT = '{id}.{timestamp}.{body}'
const HMAC = {
  content: CONTENT,
  algorithm: 'hmac-sha256',
  encoding: 'base64',
  secret: 'base64-after-prefix',
  each: 'v1,{signature}',
  join: ' ',
  most: 4,
}
const { secret: _, ...UNKEYED } = HMAC
const KEY_PAIR = { ...UNKEYED, algorithm: 'ed25519', each: 'v1a,{signature}' }

const signedBy = (signatures: readonly object[], members: object = {}) =>
  signingService(profileWith({ signatures, ...members }))

describe('a service that signs with HMAC and key pairs', () => {
  const service = signedBy([HMAC, KEY_PAIR])
  const body = service.body()
  const headers = service.sign(body)
  const signature = headers['webhook-signature']!
  const [v1, v1a] = signature.split(' ') as [string, string]
  const withSignature = (value: string) => ({ ...headers, 'webhook-signature': value })
  const byPublicKey = receiverOf(service, service.publicKey(1))
  const bySecret = receiverOf(service)
  const byBoth = receiverOf(service, [service.secret(1), service.publicKey(1)])

  test('is verified by its secret, its public key, or both', async () => {
    for (const receiver of [bySecret, byPublicKey, byBoth])
      expect((await receiver.verify(body, headers)).id).toBe('evt_1')
  })

  test('is verified by one signature of a kind with a key', async () => {
    await bySecret.verify(body, withSignature(v1))
    await byPublicKey.verify(body, withSignature(v1a))
    for (const value of [v1, v1a, `${v1a} ${v1}`]) await byBoth.verify(body, withSignature(value))
    await expectRefused(bySecret.verify(body, withSignature(v1a)), 'signature_unsupported')
    await expectRefused(byPublicKey.verify(body, withSignature(v1)), 'signature_unsupported')
  })

  test('is rejected when one kind is sent as the other', async () => {
    const swapped = `${v1.replace('v1,', 'v1a,')} ${v1a.replace('v1a,', 'v1,')}`
    for (const receiver of [bySecret, byPublicKey, byBoth])
      await expectRefused(receiver.verify(body, withSignature(swapped)), 'signature_malformed')
  })

  test('is rejected with another body, id, time or key', async () => {
    const other = receiverOf(service, [service.publicKey(2), service.secret(2)])
    await expectRefused(other.verify(body, headers), 'signature_mismatch')
    for (const receiver of [bySecret, byPublicKey, byBoth]) {
      await expectRefused(receiver.verify(body.replace('100', '900'), headers), 'signature_mismatch')
      const changes = [{ 'webhook-id': 'evt_2' }, { 'webhook-timestamp': String(NOW_SECONDS + 1) }]
      for (const change of changes)
        await expectRefused(receiver.verify(body, { ...headers, ...change }), 'signature_mismatch')
    }
  })

  test('is verified by a replaced key pair during its overlap', async () => {
    const both = service.sign(body, [2, 1])
    for (const fill of [1, 2]) {
      await receiverOf(service, service.publicKey(fill)).verify(body, both)
      await receiverOf(service, service.secret(fill)).verify(body, both)
    }
    await receiverOf(service, [service.publicKey(3), service.publicKey(1)]).verify(body, both)
  })

  test('tries a limited number of pairs of key and signature', async () => {
    const receiver = receiverOf(service, [2, 3, 4, 5, 6, 7, 8, 9].map(service.publicKey))
    await expectRefused(
      receiver.verify(body, withSignature(Array(8).fill(v1a).join(' '))),
      'signature_mismatch',
    )
    const many = withSignature(Array(9).fill(v1a).join(' '))
    await expectRefused(receiver.verify(body, many), 'signature_too_many_entries')
    const beyond = withSignature(Array(17).fill(v1).join(' '))
    await expectRefused(bySecret.verify(body, beyond), 'signature_too_many_entries')
  })

  test('needs complete public keys, not private ones', () => {
    const codeOf = (secrets: string) => configurationError(() => receiverOf(service, secrets)).code
    expect(codeOf(`whsk_${'A'.repeat(43)}=`)).toBe('secret_is_private_key')
    expect(codeOf(service.publicKey(1).slice(0, -2))).toBe('public_key_malformed')
    expect(codeOf('whpk_AAAA')).toBe('public_key_malformed')
    expect(codeOf(service.stored(1))).toBe('secret_not_base64')
  })
})

test('a service that signs only with key pairs has no use for a secret', async () => {
  const service = signedBy([KEY_PAIR])
  const body = service.body()
  await receiverOf(service, service.publicKey(1)).verify(body, service.sign(body))
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  expect(configurationError(() => receiverOf(service, secret)).code).toBe('secret_not_used')
  const create = () =>
    profileReceiver({ profile: service.document, secrets: service.publicKey(1), minKeyBytes: 16 })
  expect(configurationError(create).code).toBe('option_unsupported')
})

test('a public key is never used as an HMAC secret', () => {
  const utf8 = signedBy([{ ...HMAC, secret: 'utf8' }], { secret: { prefix: '' } })
  const publicKey = signedBy([KEY_PAIR]).publicKey(1)
  expect(configurationError(() => receiverOf(utf8, publicKey)).code).toBe('secret_not_used')
})

describe.each([
  ['hmac-sha256', 'hex', { secret: 'hex' }, { encoding: 'hex', prefix: 'sk-' }],
  ['hmac-sha512', 'hex', { secret: 'utf8' }, { encoding: 'base64url', prefix: '' }],
  ['hmac-sha512', 'base64', { secret: 'base64-after-prefix' }, {}],
  ['ed25519', 'hex', {}, {}],
])('%s in %s with the secret %j', (algorithm, encoding, form, secret) => {
  test.each([
    ['v1={signature}', ','],
    ['{signature}', ' '],
    ['"{signature}"', ', '],
    ['k{{1}:{signature};', ''],
    ['{signature}', '/'],
  ])('as %s joined by %j', async (each, join) => {
    const signature = { content: CONTENT, algorithm, encoding, each, join, most: 4, ...form }
    const service = signedBy([signature], { secret })
    const keyOf = algorithm === 'ed25519' ? service.publicKey : service.secret
    const body = service.body()
    const headers = service.sign(body, [3, 2, 1])
    for (const fill of [1, 2, 3]) await receiverOf(service, keyOf(fill)).verify(body, headers)
    const all = receiverOf(service, [4, 1].map(keyOf))
    await all.verify(body, headers)
    await expectRefused(all.verify(`${body} `, headers), 'signature_mismatch')
    await expectRefused(receiverOf(service, keyOf(4)).verify(body, headers), 'signature_mismatch')
  })
})

describe('two kinds that look alike', () => {
  const shared = { encoding: 'hex', each: '{signature}', join: ',', most: 2 }
  const hmac = { ...shared, content: CONTENT, algorithm: 'hmac-sha512', secret: 'utf8' }
  const service = signedBy([hmac, { ...shared, content: CONTENT, algorithm: 'ed25519' }])
  const body = service.body()

  test('are each tried as both', async () => {
    const headers = service.sign(body, [2, 1])
    for (const key of [service.secret(1), service.publicKey(1)])
      await receiverOf(service, key).verify(body, headers)
  })
})

describe('a receiver with keys for only one kind, which signs less content', () => {
  const WEAK = { ...KEY_PAIR, content: '{body}' }
  const members = { envelope: { members: [{ path: 'data', field: 'data' }] } }
  const sender = signedBy([WEAK], members)
  const body = sender.body()
  const headers = sender.sign(body)
  const profile = profileWith({ signatures: [HMAC, WEAK], ...members })
  const secrets = sender.publicKey(1)

  test('accepts unsigned parts as if no other kind existed', async () => {
    const receiver = profileReceiver({ profile, secrets })
    for (const changes of [{}, { 'webhook-id': 'evt_2' }, { 'webhook-timestamp': '1' }]) {
      const sent = { ...headers, ...changes }
      const verified = await receiver.verify(body, sent)
      expect(verified).toEqual(await receiverOf(sender, secrets).verify(body, sent))
      expect(verified.timestamp).toBeNull()
    }
  })

  test('has no tolerance, since it has no time', () => {
    const create = () => profileReceiver({ profile, secrets, toleranceSeconds: 60 })
    expect(configurationError(create).code).toBe('option_unsupported')
  })

  test('rejects an id that differs from the signed body', async () => {
    const withId = { envelope: { members: [{ path: 'id', field: 'id' }, ...members.envelope.members] } }
    const service = signedBy([WEAK], withId)
    const receiver = profileReceiver({
      profile: profileWith({ signatures: [HMAC, WEAK], ...withId }),
      secrets: service.publicKey(1),
    })
    const sent = service.sign(service.body())
    expect((await receiver.verify(service.body(), sent)).id).toBe('evt_1')
    await expectRefused(receiver.verify(service.body(), { ...sent, 'webhook-id': 'evt_2' }), 'id_mismatch')
  })
})
