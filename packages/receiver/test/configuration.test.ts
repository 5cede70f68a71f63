import { describe, expect, test, vi } from 'vitest'
import { createReceiver } from '../src/index.ts'
import {
  configurationError,
  SERVICE_SECRET,
  STANDARD_SECRET,
  serviceReceiver,
  standardReceiver,
  untyped,
} from './support.ts'

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`

describe('a secret is rejected at creation, with the reason', () => {
  test.each([
    [secretOf(23), 'secret_too_short'],
    [secretOf(65), 'secret_too_long'],
    [` ${STANDARD_SECRET}`, 'secret_has_whitespace'],
    [`${STANDARD_SECRET}\n`, 'secret_has_whitespace'],
    [`v1,${STANDARD_SECRET}`, 'secret_has_version_prefix'],
    [STANDARD_SECRET.slice(6), 'secret_prefix_missing'],
    [`WHSEC_${STANDARD_SECRET.slice(6)}`, 'secret_prefix_missing'],
    [STANDARD_SECRET.slice(0, -1), 'secret_not_base64'],
    [`whsec_${Buffer.alloc(33, 0xfb).toString('base64url')}`, 'secret_not_base64'],
    [`whsec_${STANDARD_SECRET.slice(6, 20)} ${STANDARD_SECRET.slice(20)}`, 'secret_not_base64'],
    ['', 'secret_empty'],
  ])('standard %j: %s', (secrets, code) => {
    expect(configurationError(() => standardReceiver({ secrets })).code).toBe(code)
  })

  test.each([
    ['x'.repeat(15), 'secret_too_short'],
    ['x'.repeat(1025), 'secret_too_long'],
    [`${SERVICE_SECRET} `, 'secret_has_whitespace'],
    [STANDARD_SECRET, 'secret_not_service'],
    ['\ud800'.repeat(16), 'secret_not_unicode'],
    ['', 'secret_empty'],
  ])('service %j: %s', (secrets, code) => {
    expect(configurationError(() => serviceReceiver({ secrets })).code).toBe(code)
  })

  test('and none of the messages repeats it', () => {
    const secrets = `whsec_${'topsecret'.repeat(4)}!`
    expect(configurationError(() => standardReceiver({ secrets })).message).not.toContain('topsecret')
  })

  test('and among several the message says which', () => {
    const error = configurationError(() => standardReceiver({ secrets: [STANDARD_SECRET, 'whsec_AA=='] }))
    expect(error.message).toMatch(/^Secret 2 of 2: /)
  })
})

test('keys of 24 to 64 bytes are accepted for standard, and from 16 bytes for service', () => {
  for (const bytes of [24, 64]) standardReceiver({ secrets: secretOf(bytes) })
  serviceReceiver({ secrets: 'x'.repeat(16) })
})

test('a shorter key is accepted only on request, and never below 16 bytes', () => {
  standardReceiver({ secrets: secretOf(18), minKeyBytes: 18 })
  expect(configurationError(() => standardReceiver({ secrets: secretOf(17), minKeyBytes: 18 })).code).toBe(
    'secret_too_short',
  )
  for (const minKeyBytes of [15, 0, -1, 16.5, Number.NaN, 65]) {
    expect(configurationError(() => standardReceiver({ minKeyBytes })).code).toBe('min_key_bytes_invalid')
  }
})

test.each([
  [[], 'secrets_missing'],
  [undefined, 'secrets_missing'],
  [[undefined], 'secrets_missing'],
  [Array(9).fill(STANDARD_SECRET), 'secrets_too_many'],
  [42, 'secret_not_string'],
  [[STANDARD_SECRET, null], 'secret_not_string'],
])('the secrets %j: %s', (secrets, code) => {
  const create = () => createReceiver({ scheme: 'standard', secrets: untyped(secrets) })
  expect(configurationError(create).code).toBe(code)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, '300'])(
  'the tolerance %j is rejected',
  (toleranceSeconds) => {
    expect(
      configurationError(() => standardReceiver({ toleranceSeconds: untyped(toleranceSeconds) })).code,
    ).toBe('tolerance_invalid')
  },
)

test.each([Number.NaN, Number.POSITIVE_INFINITY, 0, 1.5, '1'])(
  'the body limit %j is rejected',
  (maxBodyBytes) => {
    expect(configurationError(() => serviceReceiver({ maxBodyBytes: untyped(maxBodyBytes) })).code).toBe(
      'max_body_bytes_invalid',
    )
  },
)

test('a clock that is not a function is rejected', () => {
  expect(configurationError(() => standardReceiver({ now: untyped(NOW) })).code).toBe('clock_invalid')
})

const NOW = 1_767_225_600_000

test('a tolerance for the scheme that signs no timestamp is rejected, since it would protect nothing', () => {
  for (const option of [{ toleranceSeconds: 60 }, { now: () => NOW }]) {
    expect(configurationError(() => serviceReceiver(untyped(option))).code).toBe('option_unsupported')
  }
})

test('an unknown scheme is rejected', () => {
  const create = () => createReceiver(untyped({ scheme: 'v1', secrets: STANDARD_SECRET }))
  expect(configurationError(create).code).toBe('scheme_unknown')
})

test('a runtime without Web Crypto is rejected', () => {
  vi.stubGlobal('crypto', undefined)
  try {
    expect(configurationError(() => standardReceiver()).code).toBe('web_crypto_unavailable')
  } finally {
    vi.unstubAllGlobals()
  }
})
