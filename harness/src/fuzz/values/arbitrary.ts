import fc from 'fast-check'
import type { JsonSchema, SchemaObject } from '../../api/jsonSchema.ts'
import { CannotGenerateError, type Conversion } from './conversion.ts'
import { numbersOf } from './numbers.ts'
import { objectsOf } from './objects.ts'
import { stringsOf } from './strings.ts'

/** Keywords that do not restrict values. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'examples',
  'example',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  // In JSON Schema 2020-12 the content of a string is never invalid.
  'contentMediaType',
  'contentSchema',
])

/** Supported keywords, by the type of value that they restrict. */
const UNDERSTOOD: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: [
    'properties',
    'patternProperties',
    'additionalProperties',
    'required',
    'minProperties',
    'maxProperties',
  ],
  boolean: [],
  null: [],
}

const anything = fc.jsonValue({ maxDepth: 2 })

/**
 * Generates values that match a schema.
 * @param name of the member that has the schema
 * @throws CannotGenerateError for unsupported keywords, so that no part of a document is ignored
 */
export function arbitraryOf(schema: JsonSchema, conversion: Conversion, name = ''): fc.Arbitrary<unknown> {
  return new Converter(conversion).convert(schema, name)
}

class Converter {
  readonly #conversion: Conversion
  readonly #open: string[] = []

  constructor(conversion: Conversion) {
    this.#conversion = conversion
  }

  convert(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
    if (schema === false) throw new CannotGenerateError('a schema that takes nothing')
    if (schema === true) return anything
    if (schema.$ref !== undefined) return this.#follow(schema.$ref, name)
    return (
      this.#conversion.override(name, schema, () => this.#plain(schema, name)) ?? this.#plain(schema, name)
    )
  }

  #follow(ref: string, name: string): fc.Arbitrary<unknown> {
    if (this.#open.includes(ref)) throw new CannotGenerateError(`${ref} contains itself`)
    this.#open.push(ref)
    const found = this.convert(this.#conversion.resolve(ref), name)
    this.#open.pop()
    return found
  }

  #plain(schema: SchemaObject, name: string): fc.Arbitrary<unknown> {
    const { const: only, enum: values, oneOf, anyOf } = schema
    if (only !== undefined) return fc.constant(only)
    if (values !== undefined) return fc.constantFrom(...values)
    const branches = oneOf ?? anyOf
    if (branches !== undefined) {
      refuseUnknown(schema, [oneOf === undefined ? 'anyOf' : 'oneOf'])
      return fc.oneof(...branches.map((branch) => this.convert(branch, name)))
    }
    if (schema.type === undefined) {
      refuseUnknown(schema, [])
      return anything
    }
    if (schema.not !== undefined) {
      const { not, ...rest } = schema
      const isExcluded = withMembers(not)
      return this.#plain(rest, name).filter((value) => !isExcluded(value))
    }
    const types = [schema.type].flat()
    refuseUnknown(schema, ['type', ...types.flatMap((type) => UNDERSTOOD[type] ?? [])])
    return fc.oneof(...types.map((type) => this.#ofType(type, schema, name)))
  }

  #ofType(type: string, schema: SchemaObject, name: string): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
      case 'number':
        return numbersOf(type, schema)
      case 'string':
        return stringsOf(schema)
      case 'array':
        return this.#lists(schema, name)
      case 'object':
        return objectsOf(schema, (member, memberName) => this.convert(member, memberName))
      default:
        throw new CannotGenerateError(`the type ${type}`)
    }
  }

  #lists(
    { items = true, minItems = 0, maxItems, uniqueItems }: SchemaObject,
    name: string,
  ): fc.Arbitrary<unknown> {
    const limits = { minLength: minItems, ...(maxItems === undefined ? {} : { maxLength: maxItems }) }
    const item = this.convert(items, name)
    // The keyword compares JSON values; equal objects are not identical.
    if (uniqueItems === true)
      return fc.uniqueArray(item, { ...limits, selector: (value) => JSON.stringify(value) })
    return fc.array(item, limits)
  }
}

/** Whether a value is an object that has all the members, with the same values, that a schema requires. */
function withMembers(schema: JsonSchema): (value: unknown) => boolean {
  if (typeof schema === 'boolean') throw new CannotGenerateError('the keyword not with true or false')
  refuseUnknown(schema, ['type', 'properties', 'required'])
  const { type, properties = {}, required = [] } = schema
  const members = Object.entries(properties).map(([name, member]) => {
    const only = typeof member === 'boolean' ? undefined : member.const
    if (only === undefined || !required.includes(name)) {
      throw new CannotGenerateError(`${name} in the keyword not has no const, or is not required`)
    }
    return [name, only] as const
  })
  if (type !== 'object' || members.length !== required.length) {
    throw new CannotGenerateError('the keyword not of something else than an object')
  }
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    members.every(([name, only]) => (value as Readonly<Record<string, unknown>>)[name] === only)
}

function refuseUnknown(schema: SchemaObject, understood: readonly string[]): void {
  for (const keyword of Object.keys(schema)) {
    if (ANNOTATIONS.has(keyword) || keyword.startsWith('x-') || understood.includes(keyword)) continue
    throw new CannotGenerateError(`the keyword ${keyword} in ${JSON.stringify(schema).slice(0, 200)}`)
  }
}
