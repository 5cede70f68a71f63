import { catalogOf } from '../../src/core/catalog.ts'
import type { Dialect } from '../../src/core/dialect.ts'
import { prefixedFormat } from '../../src/core/idFormat.ts'
import { HmacKey } from '../../src/profiles/hmacKey.ts'

/** A third service, unlike the two real ones wherever a dialect may differ: what it needs, the engine must not know. */
export const toyDialect: Dialect = {
  name: 'toy',
  version: 0,
  catalog: catalogOf([
    {
      type: 'brick.stacked',
      title: 'Brick stacked',
      description: 'A brick was put on another.',
      group: 'Bricks',
      schema: { type: 'object', additionalProperties: false, properties: { color: { type: 'string' } } },
      members: {},
      example: { color: 'red' },
      subscribable: true,
    },
  ]),
  ids: {
    event: prefixedFormat('toy-evt-'),
    delivery: prefixedFormat('toy-dlv-'),
    workspace: prefixedFormat('toy-ws-'),
    member: prefixedFormat('toy-usr-'),
    webhook: prefixedFormat('toy-hook-'),
    key: prefixedFormat('toy-key-'),
    session: prefixedFormat('toy-ses-'),
    replay: prefixedFormat('toy-rpl-'),
    broughtEventId: (id) => (/^brick-\d+$/i.test(id) ? id.toLowerCase() : null),
    broughtEventIdForm: 'anything',
  },
  policy: {
    timeoutMs: 3_000,
    waitsMs: [1_000, 10_000],
    jitter: 0,
    honorsRetryAfter: true,
    exhaustedStatus: 'dead',
    resends: {
      redeliver: { from: ['delivered', 'failed', 'canceled'], attempts: 'one' },
      replay: { from: ['dead'], attempts: 'schedule' },
    },
    goneEndsDelivery: true,
    health: { goneSwitchesOff: false, switchOffAfterMs: 60_000, warnAfterMs: null },
  },
  secrets: {
    make: (random) => `toy:${Buffer.from(random).toString('hex')}`,
    bytes: 32,
    shown: (stored) => stored,
    keyOf: (secret) => {
      const key = new HmacKey('sha256', Buffer.from(secret.slice('toy:'.length), 'hex'))
      return { sign: (_, ...signed) => key.sign(...signed) }
    },
    publicKey: () => null,
    overlapMs: 5_000,
    maxSigning: 3,
  },
  requestHeaders: ({ eventId, deliveryId, eventType, timestampSeconds, body, keys }) => [
    'X-Toy-Event',
    `${eventType};${eventId};${deliveryId}`,
    'X-Toy-Sig',
    keys
      .map((key) => key.sign(0, `${timestampSeconds}\n`, body, 'base64'))
      .map((mac) => `t=${timestampSeconds};${mac}`)
      .join(','),
  ],
  testEvent: {
    type: 'brick.stacked',
    compose: ({ eventId, occurredAt }) => toyEnvelope({ id: eventId, color: 'test', at: occurredAt }),
  },
  exampleBody: ({ type, occurredAt }) =>
    toyEnvelope({ id: 'toy-example', color: String(type.example.color), at: occurredAt }),
  limits: { webhooksPerWorkspace: 2, webhooksVariable: null, manualSendsPerMinute: 1 },
  scopes: ['bricks'],
  contentsScope: null,
  signatureHeader: 'toy-signature',
}

/** Neither JSON nor ASCII: bodies are text to the engine. */
export function toyEnvelope(event: {
  readonly id: string
  readonly color: string
  readonly at: number
}): string {
  return `🧱 ${event.id}\ncolor=${event.color}\nat=${event.at}\n`
}
