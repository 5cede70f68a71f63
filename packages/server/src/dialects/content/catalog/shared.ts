import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { EventType, JsonSchema } from '../../../core/catalog.ts'

/**
 * Every member is required, and one that can have no value is `null`: a receiver that maps fields from one
 * sample then finds the same fields in every later event of the type.
 */
export const closed = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, description })

/** A type list keeps the error on the value's own keyword; `anyOf` would only say that no branch matched. */
export const nullable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

/** Only the prefixes that the contract shows are enforced; the service may name its other ids as it likes. */
const prefixedId = (prefix: string) => (description: string) =>
  Type.String({ description, pattern: `^${prefix}_[A-Za-z0-9_-]{1,64}$`, maxLength: prefix.length + 65 })

const contentId = prefixedId('cnt')
export const destinationId = prefixedId('dst')
export const generationId = prefixedId('gen')
export const publicationId = prefixedId('pub')
export const scheduleId = prefixedId('sch')
export const userId = prefixedId('usr')
export const versionId = prefixedId('ver')
export const webhookId = prefixedId('wh')

export const id = (description: string) =>
  Type.String({ description, pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 64 })

/** An open set: a value the service adds later must not turn into a refused event. */
export const code = (description: string, ...examples: string[]) =>
  Type.String({ description, pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$', maxLength: 64, examples })

/** May be empty: a draft that fails early has no title yet, and its event is still worth sending. */
export const title = (description: string) => Type.String({ description, maxLength: 300 })

export const message = (description: string) => Type.String({ description, maxLength: 500 })

/** The pattern keeps `javascript:` and the like out of pages that render the link. */
export const url = (description: string) =>
  Type.String({ description, format: 'uri', pattern: '^https?://', maxLength: 2048 })

export const date = (description: string) => Type.String({ description, format: 'date', maxLength: 10 })

export const dateTime = (description: string) =>
  Type.String({
    description: `${description} ISO 8601, UTC, with milliseconds.`,
    format: 'date-time',
    pattern: '^[0-9T:-]{19}\\.[0-9]{3}Z$',
    maxLength: 24,
  })

export const reason = (description: string, ...codes: string[]) =>
  closed(description, {
    code: code('A stable word for programs. New values can appear.', ...codes),
    message: message('The same for people, in one or two sentences.'),
  })

export const generationRef = closed('The piece of work that the event is about.', {
  id: generationId('The generation, as the API knows it.'),
  kind: code('What is being written, such as `article`. New kinds can appear.', 'article'),
  title: title('Its title at the time of the event.'),
  content_id: contentId(
    'The piece of content that the generation belongs to; stays the same over revisions.',
  ),
})

interface Draft<S extends TSchema> extends Omit<EventType, 'schema' | 'example' | 'subscribable'> {
  readonly schema: S
  /** Checked against `schema` at compile time; patterns and bounds are left to the tests. */
  readonly example: Static<NoInfer<S>>
  /** Default: true. */
  readonly subscribable?: boolean
}

export function eventType<S extends TSchema>(draft: Draft<S>): EventType {
  return {
    subscribable: true,
    ...draft,
    // A clone holds no builder's hidden members, so what is published is plain JSON data.
    schema: structuredClone<unknown>(draft.schema) as JsonSchema,
    example: structuredClone<unknown>(draft.example) as JsonSchema,
  }
}
