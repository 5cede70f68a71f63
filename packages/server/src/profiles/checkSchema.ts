import type { JsonSchema } from '../core/catalog.ts'
import { mapSchemas } from '../validation/mapSchemas.ts'
import type { Findings } from './findings.ts'

/** Keywords that give a schema a name for others, or look names up while a value is checked. */
const NAMING = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$schema', '$vocabulary'] as const
/** Schemas in one schema, each reference counted as what it refers to. */
const MOST_SCHEMAS = 5_000
const MOST_UNIQUE = 1_000
const SEVERAL = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'contains',
  'dependentSchemas',
  'patternProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const

/**
 * Refuses what would make it expensive to check a value, or would mean something else where the schema stands beside others.
 * @param options.isPart whether it becomes a part of a larger schema, where a reference would point elsewhere
 * @returns whether nothing is wrong
 */
export function checkSchema(
  schema: JsonSchema,
  pointer: string,
  found: Findings,
  { isPart }: { readonly isPart: boolean },
): boolean {
  const before = found.errors.length
  const sizes = new Map<JsonSchema, number>()
  const open = new Set<JsonSchema>()
  let isRecursive = false
  /** How many schemas it takes to check a value; stops at the first mistake of size. */
  const sizeOf = (one: JsonSchema): number => {
    const known = sizes.get(one)
    if (known !== undefined) return known
    if (open.has(one)) {
      isRecursive = true
      return 0
    }
    open.add(one)
    let size = 1
    mapSchemas(one, (inner) => {
      size += sizeOf(inner)
      return inner
    })
    if (typeof one.$ref === 'string') {
      const target = targetOf(schema, one.$ref)
      if (isPart) found.error(pointer, 'uses $ref; write out what it refers to')
      else if (target === null)
        found.error(
          pointer,
          `refers to ${one.$ref}; a reference is to a part of the same schema, such as #/$defs/amount`,
        )
      else size += sizeOf(target)
    }
    open.delete(one)
    sizes.set(one, size)
    return size
  }
  if (sizeOf(schema) > MOST_SCHEMAS && found.errors.length === before)
    found.error(
      pointer,
      `has more than ${MOST_SCHEMAS} schemas in it, counting each reference; make it smaller`,
    )
  const several = isRecursive ? severalIn([...sizes.keys()]) : undefined
  if (several !== undefined)
    found.error(
      pointer,
      `refers to itself and uses ${several}, which may take twice as long with each level; leave out one of both`,
    )
  for (const one of sizes.keys()) {
    const naming = NAMING.find((keyword) => one[keyword] !== undefined)
    if (naming !== undefined) found.error(pointer, `uses ${naming}; leave it out`)
    if (one.uniqueItems === true && !(Number(one.maxItems) <= MOST_UNIQUE))
      found.error(pointer, `uses uniqueItems, so it needs maxItems of at most ${MOST_UNIQUE} beside it`)
  }
  return found.errors.length === before
}

/** A keyword by which more than one schema may look at the same value. */
const severalIn = (schemas: readonly JsonSchema[]) =>
  SEVERAL.find((keyword) => schemas.some((one) => one[keyword] !== undefined))

/** The part of a schema that a reference such as `#/$defs/amount` is to; `null`: it is to none. */
function targetOf(root: JsonSchema, reference: string): JsonSchema | null {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return null
  let value: unknown = root
  for (const name of reference.slice(2).split('/').map(unescaped)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : null
}

const unescaped = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')
