import { createPublicKey, verify } from 'node:crypto'
import * as noble from '@noble/ed25519'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ed25519Key } from '../../src/profiles/ed25519Key.ts'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hex = (of: Uint8Array) => Buffer.from(of).toString('hex')

/** RFC 8032, section 7.1: the messages that are UTF-8. */
const VECTORS = [
  {
    name: 'TEST 1',
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    name: 'TEST 2',
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: 'r',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
]

/** The others have binary messages: a body is text. */
const KEYS = [
  {
    name: 'TEST 3',
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
  },
  {
    name: 'TEST 1024',
    seed: 'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
    publicKey: '278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e',
  },
  {
    name: 'TEST SHA(abc)',
    seed: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    publicKey: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
  },
]

describe('an Ed25519 key', () => {
  test.each([...VECTORS, ...KEYS])('has the public key of $name of RFC 8032', ({ seed, publicKey }) => {
    expect(hex(new Ed25519Key(bytes(seed)).publicKey)).toBe(publicKey)
  })

  test.each(VECTORS)('creates the signature of $name of RFC 8032', ({ seed, message, signature }) => {
    const key = new Ed25519Key(bytes(seed))
    expect(key.sign('', message, 'hex')).toBe(signature)
    expect(key.sign(message, '', 'hex')).toBe(signature)
    expect(key.sign('', message, 'base64')).toBe(Buffer.from(signature, 'hex').toString('base64'))
  })

  test('signs like another implementation, whatever the seed and the texts are', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
    await fc.assert(
      fc.asyncProperty(seeds, text, text, async (seed, prefix, body) => {
        const key = new Ed25519Key(seed)
        const message = Buffer.concat([Buffer.from(prefix), Buffer.from(body)])
        expect(hex(key.publicKey)).toBe(hex(await noble.getPublicKeyAsync(seed)))
        expect(key.sign(prefix, body, 'hex')).toBe(hex(await noble.signAsync(message, seed)))
      }),
      { numRuns: 30 },
    )
  })

  test('signs long bodies, which both implementations verify', async () => {
    const key = new Ed25519Key(new Uint8Array(32).fill(5))
    const message = Buffer.from(`id.${'ü'.repeat(300_000)}`)
    const signature = Buffer.from(key.sign('id.', 'ü'.repeat(300_000), 'base64'), 'base64')
    const x = Buffer.from(key.publicKey).toString('base64url')
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    expect(verify(null, message, publicKey, signature)).toBe(true)
    expect(await noble.verifyAsync(signature, message, key.publicKey)).toBe(true)
  })
})
