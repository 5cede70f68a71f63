import { describe, expect, test } from 'vitest'
import {
  now,
  profileFile,
  profileReceiver,
  profileWith,
  receiverOf,
  signingService,
} from '../signingService.ts'
import { configurationError, SERVICE_SECRET, STANDARD_SECRET, untyped } from '../support.ts'

const SIGNATURE = profileFile('standard').signatures![0]!
const signedBy = (changes: object) => ({ signatures: [{ ...SIGNATURE, ...changes }] })
const PUBLIC_KEY = `whpk_${'A'.repeat(43)}=`
const sparse: unknown[] = []
sparse.length = 1

const errorOf = (profile: unknown, options: object = {}) =>
  configurationError(() => profileReceiver(untyped({ profile, secrets: STANDARD_SECRET, ...options })))

describe('an invalid profile is rejected, and the position is named', () => {
  test.each<[object, string]>([
    [{ profile: 2 }, '/profile'],
    [{ profile: '1' }, '/profile'],
    [{ headers: null }, '/headers'],
    [{ headers: ['x'] }, '/headers'],
    [{ headers: { 'X-Id': '{id}' } }, '/headers'],
    [{ headers: { A: '{signatures}', B: '{signatures}' } }, '/headers'],
    [{ headers: { A: '{signatures}', a: '{id}' } }, '/headers/a'],
    [{ headers: { A: '{signatures}', 'a/~b': '' } }, '/headers/a~1~0b'],
    [{ headers: { A: 7 } }, '/headers/A'],
    [{ headers: { A: '{signatures}', B: '{secret}' } }, '/headers/B'],
    [{ headers: { A: '{signatures}', B: '{id' } }, '/headers/B'],
    [{ headers: { A: '{signatures}', B: 'ż' } }, '/headers/B'],
    [{ headers: { A: `{signatures}${'x'.repeat(256)}` } }, '/headers/A'],
    [{ signatures: {} }, '/signatures'],
    [{ signatures: [] }, '/signatures'],
    [{ signatures: [SIGNATURE, SIGNATURE, SIGNATURE] }, '/signatures'],
    [{ signatures: sparse }, '/signatures/0'],
    [{ signatures: ['v1'] }, '/signatures/0'],
    [signedBy({ content: '{body}.{id}' }), '/signatures/0/content'],
    [signedBy({ content: '{id}' }), '/signatures/0/content'],
    [signedBy({ content: '{{body}' }), '/signatures/0/content'],
    [signedBy({ content: undefined }), '/signatures/0/content'],
    [signedBy({ algorithm: 'none' }), '/signatures/0/algorithm'],
    [signedBy({ algorithm: 'constructor' }), '/signatures/0/algorithm'],
    [signedBy({ algorithm: 'ed25519' }), '/signatures/0/secret'],
    [signedBy({ encoding: 'base64url' }), '/signatures/0/encoding'],
    [signedBy({ secret: 'toString' }), '/signatures/0/secret'],
    [signedBy({ secret: undefined }), '/signatures/0/secret'],
    [signedBy({ each: 'v1' }), '/signatures/0/each'],
    [signedBy({ each: '{signature}{signature}' }), '/signatures/0/each'],
    [signedBy({ join: 3 }), '/signatures/0/join'],
    [signedBy({ join: undefined }), '/signatures/0/join'],
    [signedBy({ most: 17 }), '/signatures/0/most'],
    [signedBy({ most: 1.5 }), '/signatures/0/most'],
    [signedBy({ salt: 'x' }), '/signatures/0/salt'],
    [{ signatures: [{ ...SIGNATURE, join: undefined, most: 1 }, SIGNATURE] }, '/signatures/0/join'],
    [
      {
        signatures: [
          { ...SIGNATURE, join: '' },
          { ...SIGNATURE, each: '{signature}' },
        ],
      },
      '/signatures/0/join',
    ],
    [{ secret: { prefix: 5 } }, '/secret/prefix'],
    [{ secret: 'whsec_' }, '/secret'],
    [{ secret: { prefix: 'whpk_' } }, '/secret/prefix'],
    [{ secret: { prefix: 'whsk_test_' } }, '/secret/prefix'],
    [{ unsigned: 'yes' }, '/unsigned'],
    [{ unsigned: true }, '/unsigned'],
    [{ unsigned: true, signatures: [SIGNATURE] }, '/unsigned'],
    [{ unsigned: true, signatures: [] }, '/headers'],
    [{ envelope: {} }, '/envelope'],
    [{ envelope: { bare: true, members: [] } }, '/envelope'],
    [{ envelope: { bare: false } }, '/envelope/bare'],
    [{ envelope: { members: [{ field: 'id' }] } }, '/envelope/members/0/path'],
    [{ envelope: { members: [{ path: 'a..b' }] } }, '/envelope/members/0/path'],
    [{ envelope: { members: [{ path: 'a', field: 1 }] } }, '/envelope/members/0/field'],
    [{ envelope: { members: [{ path: 'a', as: 'iso' }] } }, '/envelope/members/0/as'],
  ])('%j: %s', (members, pointer) => {
    const error = errorOf(profileWith(members))
    expect([error.code, error.pointer]).toEqual(['profile_invalid', pointer])
    expect(error.message).toContain(`${pointer} in the profile `)
  })

  test.each([[null], [undefined], [[]], ['{"profile":1}'], [7]])('%j is not a profile', (profile) => {
    const error = errorOf(profile)
    expect(error.code).toBe('profile_invalid')
  })

  test('with all inherited parts left out', () => {
    const inherited: object = Object.create(profileWith({}))
    expect(errorOf(inherited).pointer).toBe('/profile')
    const polluted = JSON.parse('{"profile":1,"__proto__":{"signatures":[],"unsigned":true}}')
    profileReceiver({ profile: polluted, secrets: STANDARD_SECRET })
  })
})

