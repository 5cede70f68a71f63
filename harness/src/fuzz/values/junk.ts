import fc from 'fast-check'

/** Strings that break stores, parsers, headers, logs and screens. */
const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00',
  '\u202egnp.exe',
  '\ufeff',
  '\u2028',
  '\r\nx-injected: 1',
  '\u001b[2J',
  '%00',
  '%',
  '../../etc/passwd',
  "'; DROP TABLE events; --",
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e999',
  '9007199254740993',
  'webhook.test',
  'evt_',
  'evt_.',
  'ws_',
  '00000000-0000-0000-0000-000000000000',
  'urn:uuid:0196f2a0-0000-7000-8000-000000000001',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '1970-01-01T00:00:00.000000000000Z',
  'https://127.0.0.1:1/',
  'http://[::1]/',
  'https://user:pass@hooks.example.com/',
  'https://169.254.169.254/latest/meta-data/',
  'javascript:alert(1)',
  'é'.normalize('NFD'),
  '👩‍👩‍👧‍👦',
  'ﷺ',
  'x'.repeat(300),
  'x'.repeat(5_000),
] as const

/** Numbers at the limits of JSON, doubles, and integers of 32 and 64 bits. */
const ODD_NUMBERS = [
  0,
  -0,
  -1,
  0.5,
  1e-7,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 63),
  1e21,
  1e308,
  -1.7976931348623157e308,
  5e-324,
]

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  // Any 16 bits, including lone surrogates.
  {
    weight: 1,
    arbitrary: fc.array(fc.nat(0xffff), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
  },
)

const { anyJson } = fc.letrec<{ anyJson: unknown }>((tie) => ({
  anyJson: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    oddText,
    fc.constantFrom(...ODD_NUMBERS),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('anyJson'), { maxLength: 3 }),
    fc
      .array(fc.tuple(oddText, tie('anyJson')), { maxLength: 3 })
      .map((members) => Object.fromEntries(members)),
  ),
}))

/** Any JSON, mostly unexpected values. */
export const junk: fc.Arbitrary<unknown> = anyJson
