import type { JsonSchema } from '../../../core/catalog.ts'
import { FORMS } from '../../../core/textForms.ts'
import type { Slice } from '../../shared/bodies/turns.ts'
import { sampleMembers } from '../../shared/sampleRequests.ts'
import type { SchemaComponents } from '../components.ts'
import type { Media, Operation } from '../objects.ts'
import { idSchema, type ObjectSchema } from './schemas.ts'
import { type DescribedType, type EventService, publishedTypes } from './service.ts'

/**
 * Puts one schema for each event type in the place of the routes' single one, which leaves the data open and is
 * followed by a check of its own. Also names the schemas of the data.
 */
export async function describePublished(
  schemas: SchemaComponents,
  service: EventService,
  slice: Slice,
): Promise<void> {
  const known = schemas.get(service.published) as ObjectSchema
  const title = service.published
  const types = publishedTypes(service)
  const schemaOf = (type: DescribedType) => publishedSchema(schemas, service, type, known)
  if (types.length === 1) schemas.replace(title, { title, ...schemaOf(types[0]!) })
  if (types.length < 2) return
  const members: JsonSchema[] = []
  for (const type of types) {
    if (slice.isOver) await slice.next()
    members.push(schemas.named(`Publish${type.name}`, schemaOf(type)))
  }
  // Linters do not see that the last one, for all other types, excludes the rest.
  schemas.replace(title, service.anyType === null ? { title, oneOf: members } : { title, anyOf: members })
}

/** Refers to the schema of a type's data, and keeps it under its name. */
export const dataSchema = (
  schemas: SchemaComponents,
  service: EventService,
  type: DescribedType,
): JsonSchema => schemas.named(type.name + service.data.suffix, type.schema)

function publishedSchema(
  schemas: SchemaComponents,
  service: EventService,
  type: DescribedType,
  known: ObjectSchema,
): JsonSchema {
  const { title: _, ...rest } = known
  return {
    ...rest,
    description: type.description,
    properties: {
      ...known.properties,
      type: typeSchema(service, type),
      [service.data.member]: dataSchema(schemas, service, type),
      ...Object.fromEntries(
        Object.entries(heldMembers(service, type)).map(([name, held]) => [
          name,
          { ...known.properties[name], ...held },
        ]),
      ),
    },
    examples: [publishedExample(service, type)],
  }
}

/** No event fits two schemas: what stands for all other types takes none of those that are listed. */
function typeSchema({ types }: EventService, { type, isAny }: DescribedType): JsonSchema {
  if (!isAny) return { type: 'string', const: type }
  const { pattern } = FORMS.eventTypeName
  const listed = types.map((one) => one.type)
  return {
    type: 'string',
    pattern,
    ...(listed.length === 0 ? {} : { not: { enum: listed } }),
    description: 'The name of an event type.',
  }
}

/** What members of an event to publish are held to besides, by checks that follow the routes' schema. */
function heldMembers({ served: { profile } }: EventService, type: DescribedType) {
  const { type: _, ...idForm } = idSchema(profile, 'event')
  const fixed = Object.entries(type.members).map(([name, value]) => [
    name,
    { const: value, examples: [value] },
  ])
  return {
    [profile.event.time]: { format: 'date-time', pattern: FORMS.instant.pattern },
    id: profile.prefixes === null ? { ...idForm, maxLength: 36 } : idForm,
    ...(Object.fromEntries(fixed) as Readonly<Record<string, JsonSchema>>),
  }
}

/** What every event has stands before the data, and the rest after it. */
function publishedExample({ served }: EventService, { type, example }: DescribedType): JsonSchema {
  const { event } = served.profile
  const values = sampleMembers(served, type)
  const members = (required: boolean) =>
    Object.entries(event.members)
      .filter(([name, given]) => given.required === required && values[name] !== undefined)
      .map(([name]) => [name, values[name]])
  return {
    type,
    ...Object.fromEntries(members(true)),
    [event.data]: example,
    ...Object.fromEntries(members(false)),
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

interface PublishedExample {
  readonly summary: string
  readonly value: JsonSchema
}

/** An event of each type, by the key of the type. */
export async function publishedExamples(
  service: EventService,
  slice: Slice,
): Promise<Readonly<Record<string, PublishedExample>>> {
  const examples: [string, PublishedExample][] = []
  for (const type of publishedTypes(service)) {
    if (slice.isOver) await slice.next()
    examples.push([type.key, { summary: type.title, value: publishedExample(service, type) }])
  }
  return Object.fromEntries(examples)
}

/** An operation that publishes, with an example for each type or, where it takes many events, one of two. */
export function withPublishedExamples(
  operation: Operation,
  service: EventService,
  one: Readonly<Record<string, PublishedExample>>,
): Operation {
  const media = bodyOf(operation)
  const first = publishedTypes(service).slice(0, 2)
  if (media === undefined || first.length === 0) return operation
  const few = first.map(({ key }) => one[key]!.value)
  const many =
    few.length === 2
      ? { two: { summary: 'Two events', value: { events: few } } }
      : { one: { summary: 'One event', value: { events: few } } }
  const examples = isEvent(service, media.schema) ? one : many
  return {
    ...operation,
    requestBody: { required: true, content: { 'application/json': { ...media, examples } } },
  }
}
