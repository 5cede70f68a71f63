import { describe, expect, test } from 'vitest'
import {
  ADS_EVENT,
  CONTENT_EVENT,
  DELIVERY_ID,
  expectRefused,
  MESSAGE_ID,
  NOW_SECONDS,
  serviceHeaders,
  serviceReceiver,
  standardHeaders,
  standardReceiver,
} from './support.ts'

function verifyContent(body: Uint8Array | string) {
  return standardReceiver().verify(body, standardHeaders(body))
}

function verifyAds(body: Uint8Array | string, type?: string) {
  return serviceReceiver().verify(body, serviceHeaders(body, undefined, type))
}

describe('a content event', () => {
  test('has its id and the time of the attempt', async () => {
    const verified = await verifyContent(JSON.stringify(CONTENT_EVENT))
    expect(verified).toEqual({
      id: MESSAGE_ID,
      type: 'version.approved',
      timestamp: new Date(NOW_SECONDS * 1000),
      event: CONTENT_EVENT,
    })
  })

  test('of an unknown type and with unknown members is passed on completely', async () => {
    const future = {
      ...CONTENT_EVENT,
      type: 'brief.ready',
      revision: 2,
      data: { ...CONTENT_EVENT.data, brief: {} },
    }
    expect((await verifyContent(JSON.stringify(future))).event).toEqual(future)
  })

  test.each([
    ['no type', { ...CONTENT_EVENT, type: undefined }],
    ['an empty type', { ...CONTENT_EVENT, type: '' }],
    ['a type that is no string', { ...CONTENT_EVENT, type: 1 }],
    ['no timestamp', { ...CONTENT_EVENT, timestamp: undefined }],
    ['a timestamp without milliseconds', { ...CONTENT_EVENT, timestamp: '2026-01-01T00:00:00Z' }],
    ['a timestamp with an offset', { ...CONTENT_EVENT, timestamp: '2026-01-01T00:00:00.000+01:00' }],
    ['a day that does not exist', { ...CONTENT_EVENT, timestamp: '2026-02-30T00:00:00.000Z' }],
    ['a year of six digits', { ...CONTENT_EVENT, timestamp: '+012026-01-01T00:00:00.000Z' }],
    ['no data', { ...CONTENT_EVENT, data: undefined }],
    ['data that is a list', { ...CONTENT_EVENT, data: [] }],
    ['data that is null', { ...CONTENT_EVENT, data: null }],
    ['a list for the whole', [CONTENT_EVENT]],
    ['null for the whole', null],
  ])('with %s is rejected', async (_what, envelope) => {
    await expectRefused(verifyContent(JSON.stringify(envelope)), 'envelope_invalid')
  })
})

describe('an ads event', () => {
  test('has its delivery id and type', async () => {
    expect(await verifyAds(JSON.stringify(ADS_EVENT))).toEqual({
      id: ADS_EVENT.id,
      deliveryId: DELIVERY_ID,
      type: 'campaign.status_changed.v1',
      event: ADS_EVENT,
    })
  })

  test('of an unknown type is passed on completely', async () => {
    const future = { ...ADS_EVENT, type: 'audience.merged.v1', payload: { into: 'x' } }
    expect((await verifyAds(JSON.stringify(future), future.type)).event).toEqual(future)
  })

  test.each(['campaign.created.v1', '', 'CAMPAIGN.STATUS_CHANGED.V1', 'campaign.status_changed.v1 '])(
    'with another unsigned X-Service-Event, %j, is rejected',
    async (type) => {
      await expectRefused(verifyAds(JSON.stringify(ADS_EVENT), type), 'event_type_mismatch')
    },
  )

  test('with a delivery id that is not a UUID is rejected', async () => {
    const body = JSON.stringify(ADS_EVENT)
    const headers = { ...serviceHeaders(body), 'X-Service-Delivery': 'dlv_1' }
    await expectRefused(serviceReceiver().verify(body, headers), 'delivery_id_malformed')
  })

  test.each(Object.keys(ADS_EVENT))('without %s is rejected', async (member) => {
    await expectRefused(verifyAds(JSON.stringify({ ...ADS_EVENT, [member]: undefined })), 'envelope_invalid')
  })

  test.each(['id', 'entityId', 'workspaceId'])('whose %s is not a UUID is rejected', async (member) => {
    await expectRefused(verifyAds(JSON.stringify({ ...ADS_EVENT, [member]: '42' })), 'envelope_invalid')
  })
})

describe('a signed body that is not text or not JSON', () => {
  test.each([
    ['invalid UTF-8', Buffer.from('22ff22', 'hex'), 'body_not_utf8'],
    ['an encoded surrogate', Buffer.from('22eda08022', 'hex'), 'body_not_utf8'],
    ['nothing', Buffer.alloc(0), 'body_not_json'],
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(CONTENT_EVENT)}`), 'body_not_json'],
    ['a NUL at its end', Buffer.from(`${JSON.stringify(CONTENT_EVENT)}\0`), 'body_not_json'],
    ['a NUL in a string', Buffer.from('{"type":"a\0b"}'), 'body_not_json'],
    ['cut-off JSON', Buffer.from('{"type":'), 'body_not_json'],
    ['a trailing comma', Buffer.from('{"type":"a",}'), 'body_not_json'],
    ['100,000 open brackets', Buffer.from('['.repeat(100_000)), 'body_not_json'],
  ] as const)('%s is rejected with its own code', async (_what, body, code) => {
    await expectRefused(verifyContent(body), code)
    await expectRefused(verifyAds(body), code)
  })

  test('is not read before the signature is verified', async () => {
    const wrong = standardHeaders('another body')
    await expectRefused(standardReceiver().verify('{', wrong), 'signature_mismatch')
  })

  test('a member named __proto__ changes no prototype', async () => {
    const body = JSON.stringify(CONTENT_EVENT).replace('"data":{', '"__proto__":{"polluted":true},"data":{')
    const { event } = await verifyContent(body)
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
  })
})
