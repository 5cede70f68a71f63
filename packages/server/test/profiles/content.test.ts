import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { contentService } from '../../src/profiles/builtIn.ts'
import { headersOf, pairs } from '../support/requestHeaders.ts'

const dialect = contentService()
const WORKSPACE = {
  publicId: 'ws_01k8rz2m4n6p8q0s2t4v6w8y0z',
  slug: 'chain-care',
  name: 'Chain & "Care" – Ω',
}
const OCCURRED_AT = Date.UTC(2026, 2, 4, 5, 6, 7, 8)
const SIGNED_AT = 1_772_600_767
const EVENT_ID = 'evt_01k8rz2m4n6p8q0s2t4v6w8y0z'

const compose = (
  type: string,
  data: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, unknown>>,
  occurredAt: number,
) => dialect.envelope.prepare({ type, data, members }, WORKSPACE, occurredAt)(EVENT_ID, occurredAt)

const BODY = compose(
  'publication.withdrawn',
  { publication: { id: 'pub_1', slug: 'über-ketten' }, version_id: 'ver_9' },
  {
    actor_id: 'usr_7',
    links: { app: 'https://app.example.com/p/1', api: 'https://api.example.com/v1/p/1' },
  },
  OCCURRED_AT,
)

const secretOf = (fill: number) => dialect.secrets.make(new Uint8Array(32).fill(fill))

function sign(body: string, secrets: readonly string[], eventId = EVENT_ID, timestampSeconds = SIGNED_AT) {
  const keys = secrets.map((secret) => dialect.secrets.keyOf(secret))
  const eventType = 'publication.withdrawn'
  const ids = { eventId, deliveryId: 'dlv_x', webhookId: 'wh_x', workspaceSlug: 'chain-care', attempt: 1 }
  return dialect.requestHeaders({ ...ids, eventType, body, timestampSeconds, keys })
}

describe('the envelope', () => {
  test('has exactly the members of the contract, in its order', () => {
    expect(BODY).toBe(
      '{"type":"publication.withdrawn","timestamp":"2026-03-04T05:06:07.008Z","data":{' +
        '"workspace":{"id":"ws_01k8rz2m4n6p8q0s2t4v6w8y0z","slug":"chain-care","name":"Chain & \\"Care\\" – Ω"},' +
        '"actor_id":"usr_7",' +
        '"links":{"app":"https://app.example.com/p/1","api":"https://api.example.com/v1/p/1"},' +
        '"publication":{"id":"pub_1","slug":"über-ketten"},"version_id":"ver_9"}}',
    )
  })

  test('reserves the members that it adds to the data', () => {
    expect(dialect.envelope.reserved).toEqual(['workspace', 'actor_id', 'links'])
  })

  test('omits an unknown actor and keeps an empty links object', () => {
    const body = compose('plan.ready', {}, {}, 0)
    expect(Object.keys(JSON.parse(body).data)).toEqual(['workspace', 'links'])
    expect(JSON.parse(body)).toMatchObject({ timestamp: '1970-01-01T00:00:00.000Z', data: { links: {} } })
  })

  test('contains every type of the catalog as published', () => {
    for (const { type, example } of dialect.catalog.values()) {
      const body = compose(type, example, {}, 0)
      const { workspace: _, links: __, ...data } = JSON.parse(body).data
      expect(data, type).toEqual(example)
    }
  })

  test('of the test operation names the webhook and the caller', () => {
    const body = dialect.testEvent!.compose({
      eventId: EVENT_ID,
      webhookId: 'wh_1',
      workspace: WORKSPACE,
      actorId: 'key_1',
      occurredAt: OCCURRED_AT,
    })
    expect(JSON.parse(body)).toMatchObject({
      type: 'webhook.test',
      timestamp: '2026-03-04T05:06:07.008Z',
      data: { workspace: { slug: 'chain-care' }, actor_id: 'key_1', webhook: { id: 'wh_1' } },
    })
  })
})

describe('the headers', () => {
  test('are exactly the three of Standard Webhooks', () => {
    expect(pairs(sign(BODY, [secretOf(1)]))).toEqual([
      ['webhook-id', EVENT_ID],
      ['webhook-timestamp', '1772600767'],
      ['webhook-signature', expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/)],
    ])
  })

  test('carry the signature of the Standard Webhooks test vectors', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const headers = sign('{"test": 2432232314}', [secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330)
    expect(headersOf(headers)['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  test('sign with every key, newest first, separated by one space', () => {
    const [one, two, both] = [[secretOf(1)], [secretOf(2)], [secretOf(2), secretOf(1)]].map(
      (secrets) => headersOf(sign(BODY, secrets))['webhook-signature'],
    )
    expect(both).toBe(`${two} ${one}`)
  })

  test('still sign when there are more secrets than the header fits: the newest 16 do', () => {
    const secrets = Array.from({ length: 20 }, (_, i) => secretOf(i + 1))
    const entries = headersOf(sign(BODY, secrets))['webhook-signature']!.split(' ')
    expect(entries).toHaveLength(16)
    expect(entries).toEqual(
      secrets.slice(0, 16).map((secret) => headersOf(sign(BODY, [secret]))['webhook-signature']),
    )
  })
})

describe.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('%s', (_, Library) => {
  beforeEach(() => {
    vi.useFakeTimers({ now: SIGNED_AT * 1000, toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([
    ['one secret', [secretOf(1)]],
    ['the new of two secrets', [secretOf(1), secretOf(2)]],
    ['the old of two secrets', [secretOf(2), secretOf(1)]],
  ])('verifies a request with %s', (_, secrets) => {
    const headers = headersOf(sign(BODY, secrets))
    expect(new Library(secretOf(1)).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  })

  test('rejects a request with any changed byte', () => {
    const library = new Library(secretOf(1))
    const headers = headersOf(sign(BODY, [secretOf(1), secretOf(2)]))
    const bytes = Buffer.from(BODY)
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 127 }), (at, change) => {
        const tampered = Buffer.from(bytes)
        tampered[at]! ^= change
        expect(() => library.verify(tampered.toString('utf8'), headers)).toThrow()
      }),
    )
    for (const name of ['webhook-id', 'webhook-timestamp']) {
      expect(() => library.verify(BODY, { ...headers, [name]: `${headers[name]}1` })).toThrow()
    }
  })

  test('rejects a request that only other secrets sign', () => {
    expect(() =>
      new Library(secretOf(3)).verify(BODY, headersOf(sign(BODY, [secretOf(1), secretOf(2)]))),
    ).toThrow()
  })
})

describe("publishers' ids", () => {
  test.each(['evt_a', 'evt_A-_9', `evt_${'x'.repeat(64)}`])('%s is accepted unchanged', (id) => {
    expect(dialect.ids.broughtEventId(id)).toBe(id)
  })

  test.each([
    '',
    'evt_',
    'a',
    'EVT_a',
    'evt_a.b',
    'evt_a b',
    'evt_a,',
    'evt_é',
    'evt_a\n',
    `evt_${'x'.repeat(65)}`,
  ])('%j is rejected', (id) => {
    expect(dialect.ids.broughtEventId(id)).toBeNull()
  })
})
