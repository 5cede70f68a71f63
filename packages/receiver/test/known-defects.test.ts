import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import {
  bytesOf,
  CONTENT_EVENT,
  configurationError,
  expectRefused,
  MESSAGE_ID,
  NOW_SECONDS,
  OTHER_STANDARD_SECRET,
  STANDARD_SECRET,
  serviceReceiver,
  standardHeaders,
  standardReceiver,
} from './support.ts'

// Each defect is shown in a library that has it, then shown to be absent here.

const body = JSON.stringify(CONTENT_EVENT)

function withLibraryClock<T>(run: () => T): T {
  vi.useFakeTimers({ now: NOW_SECONDS * 1000, toFake: ['Date'] })
  try {
    return run()
  } finally {
    vi.useRealTimers()
  }
}

describe('a timestamp that is not plain decimal seconds', () => {
  const headers = standardHeaders(body)
  const lenient = [' 1767225600', '1767225600abc', '1767225600.9', '+1767225600', '01767225600']
  const refused = [
    ...lenient,
    '1767225600 ',
    '1e9',
    '0',
    '-1767225600',
    '',
    '0x6955b900',
    '1767225600000',
    '１７６７２２５６００',
  ]

  test.each(lenient)('%j passes in standardwebhooks, and is rejected here', async (timestamp) => {
    const changed = { ...headers, 'webhook-timestamp': timestamp }
    expect(() => withLibraryClock(() => new Webhook(STANDARD_SECRET).verify(body, changed))).not.toThrow()
    await expectRefused(standardReceiver().verify(body, changed), 'timestamp_malformed')
  })

  test.each(refused)('%j is rejected', async (timestamp) => {
    await expectRefused(
      standardReceiver().verify(body, { ...headers, 'webhook-timestamp': timestamp }),
      'timestamp_malformed',
    )
  })
})

describe('two bodies that decode to the same text', () => {
  const invalid = Buffer.from('22ff22', 'hex')
  const alsoInvalid = Buffer.from('22fe22', 'hex')

  test('share a signature in standardwebhooks', () => {
    const library = new Webhook(STANDARD_SECRET)
    const at = new Date(NOW_SECONDS * 1000)
    expect(library.sign(MESSAGE_ID, at, invalid)).toBe(library.sign(MESSAGE_ID, at, alsoInvalid))
  })

  test('do not share a signature here', async () => {
    const headers = standardHeaders(invalid)
    await standardReceiver().verifySignature(invalid, headers)
    await expectRefused(standardReceiver().verifySignature(alsoInvalid, headers), 'signature_mismatch')
  })

  test('as strings with a lone surrogate are rejected for having no bytes', async () => {
    await expectRefused(standardReceiver().verify('"\ud800"', standardHeaders('"\ufffd"')), 'body_not_raw')
  })
})

describe('the inputs that fetch and node:http provide', () => {
  const headers = standardHeaders(body)

  test('are rejected by standardwebhooks', () => {
    const library = new Webhook(STANDARD_SECRET)
    withLibraryClock(() => {
      expect(() => library.verify(body, new Headers(headers) as never)).toThrow('Missing required headers')
      expect(() => library.verify(bytesOf(body) as never, headers)).toThrow('string or Buffer')
      const arrays = { ...headers, 'webhook-signature': [headers['webhook-signature']] }
      expect(() => library.verify(body, arrays as never)).toThrow()
    })
  })

  test.each([
    ['a fetch Headers', new Headers(headers)],
    [
      'array-valued headers',
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ],
    ['a Map', new Map(Object.entries(headers))],
    ['pairs', Object.entries(headers)],
    ['rawHeaders of node:http', Object.entries(headers).flat()],
    ['upper-case names', Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toUpperCase(), v]))],
  ])('%s is accepted', async (_form, form) => {
    expect((await standardReceiver().verify(body, form)).id).toBe(MESSAGE_ID)
  })

  test.each([
    ['a Uint8Array', bytesOf(body)],
    ['a view into a larger buffer', new Uint8Array(Buffer.from(`xx${body}xx`)).subarray(2, -2)],
    ['a Buffer', Buffer.from(body)],
    ['an ArrayBuffer', Uint8Array.from(bytesOf(body)).buffer],
    ['a string', body],
  ])('%s as a body is accepted', async (_form, form) => {
    expect((await standardReceiver().verify(form, headers)).event).toEqual(CONTENT_EVENT)
  })
})

