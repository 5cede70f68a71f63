import { describe, expect, test } from 'vitest'
import type { WebhookHeaders } from '../src/index.ts'
import {
  ADS_EVENT,
  CONTENT_EVENT,
  DELIVERY_ID,
  expectRefused,
  MESSAGE_ID,
  NOW_SECONDS,
  OTHER_SERVICE_SECRET,
  OTHER_STANDARD_SECRET,
  SERVICE_SECRET,
  STANDARD_SECRET,
  serviceHeaders,
  serviceReceiver,
  standardHeaders,
  standardReceiver,
  untyped,
} from './support.ts'

const body = JSON.stringify(CONTENT_EVENT)
const headers = standardHeaders(body)
const signature = headers['webhook-signature']
const mac = signature.slice('v1,'.length)
const receiver = standardReceiver()

const adsBody = JSON.stringify(ADS_EVENT)
const adsHeaders = serviceHeaders(adsBody)
const hex = adsHeaders['X-Service-Signature'].slice('sha256='.length)

function without(all: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== name))
}

describe('a missing header is reported by its code', () => {
  test.each([
    ['webhook-id', 'id_missing'],
    ['webhook-timestamp', 'timestamp_missing'],
    ['webhook-signature', 'signature_missing'],
  ] as const)('%s: %s', async (name, code) => {
    await expectRefused(receiver.verify(body, without(headers, name)), code)
    await expectRefused(receiver.verify(body, { ...headers, [name]: [] }), code)
    await expectRefused(receiver.verify(body, { ...headers, [name]: undefined }), code)
  })

  test.each([
    ['X-Service-Event', 'event_type_missing'],
    ['X-Service-Delivery', 'delivery_id_missing'],
    ['X-Service-Signature', 'signature_missing'],
  ] as const)('%s: %s', async (name, code) => {
    await expectRefused(serviceReceiver().verify(adsBody, without(adsHeaders, name)), code)
  })
})

describe('a repeated header is ambiguous, even with the same value', () => {
  test.each(Object.entries(headers))('%s', async (name, value) => {
    const pairs = [...Object.entries(headers), [name, value] as const]
    const joined = new Headers(headers)
    joined.append(name, value)
    const twice: WebhookHeaders[] = [
      pairs,
      pairs.flat(),
      joined,
      { ...headers, [name]: [value, value] },
      { ...headers, [name]: `${value}, ${value}` },
      { ...headers, [name.toUpperCase()]: value },
    ]
    for (const form of twice) await expectRefused(receiver.verify(body, form), 'header_ambiguous')
  })

  test.each(Object.entries(adsHeaders).slice(1))('%s', async (name, value) => {
    const twice = { ...adsHeaders, [name]: [value, value] }
    await expectRefused(serviceReceiver().verify(adsBody, twice), 'header_ambiguous')
  })
})

describe('unreadable headers', () => {
  const throwing = {
    get 'webhook-id'(): string {
      throw new RangeError('of its own')
    },
  }
  test.each([
    ['null', null],
    ['a string', 'webhook-id: x'],
    ['a number as the value', { ...headers, 'webhook-timestamp': NOW_SECONDS }],
    ['a nested array', { ...headers, 'webhook-id': [[MESSAGE_ID]] }],
    ['a getter that throws', throwing],
  ])('%s: headers_invalid', async (_what, value) => {
    await expectRefused(receiver.verify(body, untyped<WebhookHeaders>(value)), 'headers_invalid')
  })
})

describe('an ambiguous id is rejected', () => {
  test.each([
    '',
    'evt_1.2',
    'evt 1',
    ' evt_1',
    'evt_1\n',
    'evt_\u0000',
    'evt_ż',
    'evt_1,evt_2',
    'x'.repeat(257),
  ])('%j', async (id) => {
    await expectRefused(receiver.verify(body, { ...headers, 'webhook-id': id }), 'id_malformed')
  })
})

describe('the timestamp', () => {
  test('passes within the tolerance, in both directions', async () => {
    for (const offset of [-300, 300]) {
      await receiver.verify(body, standardHeaders(body, { timestampSeconds: NOW_SECONDS + offset }))
    }
  })

  test('is too old or too new beyond it', async () => {
    const old = standardHeaders(body, { timestampSeconds: NOW_SECONDS - 301 })
    const early = standardHeaders(body, { timestampSeconds: NOW_SECONDS + 301 })
    await expectRefused(receiver.verify(body, old), 'timestamp_too_old')
    await expectRefused(receiver.verify(body, early), 'timestamp_too_new')
  })

  test('must be in the current second with a tolerance of 0', async () => {
    const exact = standardReceiver({ toleranceSeconds: 0 })
    await exact.verify(body, headers)
    const late = standardReceiver({ toleranceSeconds: 0, now: () => NOW_SECONDS * 1000 + 1 })
    await expectRefused(late.verify(body, headers), 'timestamp_too_old')
  })

  test('does not pass when the clock returns no number', async () => {
    const broken = standardReceiver({ now: () => Number.NaN })
    await expect(broken.verify(body, headers)).rejects.toMatchObject({ code: 'clock_invalid' })
  })

  test('cannot be replaced by a fresh one', async () => {
    const old = standardHeaders(body, { timestampSeconds: NOW_SECONDS - 3600 })
    await expectRefused(
      receiver.verify(body, { ...old, 'webhook-timestamp': String(NOW_SECONDS) }),
      'signature_mismatch',
    )
  })
})

