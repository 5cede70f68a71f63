import { describe, expect, test } from 'vitest'
import {
  decodeSecret,
  formatSecret,
  formatSignature,
  isMessageId,
  joinSignatures,
  parseTimestampSeconds,
  SCHEMES,
  SchemeError,
  type SchemeErrorCode,
  type SignatureScheme,
  signedContentPrefix,
} from '../src/schemes.ts'

const { standard, service } = SCHEMES

function expectSchemeError(run: () => unknown, code: SchemeErrorCode): void {
  expect(run).toThrow(SchemeError)
  expect(run).toThrow(expect.objectContaining({ code }))
}

test('the scheme constants match the two contracts', () => {
  expect(Object.values(standard.headers)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  expect(Object.values(service.headers)).toEqual([
    'X-Service-Event',
    'X-Service-Delivery',
    'X-Service-Signature',
  ])
  expect(formatSignature(standard, new Uint8Array(32))).toBe(`v1,${'A'.repeat(43)}=`)
  expect(formatSignature(service, new Uint8Array(32).fill(0xab))).toBe(`sha256=${'ab'.repeat(32)}`)
  expect(signedContentPrefix(standard, { id: 'evt_1', timestampSeconds: 7 })).toBe('evt_1.7.')
  expect(signedContentPrefix(service, { id: 'evt_1', timestampSeconds: 7 })).toBe('')
})

test('a standard key is the decoded rest of the secret, a service key the bytes of its text', () => {
  const bytes = new Uint8Array(32).fill(0xfb)
  expect(decodeSecret(standard, `whsec_${Buffer.from(bytes).toString('base64')}`)).toEqual(bytes)
  expect(Buffer.from(decodeSecret(service, 'żółta-łódka-na-wodzie')).toString()).toBe('żółta-łódka-na-wodzie')
})

test('a new secret has its prefix and is always valid', () => {
  expect(formatSecret(standard, new Uint8Array(32))).toBe(`whsec_${'A'.repeat(43)}=`)
  expect(formatSecret(service, new Uint8Array(32).fill(0xff))).toBe(`${'_'.repeat(42)}8`)
  expectSchemeError(() => formatSecret(standard, new Uint8Array(23)), 'secret_too_short')
})

describe('joining signatures', () => {
  test('puts one space between the entries of a rotation', () => {
    expect(joinSignatures(standard, ['v1,new', 'v1,old'])).toBe('v1,new v1,old')
    expect(joinSignatures(service, ['sha256=00'])).toBe('sha256=00')
  })

  test('never creates a header that receivers reject', () => {
    expectSchemeError(() => joinSignatures(standard, []), 'signature_count')
    expectSchemeError(() => joinSignatures(standard, Array(17).fill('v1,x')), 'signature_count')
    expectSchemeError(() => joinSignatures(service, ['sha256=00', 'sha256=01']), 'signature_count')
    const longest = Array(16).fill(formatSignature(standard, new Uint8Array(32)))
    expect(joinSignatures(standard, longest).length).toBeLessThanOrEqual(standard.signature.maxLength)
  })
})

test('a MAC of another length is not formatted', () => {
  expectSchemeError(() => formatSignature(standard, new Uint8Array(20)), 'mac_malformed')
})

test('a request that a receiver would reject is not signed', () => {
  for (const id of ['', 'a.b', 'a b', 'a,b', 'ż', 'x'.repeat(257)]) {
    expect(isMessageId(id)).toBe(false)
    expectSchemeError(() => signedContentPrefix(standard, { id, timestampSeconds: 7 }), 'id_malformed')
  }
  for (const timestampSeconds of [0, -1, 1.5, Number.NaN, 1e21, 1_767_225_600_000]) {
    expect(parseTimestampSeconds(String(timestampSeconds))).toBeNull()
    expectSchemeError(
      () => signedContentPrefix(standard, { id: 'evt_1', timestampSeconds }),
      'timestamp_malformed',
    )
  }
})

test('the helpers support a third scheme defined only by data', () => {
  const toy: SignatureScheme = {
    name: 'toy',
    hash: 'SHA-256',
    macBytes: 32,
    headers: { signature: 'Toy-Signature' },
    signature: { prefix: 'toy:', encoding: 'hex', separator: ';', maxEntries: 2, maxLength: 256 },
    signedFields: ['timestamp'],
    secret: { prefix: 'toy_', encoding: 'base64', minKeyBytes: 16, maxKeyBytes: 64, randomBytes: 16 },
  }
  const secret = formatSecret(toy, new Uint8Array(16))
  expect(decodeSecret(toy, secret)).toEqual(new Uint8Array(16))
  expect(signedContentPrefix(toy, { id: '', timestampSeconds: 7 })).toBe('7.')
  const entry = formatSignature(toy, new Uint8Array(32))
  expect(joinSignatures(toy, [entry, entry])).toBe(`toy:${'00'.repeat(32)};toy:${'00'.repeat(32)}`)
})
