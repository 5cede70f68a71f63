import type { Catalog, JsonSchema } from '../../../core/catalog.ts'
import { canonicalJson } from '../../shared/canonical.ts'
import { eventTypeName } from '../../shared/schemas.ts'
import { mapSchemas, type SchemaComponents } from '../components.ts'
import type { Operation } from '../objects.ts'

const NAME_OF_TYPE = canonicalJson(JSON.parse(JSON.stringify(eventTypeName)))

/**
 * An operation whose body lists the event types that it takes, where the route leaves that to a check of its own. Answers
 * leave the names open, since types are added.
 */
export function withEventTypes(operation: Operation, schemas: SchemaComponents, catalog: Catalog): Operation {
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
  return { ...operation, requestBody: { required: true, content } }
}
