import { canonicalJson } from '../../../core/canonicalJson.ts'
import type { Catalog, JsonSchema } from '../../../core/catalog.ts'
import { mapSchemas } from '../../../validation/mapSchemas.ts'
import { eventTypeName } from '../../shared/schemas.ts'
import type { SchemaComponents } from '../components.ts'
import type { Operation } from '../objects.ts'

const NAME_OF_TYPE = canonicalJson(JSON.parse(JSON.stringify(eventTypeName)))

/** Query parameters that name an event type, in the spellings of both services. */
const TYPE_PARAMETERS = ['event', 'type', 'event_type', 'eventType']

/**
 * An operation whose body and query parameters list the event types that it takes, where the route leaves that to a check of its own. Answers
 * leave the names open, since types are added.
 */
export function withEventTypes(operation: Operation, schemas: SchemaComponents, catalog: Catalog): Operation {
  return withTypesInBody(withTypesInQuery(operation, schemas, [catalog]), schemas, catalog)
}

/** An operation whose query parameters list the event types that they take, also those that only the service itself sends. */
export function withTypesInQuery(
  operation: Operation,
  schemas: SchemaComponents,
  catalogs: readonly Catalog[],
): Operation {
  const { parameters } = operation
  if (parameters === undefined) return operation
  const types = catalogs.flatMap((catalog) => [...catalog.keys()])
  const listed = (): JsonSchema =>
    schemas.define('KnownEventType', {
      type: 'string',
      enum: types,
      description: 'The name of an event type, also of one that only the service itself sends.',
    })
  return {
    ...operation,
    parameters: parameters.map((parameter) =>
      parameter.in === 'query' && TYPE_PARAMETERS.includes(parameter.name)
        ? { ...parameter, schema: listed() }
        : parameter,
    ),
  }
}

function withTypesInBody(operation: Operation, schemas: SchemaComponents, catalog: Catalog): Operation {
  const media = operation.requestBody?.content['application/json']
  if (media === undefined) return operation
  const types = [...catalog.values()].filter(({ subscribable }) => subscribable).map(({ type }) => type)
  const listed = (schema: JsonSchema): JsonSchema =>
    canonicalJson(schema) === NAME_OF_TYPE
      ? schemas.define('EventType', {
          type: 'string',
          enum: types,
          description: 'The name of an event type.',
        })
      : mapSchemas(schema, listed)
  const content = { 'application/json': { ...media, schema: listed(media.schema) } }
  return { ...operation, requestBody: { ...operation.requestBody!, content } }
}
