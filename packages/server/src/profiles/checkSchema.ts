import type { JsonSchema } from '../core/catalog.ts'
import { mapSchemas } from '../validation/mapSchemas.ts'
import type { Findings } from './findings.ts'

/**
 * Keywords that give a schema a name for others or look names up, and those of earlier drafts, which contain schemas that this
 * check would miss.
 */
const REFUSED = [
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  '$schema',
  '$vocabulary',
  'definitions',
  'dependencies',
] as const
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
 * Rejects schemas that would make checking a value expensive, or would change their meaning inside another schema.
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
  /** Each schema in it, with those that it holds and that it refers to. */
  const inner = new Map<JsonSchema, readonly JsonSchema[]>()
  const visit = (one: JsonSchema): void => {
    if (inner.has(one)) return
    const parts: JsonSchema[] = []
    inner.set(one, parts)
    mapSchemas(one, (part) => {
      parts.push(part)
      return part
    })
    const { $ref: reference } = one
    if (typeof reference === 'string') {
      const target = targetOf(schema, reference)
      if (isPart)
        found.error(pointer, 'uses $ref, which is not allowed here; insert the schema that it refers to')
      else if (target === null)
        found.error(
          pointer,
          `refers to ${reference}; refer to a part of the same schema, such as #/$defs/amount`,
        )
      else parts.push(target)
    }
    for (const part of parts) visit(part)
  }
  visit(schema)
  if (sizeOf(schema, inner) > MOST_SCHEMAS)
    found.error(pointer, `has more than ${MOST_SCHEMAS} schemas, counting each reference; make it smaller`)
  for (const one of inner.keys()) checkKeywords(one, inner, pointer, found)
  return found.errors.length === before
}

type Inner = ReadonlyMap<JsonSchema, readonly JsonSchema[]>

/** How many schemas look at one value at most, where none refers to itself. */
function sizeOf(schema: JsonSchema, inner: Inner): number {
  const sizes = new Map<JsonSchema, number>()
  const measure = (one: JsonSchema): number => {
    const known = sizes.get(one)
    if (known !== undefined) return known
    // A recursive schema is met again here, and counts once.
    sizes.set(one, 0)
    const size = inner.get(one)!.reduce((sum, part) => sum + measure(part), 1)
    sizes.set(one, size)
    return size
  }
  return measure(schema)
}

function checkKeywords(one: JsonSchema, inner: Inner, pointer: string, found: Findings): void {
  const refused = REFUSED.find((keyword) => one[keyword] !== undefined)
  if (refused !== undefined) found.error(pointer, `uses ${refused}, which is not supported; remove it`)
  if (one.uniqueItems === true && !(Number(one.maxItems) <= MOST_UNIQUE))
    found.error(pointer, `uses uniqueItems, so it also needs maxItems of at most ${MOST_UNIQUE}`)
  // A referenced schema applies to the same value as the keywords beside the reference.
  const isBeside = one.$ref !== undefined && inner.get(one)!.length > 1
  const several = isBeside
    ? '$ref beside other schemas'
    : SEVERAL.find((keyword) => one[keyword] !== undefined)
  if (several !== undefined && reachesItself(one, inner))
    found.error(
      pointer,
      `has a schema that refers to itself and uses ${several}, so each level can take twice as long; remove one of the two`,
    )
}

function reachesItself(one: JsonSchema, inner: Inner): boolean {
  const seen = new Set<JsonSchema>()
  const queue = [...inner.get(one)!]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next === one) return true
    if (seen.has(next)) continue
    seen.add(next)
    queue.push(...inner.get(next)!)
  }
  return false
}

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
