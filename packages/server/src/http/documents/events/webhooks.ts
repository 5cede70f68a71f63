import type { EventType } from '../../../core/catalog.ts'
import type { Dialect } from '../../../core/dialect.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import type { DeliveryPolicy } from '../../../core/policy.ts'
import type { SchemaComponents } from '../components.ts'
import type { Operation, Parameter } from '../objects.ts'
import { NOBODY } from '../security.ts'
import { dataSchema } from './published.ts'
import { type EventService, headersOf, nameOf } from './service.ts'

/** Tag of all requests that go out. */
export const SENT_TAG = 'Requests to your endpoint'

/** The requests that receivers get, one for each event type, as the `webhooks` of a document. */
export function describeWebhooks(
  schemas: SchemaComponents,
  service: EventService,
  dialect: Dialect,
): Readonly<Record<string, { readonly post: Operation }>> {
  const types = [...dialect.catalog.values()]
  return Object.fromEntries(
    types.map((type) => [type.type, { post: webhook(schemas, service, dialect, type) }]),
  )
}

function webhook(
  schemas: SchemaComponents,
  service: EventService,
  dialect: Dialect,
  type: EventType,
): Operation {
  const sample = service.sample(dialect, type)
  const headers = headersOf(service, sample)
  return {
    operationId: `on${nameOf(type)}`,
    tags: [SENT_TAG],
    summary: type.title,
    description: type.description,
    // Nobody logs in at a receiver: it tells by the signature who sends.
    security: NOBODY,
    parameters: service.headers.map(
      ({ name, description, schema }): Parameter => ({
        name,
        in: 'header',
        required: true,
        description,
        schema,
        example: headers[name],
      }),
    ),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemas.refer(service.envelope(type, () => dataSchema(schemas, service, type))),
          example: JSON.parse(sample.body),
        },
      },
    },
    responses: answersTo(dialect.policy),
  }
}

function answersTo({ timeoutMs, waitsMs, health }: DeliveryPolicy): Operation['responses'] {
  const seconds = timeoutMs / SECOND_MS
  const gone = 'The webhook is turned off at once, and what was still to be sent to it is canceled.'
  return {
    '2XX': { description: `Received. Only the status counts, and it must come within ${seconds} seconds.` },
    ...(health.goneSwitchesOff ? { 410: { description: gone } } : {}),
    default: {
      description: `Failed, as is no answer in time; a redirect is not followed. Tried ${waitsMs.length + 1} times in all.`,
      headers: {
        'Retry-After': {
          description: 'Seconds, or an HTTP date: the next attempt waits at least this long, at most a day.',
          required: false,
          schema: { type: 'string' },
        },
      },
    },
  }
}
