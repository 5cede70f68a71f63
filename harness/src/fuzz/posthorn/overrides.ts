import fc from 'fast-check'
import type { ApiDocument } from '../../api/apiDocument.ts'
import type { SchemaObject } from '../../api/jsonSchema.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import { kindOf } from '../knowledge.ts'
import { fromNotes } from '../requests/fromNotes.ts'
import type { Conversion } from '../values/conversion.ts'

type Values = fc.Arbitrary<unknown>

/** One of them is valid for one service only. */
const SCOPES = ['webhooks', 'webhooks', 'events:write', 'events:write', 'generations:read']

/** Never resolved and never reached: all traffic goes through a proxy that rejects it. */
const OTHER_TARGETS = ['https://hooks.example.com/posthorn?token=1', 'https://never.example.net:8443/']

const DAY_SECONDS = 86_400

/** Around the time at which events of a run are stored. */
const times = (min: number, max: number) =>
  fc.integer({ min, max }).map((seconds) => new Date(Date.now() + seconds * 1_000).toISOString())

/**
 * Values for schema members that are less strict than the service.
 * @param targets URLs of receivers
 */
export function overrides({ source }: ApiDocument, targets: readonly string[]): Conversion['override'] {
  const types = fc.constantFrom('webhook.test', ...Object.keys(source.webhooks ?? {}))
  const byName: Readonly<Record<string, Values>> = {
    url: fc.constantFrom(...targets, ...OTHER_TARGETS),
    event: types,
    events: types,
    type: types,
    types,
    event_type: types,
    eventType: types,
    scopes: fc.constantFrom(...SCOPES),
    dialect: fc.constantFrom('content', 'ads'),
    timestamp: times(-DAY_SECONDS, DAY_SECONDS),
    occurredAt: times(-DAY_SECONDS, DAY_SECONDS),
    from: times(-DAY_SECONDS, 0),
    to: times(1, DAY_SECONDS),
    expires_at: fc.constant('2090-01-01T00:00:00Z'),
    'if-match': fc.oneof(fromNotes('etags'), fc.constantFrom('*', '"v1"')),
    'idempotency-key': fc.nat(2_000).map((n) => `key-${n}`),
    email: fc.oneof(
      fc.constantFrom('owner@fuzz-content-1.example', 'owner@fuzz-ads-1.example'),
      fc.nat(500).map((n) => `person-${n}@fuzz.example`),
    ),
    token: fc.constant(ADMIN_TOKEN),
    workspace: fromNotes('workspaces'),
    target: fc.oneof(fromNotes('webhooks'), fromNotes('keys')),
    id: fc.oneof(
      fromNotes('events'),
      fc.uuid(),
      fc.nat(500).map((n) => `evt_${n}`),
    ),
  }
  return (name, schema, plain) => {
    // Long waits would only delay the run.
    if (name === 'wait') return fc.integer({ min: 0, max: 1 })
    if (!isPlainText(schema) || (hasForm(schema) && !FORM_IS_NOT_ENOUGH.has(name))) return null
    const kind = kindOf(name)
    const values = byName[name] ?? (kind === null ? undefined : fromNotes(kind))
    if (values === undefined) return null
    return fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: plain() })
  }
}

/** Values that match the schema but name nothing that exists, or a time without events, find nothing. */
const FORM_IS_NOT_ENOUGH = new Set([
  'url',
  'dialect',
  'scopes',
  'timestamp',
  'occurredAt',
  'from',
  'to',
  'expires_at',
  'workspace',
  'target',
  'webhook_id',
  'webhookId',
  'member_id',
  'cursor',
  'after',
  'ack',
])

const isPlainText = ({ type, format, enum: values, const: only }: SchemaObject) =>
  type === 'string' &&
  (format === undefined || format === 'date-time' || format === 'email') &&
  values === undefined &&
  only === undefined

/** Headers are visible ASCII anyway. */
const hasForm = ({ pattern }: SchemaObject) => pattern !== undefined && pattern !== '^[!-~]+$'
