import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { EventType, JsonSchema } from '../core/catalog.ts'
import { FORMS } from '../core/textForms.ts'

/**
 * Every member is required, and one that can have no value is `null`: a receiver that maps fields from one sample
 * finds the same fields in every later event, and the shape of a version never changes.
 */
export const closed = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, description })

/** A type list keeps the error on the value's own keyword; `anyOf` would only say that no branch matched. */
export const nullable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

/** An open set: a value that a service adds later must not turn into a refused event, nor need a new version. */
export const code = (description: string, ...examples: string[]) =>
  Type.String({ description, pattern: FORMS.code.pattern, maxLength: 64, examples })

export const message = (description: string) => Type.String({ description, maxLength: 500 })

/** The pattern keeps `javascript:` and the like out of pages that render the link. */
export const url = (description: string) =>
  Type.String({ description, format: 'uri', pattern: FORMS.webLink.pattern, maxLength: 2048 })

export const date = (description: string) => Type.String({ description, format: 'date', maxLength: 10 })

export const dateTime = (description: string) =>
  Type.String({
    description: `${description} ISO 8601, UTC, with milliseconds.`,
    format: 'date-time',
    pattern: FORMS.sentTime.pattern,
    maxLength: 24,
  })

export const reason = (description: string, ...codes: string[]) =>
  closed(description, {
    code: code('A stable word for programs. New values can appear.', ...codes),
    message: message('The same for people, in one or two sentences.'),
  })

/** An event type as a catalog writes it down. */
export interface Draft<S extends TSchema> extends Omit<EventType, 'schema' | 'example' | 'subscribable'> {
  readonly schema: S
  /** Checked against `schema` at compile time; patterns and bounds are left to the tests. */
  readonly example: Static<NoInfer<S>>
}

/** A clone holds no builder's hidden members, so what is published is plain JSON data. */
export function published<S extends TSchema, D extends Draft<S>>(draft: D & Pick<EventType, 'subscribable'>) {
  return {
    ...draft,
    schema: structuredClone<unknown>(draft.schema) as JsonSchema,
    example: structuredClone<unknown>(draft.example) as JsonSchema,
  }
}
