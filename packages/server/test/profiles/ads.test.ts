import { verify } from '@octokit/webhooks-methods'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adsService } from '../../src/profiles/builtIn.ts'
import { headersOf, pairs } from '../support/requestHeaders.ts'

const dialect = adsService()
const DELIVERY_ID = '0199c0de-0000-7000-8000-00000000d311'
const EVENT = {
  id: '0199c0de-0000-7000-8000-0000000000e1',
  type: 'campaign.status_changed.v1',
  entityType: 'campaign',
  entityId: '0199c0de-0000-7000-8000-0000000000ca',
  workspaceId: '0199c0de-0000-7000-8000-0000000000a5',
  payload: { from: 'active', to: 'paused – “Ω”' },
  occurredAt: Date.UTC(2026, 2, 4, 5, 6, 7, 8),
}
const WORKSPACE = { publicId: EVENT.workspaceId, slug: 'a', name: 'A' }
const { entityType, entityId, payload } = EVENT
const bodyOf = (type: string, data: Readonly<Record<string, unknown>>) =>
  dialect.envelope.prepare(
    { type, data, members: { entityType, entityId } },
    WORKSPACE,
    null,
  )(EVENT.id, EVENT.occurredAt)
const BODY = bodyOf(EVENT.type, payload)
const SENT = { webhookId: 'w', workspaceSlug: 'a', attempt: 1 }

const secretOf = (fill: number) => dialect.secrets.make(new Uint8Array(32).fill(fill))

function sign(secrets: readonly string[], body = BODY) {
  return dialect.requestHeaders({
    ...SENT,
    eventId: EVENT.id,
    deliveryId: DELIVERY_ID,
    eventType: EVENT.type,
    body,
    timestampSeconds: 1_772_600_767,
    keys: secrets.map((secret) => dialect.secrets.keyOf(secret)),
  })
}

const signatureOf = (secrets: readonly string[], body?: string) =>
  headersOf(sign(secrets, body))['X-Service-Signature']!

describe('the envelope', () => {
  test('has exactly the members of the contract, in its order', () => {
    expect(BODY).toBe(
      '{"id":"0199c0de-0000-7000-8000-0000000000e1","type":"campaign.status_changed.v1",' +
        '"entityType":"campaign","entityId":"0199c0de-0000-7000-8000-0000000000ca",' +
        '"workspaceId":"0199c0de-0000-7000-8000-0000000000a5",' +
        '"payload":{"from":"active","to":"paused – “Ω”"},"occurredAt":"2026-03-04T05:06:07.008Z"}',
    )
  })

  test('contains every type of the catalog as published', () => {
    for (const { type, example } of dialect.catalog.values()) {
      expect(JSON.parse(bodyOf(type, example)).payload, type).toEqual(example)
    }
  })
})

describe('the headers', () => {
  test('are exactly the three of the contract', () => {
    expect(pairs(sign([secretOf(1)]))).toEqual([
      ['X-Service-Event', 'campaign.status_changed.v1'],
      ['X-Service-Delivery', DELIVERY_ID],
      ['X-Service-Signature', expect.stringMatching(/^sha256=[0-9a-f]{64}$/)],
    ])
  })

  test("carry the HMAC of RFC 4231's second test case", () => {
    const headers = dialect.requestHeaders({
      ...SENT,
      eventId: EVENT.id,
      deliveryId: DELIVERY_ID,
      eventType: EVENT.type,
      body: 'what do ya want for nothing?',
      timestampSeconds: 1,
      keys: [dialect.secrets.keyOf('Jefe')],
    })
    expect(headersOf(headers)['X-Service-Signature']).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  test('contain one signature, of the newest secret, however many there are', () => {
    const secrets = Array.from({ length: 20 }, (_, i) => secretOf(i + 1))
    expect(signatureOf(secrets)).toBe(signatureOf(secrets.slice(0, 1)))
    expect(signatureOf(secrets.slice(0, 2))).toBe(signatureOf(secrets.slice(0, 1)))
  })

  test('sign only the body: a retry at another time has the same signature', () => {
    const keys = [dialect.secrets.keyOf(secretOf(1))]
    const at = (timestampSeconds: number) =>
      dialect.requestHeaders({
        ...SENT,
        eventId: EVENT.id,
        deliveryId: DELIVERY_ID,
        eventType: EVENT.type,
        body: BODY,
        timestampSeconds,
        keys,
      })
    expect(at(1)).toEqual(at(1_772_600_767))
  })
})

describe('@octokit/webhooks-methods', () => {
  test('verifies a request with the text of the secret', async () => {
    expect(await verify(secretOf(1), BODY, signatureOf([secretOf(1)]))).toBe(true)
    expect(await verify(secretOf(2), BODY, signatureOf([secretOf(2), secretOf(1)]))).toBe(true)
  })

  test('rejects a request with a replaced secret: there is no overlap', async () => {
    expect(await verify(secretOf(1), BODY, signatureOf([secretOf(2), secretOf(1)]))).toBe(false)
  })

  test('rejects a request with any changed byte', async () => {
    const signature = signatureOf([secretOf(1)])
    const bytes = Buffer.from(BODY)
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 127 }),
        async (at, change) => {
          const tampered = Buffer.from(bytes)
          tampered[at]! ^= change
          expect(await verify(secretOf(1), tampered.toString('utf8'), signature)).toBe(false)
        },
      ),
    )
  })
})

describe("publishers' ids", () => {
  test('are UUIDs of any version, stored in lower case', () => {
    expect(dialect.ids.broughtEventId('6F9619FF-8B86-D011-B42D-00CF4FC964FF')).toBe(
      '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
    )
  })

  test.each([
    '',
    'evt_1',
    '6f9619ff8b86d011b42d00cf4fc964ff',
    '{6f9619ff-8b86-d011-b42d-00cf4fc964ff}',
    `${EVENT.id}\n`,
  ])('%j is rejected', (id) => {
    expect(dialect.ids.broughtEventId(id)).toBeNull()
  })
})