describe('a profile that no receiver can verify is rejected, with the missing part', () => {
  const HEADERS = { 'X-Time': '{timestamp}', 'X-Signature': '{signatures}' }

  test.each([
    ['{type}.{body}', '{type}'],
    ['{timestamp}.{delivery_id}.{body}', '{delivery_id}'],
    ['{webhook_id}{timestamp}{body}', '{webhook_id}'],
  ])('%s', (content, missing) => {
    const error = errorOf(profileWith({ headers: HEADERS, ...signedBy({ content }) }))
    expect([error.code, error.pointer]).toEqual(['profile_not_verifiable', '/signatures/0/content'])
    expect(error.message).toContain(`signs ${missing}, which no header contains`)
  })

  test.each([
    [{ 'X-Ids': '{id}{type}' }, '{id}.{body}', '/headers/X-Ids'],
    [{ 'X-Signature': '{signatures}{timestamp}' }, '{body}', '/headers/X-Signature'],
    [{ 'X-Id': '{id}', 'X-Type': '{type}' }, '{type}{id}{body}', '/signatures/0/content'],
    [{ 'X-Type': '{type}' }, '{type}.{{{body}', '/signatures/0/content'],
  ])('%j with %s can be read in several ways', (headers, content, pointer) => {
    const error = errorOf(profileWith({ headers: { ...HEADERS, ...headers }, ...signedBy({ content }) }))
    expect([error.code, error.pointer]).toEqual(['profile_not_verifiable', pointer])
  })

  test('unless there is a key for another signature', async () => {
    const keyPair = { ...SIGNATURE, algorithm: 'ed25519', content: '{type}.{body}', each: 'v1a,{signature}' }
    const { secret: _, ...untold } = keyPair
    const service = signingService(profileWith({ signatures: [SIGNATURE] }))
    const profile = profileWith({ signatures: [SIGNATURE, untold] })
    const receiver = profileReceiver({ profile, secrets: service.secret(1), now })
    await receiver.verify(service.body(), service.sign(service.body()))
    expect(errorOf(profile, { secrets: PUBLIC_KEY }).pointer).toBe('/signatures/1/content')
  })

  test('but a header without signed content may have any form', async () => {
    const headers = { ...profileFile('standard').headers, 'X-Info': '{type}{attempt}', 'X-Version': '1' }
    const service = signingService(profileWith({ headers }))
    const verified = await receiverOf(service).verify(service.body(), service.sign(service.body()))
    expect(verified.attempt).toBeNull()
  })
})

