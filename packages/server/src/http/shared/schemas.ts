import { type Static, type TOptional, type TProperties, type TSchema, Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'

/** An object that takes no other members. */
export const closed = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** The same members, none of which has to be there. */
export const optional = <P extends TProperties>(properties: P): { [K in keyof P]: TOptional<P[K]> } =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [K in keyof P]: TOptional<P[K]>
  }

/** A body that may be left out, and then counts as `{}`: for requests whose members are all optional and ask for little. */
export const optionalBody = <P extends TProperties>(properties: P) => closed(properties, { default: {} })

/** Whether it is an {@link optionalBody}. */
export const isOptionalBody = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && 'default' in schema

/** An object whose members another schema describes. */
export const openObject = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true, description })

/** A type list keeps the serializer on its fast path and the error on the value's own keyword, unlike `anyOf`. */
export const nullable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

export const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Unsafe<V>({ type: 'string', enum: values, description })

export const time = (description: string) =>
  Type.String({ description: `${description} ISO 8601, UTC, with milliseconds.`, format: 'date-time' })

/** Unprintable characters are refused where people type: no label needs them, and PostgreSQL stores no NUL. */
export const label = (description: string, maxLength: number) =>
  Type.String({ description, minLength: 1, maxLength, pattern: FORMS.label.pattern })

/** Like a label, but it may be empty and go over several lines. */
export const freeText = (description: string, maxLength: number) =>
  Type.String({ description, maxLength, pattern: FORMS.freeText.pattern })

export const emailAddress = (description: string) =>
  Type.String({ format: 'email', maxLength: 254, description })

/** A time that a caller sends. */
export const instant = (description: string, example: string) =>
  Type.String({
    description: `${description} RFC 3339, from 2000 to 2099.`,
    pattern: FORMS.instant.pattern,
    examples: [example],
  })

/** The target of a webhook; `checkUrl` says what is wrong with one, and why. */
export const targetUrl = Type.String({
  description: 'A public HTTPS URL. IP addresses and local names are not allowed.',
  minLength: 1,
  maxLength: 2048,
  pattern: FORMS.targetUrl.pattern,
  examples: ['https://hooks.example.com/posthorn'],
})

/** The id, or the slug, of something that a filter names. */
export const reference = (description: string) =>
  Type.String({ description, pattern: FORMS.reference.pattern })

export const eventTypeName = Type.String({ description: 'The name of an event type.' })

/** Identifiers in paths. Whatever does not have their form is simply not found, so nothing is checked here. */
export const pathId = (description: string) => Type.String({ description })

export const noContent = Type.Null({ description: 'The request succeeded. The response has no body.' })

export const sinceQuery = Type.Optional(instant('Created at this time or later.', '2026-03-14T00:00:00Z'))
export const untilQuery = Type.Optional(instant('Created before this time.', '2026-03-15T00:00:00Z'))
