import { canonicalJson } from '../../../core/canonicalJson.ts'
import type { JsonSchema } from '../../../core/catalog.ts'
import { lazy } from '../../../core/lazy.ts'
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
 * The schema of query parameters that take the types of some services, also those that only a service itself sends.
 * @returns a reference to it, which is kept when it is first needed
 */
export const knownEventTypes = (
  schemas: SchemaComponents,
  services: readonly EventService[],
): (() => JsonSchema) =>
  lazy(() => {
    const types = services.flatMap((service) => service.types.map(({ type }) => type))
    const isOpen = services.some(({ anyType }) => anyType !== null)
    return schemas.named('KnownEventType', {
      ...namesOfTypes(types, isOpen),
      description: 'The name of an event type, also of one that only the service itself sends.',
    })
  })

/** An operation whose query parameters list the event types that they take. */
export function withTypesInQuery(operation: Operation, known: () => JsonSchema): Operation {
  const { parameters } = operation
  if (parameters === undefined) return operation
  return {
    ...operation,
    parameters: parameters.map((parameter) =>
      parameter.in === 'query' && TYPE_PARAMETERS.includes(parameter.name)
        ? { ...parameter, schema: known() }
        : parameter,
    ),
  }
}

/**
 * An operation whose body lists the event types that it takes, where the route leaves that to a check of its own. Answers
 * leave the names open, since types are added.
 */
export function withTypesInBody(
  operation: Operation,
  schemas: SchemaComponents,
  service: EventService,
): Operation {
  const media = operation.requestBody?.content['application/json']
  if (media === undefined) return operation
  const types = publishedTypes(service).map(({ type }) => type)
  const listed = (schema: JsonSchema): JsonSchema =>
    schema.type === 'string' && canonicalJson(schema) === NAME_OF_TYPE
      ? schemas.named('EventType', {
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
