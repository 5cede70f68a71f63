import { canonicalJson } from '../../../core/canonicalJson.ts'
import type { JsonSchema } from '../../../core/catalog.ts'
import { FORMS } from '../../../core/textForms.ts'
import { mapSchemas } from '../../../validation/mapSchemas.ts'
import { eventTypeName } from '../../shared/schemas.ts'
import type { SchemaComponents } from '../components.ts'
import type { Operation } from '../objects.ts'
import { type EventService, publishedTypes } from './service.ts'

const NAME_OF_TYPE = canonicalJson(JSON.parse(JSON.stringify(eventTypeName)))

/** Query parameters that name an event type, in all spellings. */
const TYPE_PARAMETERS = ['event', 'type', 'event_type', 'eventType']

/**
 * An operation whose body and query parameters list the event types that it takes, where the route leaves that to a check of its own. Answers
 * leave the names open, since types are added.
 */
export function withEventTypes(
  operation: Operation,
  schemas: SchemaComponents,
  service: EventService,
): Operation {
  return withTypesInBody(withTypesInQuery(operation, schemas, [service]), schemas, service)
}

/** An operation whose query parameters list the event types that they take, also those that only the service itself sends. */
export function withTypesInQuery(
  operation: Operation,
  schemas: SchemaComponents,
  services: readonly EventService[],
): Operation {
  const { parameters } = operation
  if (parameters === undefined) return operation
  const types = services.flatMap((service) => service.types.map(({ type }) => type))
  const isOpen = services.some(({ anyType }) => anyType !== null)
  const listed = (): JsonSchema =>
    schemas.define('KnownEventType', {
      ...namesOfTypes(types, isOpen),
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

function withTypesInBody(operation: Operation, schemas: SchemaComponents, service: EventService): Operation {
  const media = operation.requestBody?.content['application/json']
  if (media === undefined) return operation
  const types = publishedTypes(service).map(({ type }) => type)
  const listed = (schema: JsonSchema): JsonSchema =>
    canonicalJson(schema) === NAME_OF_TYPE
      ? schemas.define('EventType', {
          ...namesOfTypes(types, service.anyType !== null),
          description: 'The name of an event type.',
        })
      : mapSchemas(schema, listed)
  const content = { 'application/json': { ...media, schema: listed(media.schema) } }
  return { ...operation, requestBody: { ...operation.requestBody!, content } }
}

/** Where any well-formed name may be given, those that are known are examples. */
function namesOfTypes(types: readonly string[], isOpen: boolean): JsonSchema {
  const known = [...new Set(types)]
  if (!isOpen && known.length > 0) return { type: 'string', enum: known }
  return {
    type: 'string',
    pattern: FORMS.eventTypeName.pattern,
    ...(known.length === 0 ? {} : { examples: known }),
  }
}