describe('the standard signature header', () => {
  test.each([
    ['no padding', `v1,${mac.slice(0, -1)}`],
    ['too much padding', `${signature}=`],
    ['stray trailing bits', `v1,${mac.slice(0, -2)}${String.fromCharCode(mac.charCodeAt(42) + 1)}=`],
    ['base64url', `v1,${'-'.repeat(43)}=`],
    ['too few bytes', 'v1,AAAA'],
    ['too many bytes', `v1,${Buffer.alloc(33).toString('base64')}`],
    ['white space inside', `v1,${mac.slice(0, 20)}\n${mac.slice(20)}`],
    ['hex', `v1,${Buffer.from(mac, 'base64').toString('hex')}`],
    ['an empty value', 'v1,'],
    ['no version', mac],
    ['an upper-case version', `V1${signature.slice(2)} x`],
    ['two spaces', `${signature}  ${signature}`],
    ['a leading space', ` ${signature}`],
    ['a trailing space', `${signature} `],
    ['a tab for a space', `${signature}\t${signature}`],
    ['a comma for a space', `${signature},${signature}`],
    ['nothing', ''],
    ['one malformed entry beside a good one', `${signature} v1,AAAA`],
  ])('with %s is malformed', async (_what, value) => {
    await expectRefused(
      receiver.verify(body, { ...headers, 'webhook-signature': value }),
      'signature_malformed',
    )
  })

  test('ignores entries of other versions', async () => {
    const value = `v1a,${'A'.repeat(86)}== ${signature} v2,future`
    await receiver.verify(body, { ...headers, 'webhook-signature': value })
  })

  test('with only entries of other versions is unsupported', async () => {
    const value = `v1a,${'A'.repeat(86)}==`
    await expectRefused(
      receiver.verify(body, { ...headers, 'webhook-signature': value }),
      'signature_unsupported',
    )
  })
})

describe('the service signature header', () => {
  test.each([
    ['upper-case hex', `sha256=${hex.toUpperCase()}`],
    ['half the digits', `sha256=${hex.slice(32)}`],
    ['an odd digit', `sha256=${hex}0`],
    ['no prefix', hex],
    ['another hash', `sha1=${hex}`],
    ['an entry of the other scheme', `v1,${mac}`],
    ['an upper-case prefix', `SHA256=${hex}`],
    ['base64', `sha256=${Buffer.from(hex, 'hex').toString('base64')}`],
    ['two values', `sha256=${hex} sha256=${hex}`],
    ['nothing', ''],
  ])('with %s is malformed', async (_what, value) => {
    const changed = { ...adsHeaders, 'X-Service-Signature': value }
    await expectRefused(serviceReceiver().verify(adsBody, changed), 'signature_malformed')
  })

  test('that is too long is not read', async () => {
    const changed = { ...adsHeaders, 'X-Service-Signature': `sha256=${'0'.repeat(5000)}` }
    await expectRefused(serviceReceiver().verify(adsBody, changed), 'signature_too_long')
  })

  test('is matched against every secret', async () => {
    const both = serviceReceiver({ secrets: [OTHER_SERVICE_SECRET, SERVICE_SECRET] })
    expect((await both.verify(adsBody, adsHeaders)).deliveryId).toBe(DELIVERY_ID)
    await expectRefused(
      serviceReceiver({ secrets: OTHER_SERVICE_SECRET }).verify(adsBody, adsHeaders),
      'signature_mismatch',
    )
  })
})

describe('several secrets and several entries', () => {
  const rotating = standardHeaders(body, { secrets: [OTHER_STANDARD_SECRET, STANDARD_SECRET] })

  test('pass when any entry matches any secret', async () => {
    for (const secrets of [
      STANDARD_SECRET,
      OTHER_STANDARD_SECRET,
      [STANDARD_SECRET, OTHER_STANDARD_SECRET],
    ]) {
      await standardReceiver({ secrets }).verify(body, rotating)
    }
    await standardReceiver({ secrets: [OTHER_STANDARD_SECRET, STANDARD_SECRET] }).verify(body, headers)
  })

  test('are rejected when none does', async () => {
    const third = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    await expectRefused(standardReceiver({ secrets: [third] }).verify(body, rotating), 'signature_mismatch')
  })
})

test.each([[null], [undefined], [7], [{}], ['{}']])('%j without headers is rejected', async (given) => {
  await expectRefused(receiver.verify(untyped<Request>(given)), 'headers_invalid')
})

test('a caller may reuse the body and the headers as soon as verify has returned', async () => {
  const bytes = Buffer.from(body)
  const reused: Record<string, string> = { ...headers }
  const outcome = receiver.verify(bytes, reused)
  bytes.fill(0)
  for (const name of Object.keys(reused)) reused[name] = ''
  expect((await outcome).event).toEqual(CONTENT_EVENT)
})

test('a body above the limit is rejected, whatever its form', async () => {
  const small = standardReceiver({ maxBodyBytes: 3 })
  await small.verifySignature('żx', standardHeaders('żx'))
  for (const large of ['żxy', new Uint8Array(4), new ArrayBuffer(4)]) {
    await expectRefused(small.verifySignature(large, headers), 'body_too_large')
  }
})

test.each([
  ['a parsed object', { ...CONTENT_EVENT }],
  ['undefined', undefined],
  ['an array of numbers', [1, 2]],
  ['a view of wider elements', new Uint16Array(2)],
])('%s is not a raw body', async (_what, value) => {
  await expectRefused(receiver.verify(untyped(value), headers), 'body_not_raw')
})
