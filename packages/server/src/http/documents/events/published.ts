import type { Catalog, EventType, JsonSchema } from '../../../core/catalog.ts'
import type { SchemaComponents } from '../components.ts'
import type { Media, Operation } from '../objects.ts'
import { type EventService, nameOf, type ObjectSchema } from './service.ts'

/**
 * Puts one schema for each event type in the place of the routes' single one, which leaves the data open and is
 * followed by a check of its own. Also names the schemas of the data.
 */
export function describePublished(schemas: SchemaComponents, service: EventService, catalog: Catalog): void {
  const known = schemas.get(service.published) as ObjectSchema
  const members = [...catalog.values()]
    .filter((type) => type.subscribable)
    .map((type) => schemas.define(`Publish${nameOf(type)}`, publishedSchema(schemas, service, type, known)))
  schemas.replace(service.published, { title: service.published, oneOf: members })
}

/** Refers to the schema of a type's data, and keeps it under its name. */
export const dataSchema = (schemas: SchemaComponents, service: EventService, type: EventType): JsonSchema =>
  schemas.define(nameOf(type) + service.data.suffix, type.schema)

function publishedSchema(
  schemas: SchemaComponents,
  service: EventService,
  type: EventType,
  known: ObjectSchema,
): JsonSchema {
  const { title: _, ...rest } = known
  return {
    ...rest,
    description: type.description,
    properties: {
      ...known.properties,
      type: { type: 'string', const: type.type },
      [service.data.member]: dataSchema(schemas, service, type),
      ...Object.fromEntries(
        Object.entries(service.publishedMembers(type)).map(([name, held]) => [
          name,
          { ...known.properties[name], ...held },
        ]),
      ),
    },
    examples: [service.publishedExample(type)],
  }
}

const isEvent = ({ published }: EventService, { $ref }: JsonSchema) =>
  $ref === `#/components/schemas/${published}`

const bodyOf = (operation: Operation) => operation.requestBody?.content['application/json']

/** The schema of the events in a body that holds many. */
const manyIn = ({ schema }: Media) =>
  ((schema as Partial<ObjectSchema>).properties?.events?.items ?? {}) as JsonSchema

export function publishesEvents(operation: Operation, service: EventService): boolean {
  const media = bodyOf(operation)
  return media !== undefined && (isEvent(service, media.schema) || isEvent(service, manyIn(media)))
}

/** An operation that publishes, with an example for each type or, where it takes many events, one of two. */
export function withPublishedExamples(
  operation: Operation,
  service: EventService,
  catalog: Catalog,
): Operation {
  const media = bodyOf(operation)
  if (media === undefined) return operation
  const types = [...catalog.values()].filter((type) => type.subscribable)
  const one = types.map((type) => [type.type, { summary: type.title, value: service.publishedExample(type) }])
  const two = { summary: 'Two events', value: { events: types.slice(0, 2).map(service.publishedExample) } }
  const examples = isEvent(service, media.schema) ? Object.fromEntries(one) : { two }
  return {
    ...operation,
    requestBody: { required: true, content: { 'application/json': { ...media, examples } } },
  }
}