describe('a profile whose signatures cover different content is rejected', () => {
  const HEADERS = {
    'X-Id': '{id}',
    'X-Time': '{timestamp}',
    'X-Type': '{type}',
    'X-Signature': '{signatures}',
  }
  const { secret: _, ...UNKEYED } = SIGNATURE
  const HMAC_512 = { algorithm: 'hmac-sha512' }
  const pair = (first: string, second: string, changes: object) =>
    profileWith({
      headers: HEADERS,
      signatures: [
        { ...SIGNATURE, content: first },
        {
          ...('algorithm' in changes && changes.algorithm === 'ed25519' ? UNKEYED : SIGNATURE),
          content: second,
          each: 'v2,{signature}',
          ...changes,
        },
      ],
    })

  test.each([
    ['{id}.{timestamp}.{body}', '{timestamp}.{body}', {}, '/signatures/1/content', 'missing: {id}'],
    ['{timestamp}.{body}', '{id}.{timestamp}.{body}', HMAC_512, '/signatures/0/content', 'missing: {id}'],
    ['{id}.{timestamp}.{body}', '{body}', HMAC_512, '/signatures/1/content', 'missing: {id}, {timestamp}'],
    ['{id}.{body}', '{timestamp:iso}.{body}', HMAC_512, '/signatures/0/content', 'missing: {timestamp:iso}'],
  ])('%s and %s', (first, second, changes, pointer, lacks) => {
    const error = errorOf(pair(first, second, changes))
    expect([error.code, error.pointer]).toEqual(['profile_not_verifiable', pointer])
    expect(error.message).toContain(`must sign the same values as the other signature`)
    expect(error.message).toContain(lacks)
  })

  test.each([
    ['{id}.{timestamp}.{body}', '{timestamp}.{id}.{body}'],
    ['{id}.{body}', 'v2.{id}.{body}'],
    ['{id}:{type}:{body}', '{type}:{id}:{body}'],
    ['{body}', 'v2{body}'],
  ])('%s and %s with the same key, since one signature could be sent as the other', (first, second) => {
    const error = errorOf(pair(first, second, {}))
    expect([error.code, error.pointer]).toEqual(['profile_not_verifiable', '/signatures/1/content'])
    expect(error.message).toContain('both use the same key')
    profileReceiver({ profile: pair(first, second, HMAC_512), secrets: STANDARD_SECRET })
  })

  test.each([
    ['{id}.{timestamp}.{body}', '{id}.{timestamp}.{body}', {}],
    ['{id}.{timestamp}.{body}', '{id}.{timestamp:iso}.{body}', {}],
    ['v1.{id}.{body}', 'v2:{id}.{body}', {}],
    ['{id}.{timestamp}.{body}', '{timestamp:iso}:{id}:{body}', HMAC_512],
  ])('but not %s and %s', (first, second, changes) => {
    profileReceiver({ profile: pair(first, second, changes), secrets: STANDARD_SECRET })
  })

  test('unless there are keys for one of them only', () => {
    const profile = pair('{id}.{timestamp}.{body}', '{timestamp}.{body}', { algorithm: 'ed25519' })
    for (const secrets of [STANDARD_SECRET, PUBLIC_KEY]) profileReceiver({ profile, secrets })
    const error = errorOf(profile, { secrets: [STANDARD_SECRET, PUBLIC_KEY] })
    expect([error.code, error.pointer]).toEqual(['profile_not_verifiable', '/signatures/1/content'])
  })
})

describe('options that do not match a profile', () => {
  const unsigned = profileWith({ signatures: [], unsigned: true, headers: {} })

  test('an unsigned profile needs acceptUnsigned', () => {
    const create = (options: object) => profileReceiver(untyped({ profile: unsigned, ...options }))
    for (const options of [{}, { acceptUnsigned: false }, { acceptUnsigned: 'yes' }, { secrets: 'x' }])
      expect(configurationError(() => create(options)).code).toBe('profile_unsigned')
    for (const options of [{ secrets: STANDARD_SECRET }, { minKeyBytes: 16 }, { toleranceSeconds: 1 }])
      expect(configurationError(() => create({ acceptUnsigned: true, ...options })).code).toBe(
        'option_unsupported',
      )
  })

  test.each([
    [profileWith({}), { acceptUnsigned: true }, 'option_unsupported'],
    [profileFile('github'), { secrets: SERVICE_SECRET, toleranceSeconds: 60 }, 'option_unsupported'],
    [profileFile('shopify'), { secrets: SERVICE_SECRET, now: Date.now }, 'option_unsupported'],
    [profileWith({}), { secrets: undefined }, 'secrets_missing'],
    [profileWith({}), { secrets: Array(9).fill(STANDARD_SECRET) }, 'secrets_too_many'],
    [profileWith({}), { secrets: SERVICE_SECRET }, 'secret_prefix_missing'],
    [profileWith({}), { minKeyBytes: 65 }, 'min_key_bytes_invalid'],
    [
      profileWith({ secret: { prefix: '' }, ...signedBy({ secret: 'hex' }) }),
      { secrets: 'AB'.repeat(24) },
      'secret_not_hex',
    ],
    [
      profileWith({ secret: { prefix: '' }, ...signedBy({ secret: 'hex' }) }),
      { secrets: 'ab'.repeat(23) },
      'secret_too_short',
    ],
  ])('%#: %j', (profile, options, code) => {
    expect(errorOf(profile, options).code).toBe(code)
  })
})
