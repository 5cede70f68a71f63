import type { JsonSchema } from '../core/catalog.ts'

/** Keywords whose value is a schema, a list of schemas, or schemas by name. Elsewhere a `title` is data. */
const ONE = [
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]
const SEVERAL = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs']

/** A copy of `schema` in which each schema directly inside went through `change`. */
export function mapSchemas(schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const changed = (value: unknown) => (isSchema(value) ? change(value) : value)
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (ONE.includes(keyword)) return [keyword, changed(value)]
    if (SEVERAL.includes(keyword) && Array.isArray(value)) return [keyword, value.map(changed)]
    if (NAMED.includes(keyword) && isSchema(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, of]) => [name, changed(of)]))]
    }
    return [keyword, value]
  })
  return Object.fromEntries(entries)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
