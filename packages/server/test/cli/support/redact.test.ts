import { describe, expect, test } from 'vitest'
import { CREDENTIALS, redact } from '../../../src/cli/support/redact.ts'

const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  'DEK-Info: AES-128-CBC,ABCDEF',
  '',
  'MIIEowIBAAKCAQEA1234567890abcdefghijklmnopqrstuvwxyz',
  '-----END RSA PRIVATE KEY-----',
]

describe('a text loses', () => {
  test.each([
    ['postgres://mira:secret@db:5432/posthorn', 'postgres://[removed]@db:5432/posthorn'],
    ['smtp://mira:a@b@mail:25', 'smtp://[removed]@mail:25'],
    ['http://token@proxy:3128', 'http://[removed]@proxy:3128'],
    ['"authorization":"Bearer abcdefgh12345"', '"authorization":"Bearer [removed]"'],
    ['Authorization=Bearer%20abcdefgh12345', 'Authorization=Bearer%20[removed]'],
    ['Basic bWlyYTpzZWNyZXQtc2VjcmV0', 'Basic [removed]'],
    ['key phk_0123456789abcdefABCDEF was', 'key [removed] was'],
    ['pht_0123456789abcdefABCDEF', '[removed]'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[removed]'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n', '[removed]\n'],
    ['"-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----"', '"[removed]"'],
    ['whsec_abc%2Fdefghijklmnop%3D', '[removed]'],
    ['Bearer abc%2Fdefgh12345', 'Bearer [removed]'],
    [`${PEM.join('\n')}\nafter`, '[removed]\nafter'],
    [`${PEM.map((line) => `10:00 app ${line}`).join('\n')}\nafter`, '10:00 app [removed]\nafter'],
    [`${PEM.slice(4).join('\n')}\nafter`, '[removed]\nafter'],
    [`before\n${PEM.slice(0, 5).join('\n')}`, 'before\n[removed]'],
    ['id eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl.', 'id [removed].'],
    ['authorization: Token abcdefgh1234', 'authorization: Token [removed]'],
    ['x-api-key=abcdefgh1234, b', 'x-api-key=[removed], b'],
    ['{"client_secret":"abcdefgh1234"}', '{"client_secret":"[removed]"}'],
    ['{"text":"{\\"password\\":\\"abcdefgh1234\\"}"}', '{"text":"{\\"password\\":\\"[removed]\\"}"}'],
    ['Cookie: a=abcdefgh; b=c', 'Cookie: [removed]'],
    ['"GET /callback?code=abc&state=d HTTP/1.1"', '"GET /callback?[removed] HTTP/1.1"'],
    ['to https://hooks.acme.com/t/4f2?sig=1 failed', 'to https://hooks.acme.com/[removed] failed'],
    ['(https://acme.com:8443/a).', '(https://acme.com:8443/[removed]).'],
    ['https://acme.com?a=b', 'https://acme.com/[removed]'],
    ['postgres://db/posthorn?sslmode=require', 'postgres://db/posthorn?[removed]'],
    ['to mira.b+x@mail.acme.com.', 'to [e-mail address removed].'],
  ])('%s', (text, redacted) => expect(redact(text).text).toBe(redacted))
})

test.each([
  'GET /v1/workspaces/:workspace/events',
  'posthorn_attempts_total{outcome="delivered"} 5',
  'https://hooks.acme.com answers, http://127.0.0.1:8080/ too',
  'basic facts of the phone_number_of_somebody',
  'bearer of news',
  'POSTHORN_ADMIN_TOKEN: set one of 32 characters',
  '{"credential":"admin_token","code":"key_invalid"}',
  'smtp password: ********',
])('%s stays', (text) => expect(redact(text)).toEqual({ text, credentials: [] }))

test('redacted text has nothing more to redact, and JSON stays JSON', () => {
  const values = [
    'https://mira:secret@acme.com/path?query#hash',
    'Bearer abcdefgh12345 and phk_0123456789abcdefABCDEF',
    'a "quoted" mira@acme.com\n\\',
    'smtp://mira:********@mail.example.com:465',
  ]
  const { text } = redact(JSON.stringify(values))
  expect(JSON.parse(text)).toHaveLength(values.length)
  expect(redact(text)).toEqual({ text, credentials: [] })
  for (const { pattern } of CREDENTIALS) expect(text.search(pattern)).toBe(-1)
})

test('credentials are counted by their form', () => {
  const { credentials } = redact('phk_0123456789abcdefABCDEF Bearer abcdefgh12345 phs_0123456789abcdefABCDEF')
  expect([...credentials].sort()).toEqual([
    'a bearer token',
    'a key, token or link of Posthorn',
    'a key, token or link of Posthorn',
  ])
})

test.each([
  'a',
  'a.',
  'http://',
  'Bearer ',
  'a@',
  'whsec_',
  '-----BEGIN PRIVATE KEY-----',
  'ph',
  'https://a?',
  'a://',
  'a://?',
  'eyJaaaaaaaa.',
  'cookie:',
  'token = ',
  '-----END PRIVATE KEY-----',
  '"/',
])('a megabyte of %j takes less than two seconds', (word) => {
  const text = word.repeat((1024 * 1024) / word.length)
  const begun = performance.now()
  redact(text)
  expect(performance.now() - begun).toBeLessThan(2000)
})
