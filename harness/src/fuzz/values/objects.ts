import fc from 'fast-check'
import type { JsonSchema, SchemaObject } from '../../api/jsonSchema.ts'
import { CannotGenerateError } from './conversion.ts'
import { stringsOf } from './strings.ts'

type Convert = (schema: JsonSchema, name: string) => fc.Arbitrary<unknown>
type Members = Readonly<Record<string, unknown>>

/** Objects that match a schema. */
export function objectsOf(schema: SchemaObject, convert: Convert): fc.Arbitrary<Members> {
  const { properties = {}, required = [], minProperties = 0 } = schema
  const unknown = required.filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length > 0) throw new CannotGenerateError(`${unknown.join()} is required and not described`)
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, convert(member, name)])),
    { requiredKeys: [...required], noNullPrototype: true },
  )
  const further = furtherMembers(schema, convert)
  const all =
    further === null ? named : fc.tuple(further, named).map(([more, known]) => ({ ...more, ...known }))
  const { maxProperties = Number.POSITIVE_INFINITY } = schema
  if (minProperties === 0 && maxProperties === Number.POSITIVE_INFINITY) return all
  return all.filter((value) => {
    const count = Object.keys(value).length
    return count >= minProperties && count <= maxProperties
  })
}

/** Members whose names the schema does not list; `null` when none are allowed. */
function furtherMembers(schema: SchemaObject, convert: Convert): fc.Arbitrary<Members> | null {
  const { properties = {}, patternProperties, additionalProperties = true, minProperties = 0 } = schema
  const { maxProperties } = schema
  const isFree = (name: string) => !Object.hasOwn(properties, name) && name !== '__proto__'
  const minKeys = Object.keys(properties).length === 0 ? minProperties : 0
  const keys = { minKeys, ...(maxProperties === undefined ? {} : { maxKeys: maxProperties }) }
  const patterns = Object.entries(patternProperties ?? {})
  if (patterns.length > 0) {
    return fc.oneof(
      ...patterns.map(([pattern, member]) =>
        fc.dictionary(stringsOf({ pattern }).filter(isFree), convert(member, ''), {
          ...keys,
          noNullPrototype: true,
        }),
      ),
    )
  }
  if (additionalProperties === false) return null
  const names = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(isFree)
  return fc.dictionary(names, convert(additionalProperties, ''), {
    maxKeys: 3,
    ...keys,
    noNullPrototype: true,
  })
}
