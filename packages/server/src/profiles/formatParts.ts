import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { FORMS } from '../core/textForms.ts'

// Building blocks of the schema of profiles.

export const closed = <P extends TProperties>(properties: P, description: string, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, description, ...options })
export const partial = <P extends TProperties>(properties: P, description: string) =>
  Type.Partial(closed(properties, description), { additionalProperties: false, description })
export const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Unsafe<V>({ type: 'string', enum: values, description })
export const text = (description: string, maxLength: number, options: object = {}) =>
  Type.String({ description, minLength: 1, maxLength, ...options })
export const nullable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })
export const count = (description: string, minimum: number, maximum: number) =>
  Type.Integer({ description, minimum, maximum })
export const record = <S extends TSchema>(
  name: string,
  values: S,
  description: string,
  maxProperties: number,
) =>
  Type.Unsafe<Readonly<Record<string, Static<S>>>>({
    type: 'object',
    description,
    maxProperties,
    propertyNames: { pattern: name },
    additionalProperties: values,
  })
export const jsonObject = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', description })

export const { pattern: MEMBER } = FORMS.member
export const { pattern: SCOPE } = FORMS.scope

export const duration = (description: string, example: string) =>
  Type.String({
    description: `${description} A number and a unit: \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`.`,
    pattern: FORMS.duration.pattern,
    examples: [example],
  })
export const scopes = (description: string) =>
  Type.Array(Type.String({ pattern: SCOPE }), { description, maxItems: 10, uniqueItems: true })

export const ID_KINDS = [
  'event',
  'delivery',
  'workspace',
  'member',
  'webhook',
  'key',
  'session',
  'replay',
] as const
export type IdKind = (typeof ID_KINDS)[number]

const prefix = (kind: IdKind) =>
  Type.String({ description: `Prefix of the id of a ${kind}.`, pattern: FORMS.idPrefix.pattern })

export const ids = partial(
  {
    style: oneOf(
      ['prefixed', 'uuid'],
      '`prefixed`: a prefix and 26 letters and digits that sort by time. `uuid`: a UUID of version 7.',
    ),
    prefixes: partial(
      Object.fromEntries(ID_KINDS.map((kind) => [kind, prefix(kind)])) as Record<
        IdKind,
        ReturnType<typeof prefix>
      >,
      'Prefixes of ids. Only with the style `prefixed`.',
    ),
  },
  'The form of ids.',
)
