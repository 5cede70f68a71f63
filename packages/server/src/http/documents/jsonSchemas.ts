import { ProfileSchema } from '../../profiles/format.ts'
import { sampleOf } from '../shared/sampleRequests.ts'
import { envelopeSchema } from './events/envelopeSchema.ts'
import type { DescribedType, EventService } from './events/service.ts'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

export const schemaPath = ({ name }: EventService, { type }: DescribedType) =>
  `/schemas/${name}/${encodeURIComponent(type)}.json`

/** The body of a request to a receiver, as a self-contained schema. */
export function eventSchema(service: EventService, type: DescribedType): object {
  const { title: _, ...schema } = envelopeSchema(service, type, () => type.schema)
  return {
    $schema: DRAFT,
    $id: `urn:posthorn:schema:${service.name}:${type.type}`,
    title: type.title,
    ...schema,
    examples: [JSON.parse(sampleOf(service.served, type).body)],
  }
}

/** What a profile may be, for editors and for `posthorn service check`. */
export const profileSchema = (): object => ({
  $schema: DRAFT,
  $id: 'urn:posthorn:schema:profile',
  ...ProfileSchema,
  examples: [SMALL_PROFILE],
})

const SMALL_PROFILE = {
  profile: 1,
  name: 'billing',
  title: 'Billing',
  catalog: {
    types: [
      {
        type: 'invoice.paid',
        title: 'Invoice paid',
        schema: {
          type: 'object',
          properties: { invoice_id: { type: 'string' }, amount_cents: { type: 'integer' } },
          required: ['invoice_id', 'amount_cents'],
          additionalProperties: false,
        },
        example: { invoice_id: 'inv_1001', amount_cents: 4900 },
      },
    ],
  },
}

/** What schemas there are. */
export function schemaIndex(services: readonly EventService[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    services.map((service) => [
      service.name,
      service.types.map((entry) => {
        const { type, title, description, group, subscribable } = entry
        return { type, title, description, group, subscribable, schema: schemaPath(service, entry) }
      }),
    ]),
  )
}