describe('the tolerance and the clock', () => {
  test('can be set', async () => {
    const now = () => (NOW_SECONDS + 3600) * 1000
    const headers = standardHeaders(body)
    await expectRefused(standardReceiver({ now }).verify(body, headers), 'timestamp_too_old')
    await standardReceiver({ now, toleranceSeconds: 3600 }).verify(body, headers)
    await expectRefused(
      standardReceiver({ now, toleranceSeconds: 3599.9 }).verify(body, headers),
      'timestamp_too_old',
    )
  })
})

describe('a secret that is far too short', () => {
  test('passes in standardwebhooks', () => {
    expect(() => new Webhook('whsec_AA==')).not.toThrow()
  })

  test.each([
    ['whsec_AA==', 'secret_too_short'],
    ['whsec_', 'secret_too_short'],
    ['', 'secret_empty'],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, 'secret_too_short'],
  ])('%j is rejected here with %s', (secrets, code) => {
    expect(configurationError(() => standardReceiver({ secrets })).code).toBe(code)
  })

  test.each([
    ['a', 'secret_too_short'],
    ['', 'secret_empty'],
    ['x'.repeat(15), 'secret_too_short'],
  ])('%j is rejected for the service scheme with %s', (secrets, code) => {
    expect(configurationError(() => serviceReceiver({ secrets })).code).toBe(code)
  })
})

describe('a signature header with 100,000 entries', () => {
  const valid = standardHeaders(body)

  test('is rejected only for its length', async () => {
    const many = `${`${valid['webhook-signature']} `.repeat(100_000)}${valid['webhook-signature']}`
    await expectRefused(
      standardReceiver().verify(body, { ...valid, 'webhook-signature': many }),
      'signature_too_long',
    )
  })

  test('passes in standardwebhooks', () => {
    const wrong = standardHeaders(body, { secrets: [OTHER_STANDARD_SECRET] })['webhook-signature']
    const many = `${`${wrong} `.repeat(1000)}${valid['webhook-signature']}`
    expect(() =>
      withLibraryClock(() =>
        new Webhook(STANDARD_SECRET).verify(body, { ...valid, 'webhook-signature': many }),
      ),
    ).not.toThrow()
  })

  test('in short entries is rejected for their number', async () => {
    const many = 'v0,x '.repeat(16) + valid['webhook-signature']
    await expectRefused(
      standardReceiver().verify(body, { ...valid, 'webhook-signature': many }),
      'signature_too_many_entries',
    )
  })

  test('with no more than 16 entries passes', async () => {
    const several = 'v0,x '.repeat(15) + valid['webhook-signature']
    await standardReceiver().verify(body, { ...valid, 'webhook-signature': several })
  })
})

describe('a secret pasted as "v1,whsec_…"', () => {
  test('fails in standardwebhooks without a reason', () => {
    expect(() => new Webhook(`v1,${STANDARD_SECRET}`)).toThrow(/^(?!.*whsec_)/)
  })

  test('is rejected here with the part to remove, and the secret is not repeated', () => {
    const error = configurationError(() => standardReceiver({ secrets: `v1,${STANDARD_SECRET}` }))
    expect(error.code).toBe('secret_has_version_prefix')
    expect(error.message).toContain('Remove "v1,": it begins with "whsec_"')
    expect(error.message).not.toContain(STANDARD_SECRET.slice(6))
  })
})
