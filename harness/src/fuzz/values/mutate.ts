import fc from 'fast-check'
import type { JsonSchema, SchemaObject } from '../../api/jsonSchema.ts'
import { junk, oddText } from './junk.ts'
import { isObject, type Path, placesOf, schemaAt, valueAt, without, withValueAt } from './places.ts'

export const MUTATION_KINDS = [
  'replace',
  'remove',
  'add',
  'stretch',
  'shrink',
  'taint',
  'nest',
  'repeat',
] as const

/** A change to a value that is not known yet; every number in it is taken modulo the number of choices. */
export interface Mutation {
  readonly kind: (typeof MUTATION_KINDS)[number]
  readonly place: number
  readonly value: unknown
  readonly text: string
  readonly depth: number
}

export const mutations: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...MUTATION_KINDS),
  place: fc.nat(10_000),
  value: junk,
  text: oddText,
  depth: fc.constantFrom(1, 10, 100, 1_000),
})

/** A list is not extended beyond this to exceed its limit. */
const STRETCHED_ITEMS = 1_200

interface Target {
  readonly path: Path
  readonly old: unknown
  readonly schema: SchemaObject | null
}

/**
 * Applies a mutation. Most results are no longer valid; only a validator can decide.
 * @param schema of `value`, for its limits
 */
export function mutate(
  value: unknown,
  mutation: Mutation,
  schema: JsonSchema,
  resolve: (ref: string) => JsonSchema,
): unknown {
  const targets = placesOf(value)
    .map((path): Target => ({ path, old: valueAt(value, path), schema: schemaAt(schema, path, resolve) }))
    .filter((target) => suits(mutation.kind, target))
  const target = targets[mutation.place % Math.max(targets.length, 1)]
  if (target === undefined) return mutation.value
  if (mutation.kind === 'remove') return without(value, target.path)
  return withValueAt(value, target.path, () => changed(mutation, target))
}

function suits(kind: Mutation['kind'], { path, old }: Target): boolean {
  switch (kind) {
    case 'remove':
      return path.length > 0
    case 'add':
      return isObject(old)
    case 'repeat':
      return Array.isArray(old) && old.length > 0
    case 'taint':
      return typeof old === 'string'
    case 'stretch':
    case 'shrink':
      return old !== null && typeof old !== 'boolean'
    default:
      return true
  }
}

function changed({ kind, value, text, depth }: Mutation, { old, schema }: Target): unknown {
  switch (kind) {
    case 'add':
      return Object.fromEntries([...Object.entries(old as object), [text, value]])
    case 'repeat':
      return [...(old as unknown[]), (old as unknown[])[0]]
    case 'taint': {
      const at = depth % ((old as string).length + 1)
      return (old as string).slice(0, at) + text + (old as string).slice(at)
    }
    case 'stretch':
      return stretched(old, schema)
    case 'shrink':
      return shrunk(old, schema)
    case 'nest':
      return nested(old, depth)
    default:
      return value
  }
}

/** One more than the schema allows, or many where it has no limit. */
function stretched(old: unknown, schema: SchemaObject | null): unknown {
  if (typeof old === 'string') return old.padEnd((schema?.maxLength ?? 9_999) + 1, old === '' ? 'x' : old)
  if (typeof old === 'number') return (schema?.maximum ?? 2 ** 53) + 1
  if (Array.isArray(old)) {
    const length = Math.min((schema?.maxItems ?? STRETCHED_ITEMS) + 1, STRETCHED_ITEMS)
    return Array.from({ length }, (_, i) => (old.length === 0 ? i : old[i % old.length]))
  }
  const more = Array.from({ length: (schema?.maxProperties ?? 200) + 1 }, (_, i) => [`more${i}`, i])
  return { ...(old as object), ...Object.fromEntries(more) }
}

/** One less than the schema allows, or none. */
function shrunk(old: unknown, schema: SchemaObject | null): unknown {
  if (typeof old === 'string') return old.slice(0, Math.max((schema?.minLength ?? 1) - 1, 0))
  if (typeof old === 'number') return (schema?.minimum ?? 0) - 1
  return Array.isArray(old) ? [] : {}
}

function nested(old: unknown, depth: number): unknown {
  let value = old
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}
