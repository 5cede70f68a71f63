import fc from 'fast-check'
import { oddText } from '../values/junk.ts'

export type Header = readonly [name: string, value: string]

/** The allowed characters of a header value; Node's client does not send any other. */
export const sendable = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 1_000)

const oddValue = oddText.map(sendable)

const header = (name: string, ...values: string[]): fc.Arbitrary<Header> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...values).map((value): Header => [name, value]) },
    { weight: 1, arbitrary: oddValue.map((value): Header => [name, value]) },
  )

/** Headers that a server must handle, whatever it does with them. */
export const oddHeaders: fc.Arbitrary<readonly Header[]> = fc.uniqueArray(
  fc.oneof(
    header(
      'content-type',
      'text/plain',
      'application/json; charset=utf-16',
      'application/json;;',
      'APPLICATION/JSON',
    ),
    header(
      'content-type',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ),
    header('content-type', 'application/merge-patch+json', 'application/problem+json', ''),
    header('content-encoding', 'gzip', 'identity', 'br, gzip', 'x'),
    header('accept', 'text/html', 'application/xml;q=0.1', '*/*;q=0', 'x'),
    header('accept-encoding', 'gzip', 'br;q=1.0, identity;q=0'),
    header('accept-language', 'de', '*'),
    header('expect', '100-continue', '200-ok'),
    header('if-match', '*', '"1"', 'W/"1"', '"', 'x', '"a","b"'),
    header('if-none-match', '*', '"1"'),
    header('if-modified-since', 'Sat, 14 Mar 2026 09:26:53 GMT', 'yesterday'),
    header('idempotency-key', 'again', 'again and again', 'x'.repeat(256), 'x'.repeat(900)),
    header('range', 'bytes=0-1', 'bytes=-1'),
    header('x-request-id', 'mine', 'x'.repeat(200), 'a b'),
    header('x-http-method-override', 'DELETE'),
    header('x-forwarded-for', '127.0.0.1', '10.0.0.1, ::1'),
    header('x-forwarded-host', 'evil.example'),
    header('host', 'evil.example', 'localhost:1', '[::1]', ''),
    header('origin', 'https://evil.example', 'null'),
    header('referer', 'https://evil.example/'),
    header('cookie', 'session=x', '__Host-session=x; a=b', ';;;='),
    header('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0'),
    fc.constant<Header>(['transfer-encoding', 'chunked']),
    header('connection', 'close', 'upgrade'),
    header('upgrade', 'h2c', 'websocket'),
    header('te', 'trailers'),
    header('prefer', 'return=minimal'),
    fc.tuple(fc.stringMatching(/^x-[a-z-]{1,20}$/), oddValue),
  ),
  { minLength: 1, maxLength: 4, selector: ([name]) => name },
)

/** Invalid values of `authorization`. */
export const oddAuthorizations: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'Bearer null',
    'Bearer a b',
    'Basic YWRtaW46YWRtaW4=',
    'bearer phk_',
    `Bearer phk_${'A'.repeat(43)}`,
    `Bearer phs_${'A'.repeat(43)}`,
    `Bearer ${'x'.repeat(4_000)}`,
    'Digest username="admin"',
  ),
  oddValue.map((value) => `Bearer ${value}`),
)

/** Lone surrogates cannot be encoded in UTF-8. */
export const wellFormed = (text: string) => Buffer.from(text).toString()

/** Text in a path or a query string; every character that would end it is encoded. */
const encoded = (text: string) => encodeURIComponent(wellFormed(text))

/** One segment of a path, as sent. */
export const oddSegments: fc.Arbitrary<string> = fc.oneof(
  oddText.map(encoded),
  fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%2e%2e',
    '..',
    '.',
    '',
    '%2F',
    'a%2Fb',
    '%5C',
    ';a=b',
    '%F0%28%8C%28',
    '%ED%A0%80',
    'é',
    'null',
    'sample',
    'batch',
    '{id}',
    '*',
    '%2A',
    'A'.repeat(100),
    'A'.repeat(101),
    'A'.repeat(4_000),
    '%61'.repeat(100),
  ),
  fc.stringMatching(/^(%[0-9a-f]{2}|[a-z0-9_=&%-]){0,30}$/),
)

/** What follows the question mark, as sent. */
export const oddQueries: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '&',
    '=',
    '&&&==',
    'limit',
    'limit=',
    'limit=1&limit=2',
    'limit[]=1',
    'limit[a]=1',
    'limit=1e1',
    'limit=0x10',
    'limit=+5',
    'limit=%35',
    'limit=101',
    'limit=0',
    'limit=-1',
    'limit=99999999999999999999',
    'limit=NaN',
    'cursor=',
    'cursor=null',
    'cursor=%00',
    'cursor=a&cursor=b',
    'after=',
    '__proto__=1',
    'constructor[prototype]=1',
    'a=%zz',
    'a=%ED%A0%80',
    `a=${'x'.repeat(5_000)}`,
    Array.from({ length: 500 }, (_, i) => `p${i}=${i}`).join('&'),
  ),
  fc
    .array(
      fc.tuple(
        fc.constantFrom('limit', 'cursor', 'after', 'status', 'from', 'to', 'event', 'type', 'x'),
        oddText,
      ),
      {
        maxLength: 3,
      },
    )
    .map((pairs) => pairs.map(([name, value]) => `${name}=${encoded(value)}`).join('&')),
)
