import { SECOND_MS } from '../../../core/duration.ts'
import type { DeliveryPolicy } from '../../../core/policy.ts'
import type { Slice } from '../../shared/bodies/turns.ts'
import { sampleOf } from '../../shared/sampleRequests.ts'
import type { SchemaComponents } from '../components.ts'
import type { Operation, Parameter } from '../objects.ts'
import { NO_CREDENTIALS } from '../security.ts'
import { envelopeSchema } from './envelopeSchema.ts'
import { dataSchema } from './published.ts'
import { headerValues } from './samples.ts'
import { type DescribedType, describedTypes, type EventService } from './service.ts'

/** Tag of all requests that go out. */
export const SENT_TAG = 'Requests to your endpoint'

/** The requests that receivers get, one for each event type, as the `webhooks` of a document. */
export async function describeWebhooks(
  schemas: SchemaComponents,
  service: EventService,
  slice: Slice,
): Promise<Readonly<Record<string, { readonly post: Operation }>>> {
  const webhooks: [string, { readonly post: Operation }][] = []
  for (const type of describedTypes(service)) {
    if (slice.isOver) await slice.next()
    webhooks.push([type.key, { post: webhook(schemas, service, type) }])
  }
  return Object.fromEntries(webhooks)
}

function webhook(schemas: SchemaComponents, service: EventService, type: DescribedType): Operation {
  const sample = sampleOf(service.served, type)
  const headers = headerValues(service, sample)
  const body = envelopeSchema(service, type, () => dataSchema(schemas, service, type))
  return {
    operationId: `on${type.name}`,
    tags: [SENT_TAG],
    summary: type.title,
    description: type.description,
    // Requests to receivers have no credentials: the signature shows who sends.
    security: NO_CREDENTIALS,
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
          schema: schemas.named(body.title as string, body),
          // Readers of documents ignore a single `example`.
          examples: { sample: { summary: type.title, value: JSON.parse(sample.body) } },
        },
      },
    },
    responses: answersTo(service.served.policy),
  }
}

function answersTo({ timeoutMs, waitsMs, health, ...policy }: DeliveryPolicy): Operation['responses'] {
  const seconds = timeoutMs / SECOND_MS
  const gone = health.goneDisables
    ? 'The webhook is disabled immediately, and its pending deliveries are canceled.'
    : 'The delivery failed; it is not retried.'
  return {
    '2XX': { description: `Delivered. Only the status counts. It must arrive within ${seconds} seconds.` },
    ...(policy.goneEndsDelivery ? { 410: { description: gone } } : {}),
    default: {
      description: `The attempt failed, as it does without a response. Redirects are not followed. There are ${waitsMs.length + 1} attempts in total.`,
      ...(policy.honorsRetryAfter ? { headers: RETRY_AFTER } : {}),
    },
  }
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds, or an HTTP date. The next attempt waits at least this long, but at most a day.',
    required: false,
    schema: { type: 'string' },
  },
}
