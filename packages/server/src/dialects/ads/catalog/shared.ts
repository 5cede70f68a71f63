import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { EventType, JsonSchema } from '../../../core/catalog.ts'

export interface AdsEventType extends EventType {
  /**
   * The `entityType` that every event of this type carries. The envelope's `entityId` names the entity, so a
   * payload never repeats it.
   */
  readonly entityType: string
}

/**
 * Every member is required, and one that can have no value is `null`: the shape of a version never changes,
 * not even from one event to the next.
 */
export const closed = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, description })

/** A type list keeps the error on the value's own keyword; `anyOf` would only say that no branch matched. */
export const nullable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

/** The length bound refuses the `urn:uuid:` spelling, which the format allows. */
export const uuid = (description: string) => Type.String({ description, format: 'uuid', maxLength: 36 })

/** An open set: a value the platform adds later must not turn into a refused event, nor need a `.v2`. */
export const code = (description: string, ...examples: string[]) =>
  Type.String({ description, pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$', maxLength: 64, examples })

export const name = (description: string) => Type.String({ description, maxLength: 300 })

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

/** Nothing above this survives `JSON.parse` in JavaScript unchanged. */
export const count = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Minor units rather than micros: in micros, a large budget in rupiah passes the largest safe integer. */
export const money = (description: string) =>
  closed(description, {
    amountMinor: count("In the currency's minor unit: cents for EUR, whole yen for JPY."),
    currency: Type.String({
      description: 'ISO 4217 code.',
      pattern: '^[A-Z]{3}$',
      maxLength: 3,
      examples: ['EUR'],
    }),
  })

export const reason = (description: string, ...codes: string[]) =>
  closed(description, {
    code: code('A stable word for programs. New values can appear.', ...codes),
    message: message('The same for people, in one or two sentences.'),
  })

export const changedFields = (description: string) =>
  Type.Array(
    Type.String({
      description: 'A field of the entity, by its name in the API.',
      pattern: '^[A-Za-z][A-Za-z0-9_.]{0,63}$',
      maxLength: 64,
    }),
    { description, maxItems: 100, uniqueItems: true },
  )

/** What an `updated` event adds to the members of its `created` event. */
export const updated = {
  changedFields: changedFields('The fields that changed. Fields that this payload does not show count too.'),
}

export const target = (description: string) =>
  closed(description, {
    entityType: code('What kind of entity it is.', 'campaign', 'line_item'),
    entityId: uuid('The entity, as the API knows it.'),
  })

interface Draft<S extends TSchema> extends Omit<AdsEventType, 'schema' | 'example' | 'subscribable'> {
  readonly schema: S
  /** Checked against `schema` at compile time; patterns and bounds are left to the tests. */
  readonly example: Static<NoInfer<S>>
}

/** Every ads type can be subscribed to: the contract knows no test event. */
export function eventType<S extends TSchema>(draft: Draft<S>): AdsEventType {
  return {
    ...draft,
    subscribable: true,
    // A clone holds no builder's hidden members, so what is published is plain JSON data.
    schema: structuredClone<unknown>(draft.schema) as JsonSchema,
    example: structuredClone<unknown>(draft.example) as JsonSchema,
  }
}
