import type { JsonSchema } from '../../../api/eventSchema.ts'
import { countText } from '../../../model/numbers.ts'

/** A member of a body, for display. */
export interface SchemaMember {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** Allowed values; empty: any. */
  readonly allowed: readonly string[]
  /** Example values. */
  readonly examples: readonly string[]
  /** "up to 300 characters". */
  readonly limits: readonly string[]
  readonly members: readonly SchemaMember[]
}

/** Limits recursive schemas. */
const MAX_DEPTH = 12

/** The members of an object schema, for display. */
export function schemaMembers(
  root: JsonSchema,
  schema: JsonSchema = root,
  depth = 0,
): readonly SchemaMember[] {
  if (depth > MAX_DEPTH) return []
  return shapesOf(root, schema).flatMap((shape) => [
    ...Object.entries(objectOf(shape.properties)).map(([name, member]) =>
      memberOf(root, name, objectOf(member), listOf(shape.required).includes(name), depth),
    ),
    ...(isSchema(shape.additionalProperties)
      ? [memberOf(root, 'any name', shape.additionalProperties, false, depth)]
      : []),
    ...(isSchema(shape.items) && isHolder(root, shape.items)
      ? schemaMembers(root, shape.items, depth + 1)
      : []),
  ])
}

function memberOf(
  root: JsonSchema,
  name: string,
  given: JsonSchema,
  required: boolean,
  depth: number,
): SchemaMember {
  const shapes = shapesOf(root, given)
  const first = <Value>(key: string, known: (value: unknown) => value is Value): Value | null =>
    [given, ...shapes].map((shape) => shape[key]).find(known) ?? null
  return {
    name,
    type: [...new Set(shapes.flatMap((shape) => typesOf(root, shape)))].join(' or ') || 'anything',
    required,
    description: first('description', isText) ?? '',
    allowed: shapes
      .flatMap((shape) => ('const' in shape ? [shape.const] : listOf(shape.enum)))
      .map(valueText),
    examples: listOf(first('examples', Array.isArray)).map(valueText),
    limits: [...new Set(shapes.flatMap(limitsOf))],
    members: schemaMembers(root, given, depth + 1),
  }
}

/** Resolves references, and expands `allOf`, `anyOf` and `oneOf`. */
function shapesOf(root: JsonSchema, schema: JsonSchema, depth = 0): readonly JsonSchema[] {
  if (depth > MAX_DEPTH) return []
  const ref = schema.$ref
  if (isText(ref)) return shapesOf(root, at(root, ref), depth + 1)
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]))
  const own = Object.keys(schema).some((key) => SAYS_SOMETHING.has(key)) || parts.length === 0 ? [schema] : []
  return [...own, ...parts.flatMap((part) => shapesOf(root, objectOf(part), depth + 1))]
}

const SAYS_SOMETHING = new Set(['type', 'properties', 'enum', 'const', 'items'])

/** @param ref a JSON pointer into the same document, as in `#/$defs/Money` */
function at(root: JsonSchema, ref: string): JsonSchema {
  if (!ref.startsWith('#')) return {}
  const steps = ref.slice(1).split('/').slice(1)
  const names = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return objectOf(names.reduce<unknown>((part, name) => objectOf(part)[name], root))
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
  null: 'null',
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'date and time',
  date: 'date',
  uri: 'URL',
  uuid: 'UUID',
  email: 'e-mail address',
}

function typesOf(root: JsonSchema, shape: JsonSchema): readonly string[] {
  const { type, format, items } = shape
  const names = type === undefined ? impliedTypes(shape) : [type].flat()
  return names.filter(isText).map((name) => {
    if (name === 'string' && isText(format)) return FORMATS[format] ?? 'text'
    if (name !== 'array' || !isSchema(items)) return TYPES[name] ?? name
    const of = shapesOf(root, items).flatMap((item) => typesOf(root, item))
    return of.length === 0 ? 'list' : `list of ${[...new Set(of)].join(' or ')}`
  })
}

/** Types of a schema with values or members but no `type`. */
function impliedTypes(shape: JsonSchema): readonly string[] {
  const values = 'const' in shape ? [shape.const] : listOf(shape.enum)
  if (values.length > 0) return values.map((value) => (value === null ? 'null' : typeof value))
  return isSchema(shape.properties) ? ['object'] : []
}

function limitsOf(shape: JsonSchema): readonly string[] {
  const number = (key: string) => (typeof shape[key] === 'number' ? (shape[key] as number) : null)
  return [
    range(number('minLength'), number('maxLength'), 'characters'),
    range(number('minItems'), number('maxItems'), 'items'),
    range(number('minimum'), number('maximum'), ''),
  ].flatMap((limit) => (limit === null ? [] : [limit.trim()]))
}

function range(least: number | null, most: number | null, unit: string): string | null {
  if (most === null) return least === null || least === 0 ? null : `at least ${countText(least)} ${unit}`
  if (least === null || least === 0) return `up to ${countText(most)} ${unit}`
  return least === most ? `${countText(most)} ${unit}` : `${countText(least)} to ${countText(most)} ${unit}`
}

const isHolder = (root: JsonSchema, schema: JsonSchema) =>
  shapesOf(root, schema).some((shape) => isSchema(shape.properties) || isSchema(shape.items))
const isText = (value: unknown): value is string => typeof value === 'string'
const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null
const objectOf = (value: unknown): JsonSchema => (isSchema(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const valueText = (value: unknown): string => (isText(value) ? value : JSON.stringify(value))
