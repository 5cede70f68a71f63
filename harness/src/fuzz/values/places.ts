import type { JsonSchema, SchemaObject } from '../../api/jsonSchema.ts'

export type Path = readonly (string | number)[]

/** The paths of a value and each value within it, the whole first. */
export function placesOf(value: unknown): readonly Path[] {
  const places: Path[] = [[]]
  for (const path of places) {
    if (places.length > MAX_PLACES) break
    const inner = valueAt(value, path)
    if (Array.isArray(inner)) for (let i = 0; i < inner.length; i++) places.push([...path, i])
    else if (isObject(inner)) for (const name of Object.keys(inner)) places.push([...path, name])
  }
  return places
}

/** Enough for a value of any size. */
const MAX_PLACES = 500

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((outer, step) => (outer as Record<string | number, unknown>)[step], value)
}

/** A copy with another value at one path. */
export function withValueAt(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value))
    return value.map((item, i) => (i === step ? withValueAt(item, rest, change) : item))
  const entries = Object.entries(value as object)
  return Object.fromEntries(
    entries.map(([name, member]) => [name, name === step ? withValueAt(member, rest, change) : member]),
  )
}

/** A copy without the value at one path. */
export function without(value: unknown, path: Path): unknown {
  const step = path.at(-1)
  return withValueAt(value, path.slice(0, -1), (outer) =>
    Array.isArray(outer)
      ? outer.filter((_, i) => i !== step)
      : Object.fromEntries(Object.entries(outer as object).filter(([name]) => name !== step)),
  )
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema at one path; `null` where none is known, or one of several may apply. */
export function schemaAt(
  schema: JsonSchema | undefined,
  path: Path,
  resolve: (ref: string) => JsonSchema,
): SchemaObject | null {
  if (typeof schema !== 'object') return null
  if (schema.$ref !== undefined) return schemaAt(resolve(schema.$ref), path, resolve)
  const [step, ...rest] = path
  if (step === undefined) return schema
  if (typeof step === 'number') return schemaAt(schema.items, rest, resolve)
  const { properties = {}, additionalProperties } = schema
  const member = Object.hasOwn(properties, step) ? properties[step] : additionalProperties
  return schemaAt(member, rest, resolve)
}
