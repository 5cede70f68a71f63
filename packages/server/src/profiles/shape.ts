import { canonicalJson } from '../core/canonicalJson.ts'
import type { EventType, JsonSchema } from '../core/catalog.ts'
import { mapSchemas } from '../validation/mapSchemas.ts'

/** The part of an event type that receivers rely on, as canonical data. */
export type Shape = Readonly<Record<string, unknown>>

/** Texts for people: rewording them changes no shape. */
const ANNOTATIONS = ['title', 'description', 'examples']
/** Lists whose order has no meaning. */
const SETS = ['required', 'enum', 'type']

/** The names, types and bounds of published data, independent of their order. */
export function shapeOf({ members, schema }: EventType): Shape {
  const shape = { ...members, schema: withoutAnnotations(schema) }
  return JSON.parse(canonicalJson(shape)) as Shape
}

function withoutAnnotations(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema)
    .filter(([keyword]) => !ANNOTATIONS.includes(keyword))
    .map(([keyword, value]) => [
      keyword,
      SETS.includes(keyword) && Array.isArray(value) ? sorted(value) : value,
    ])
  return mapSchemas(Object.fromEntries(entries), withoutAnnotations)
}

const sorted = (values: readonly unknown[]) =>
  [...values].sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))

/** The places in which two shapes differ, as JSON pointers with both values. */
export function differences(known: unknown, now: unknown, at = ''): readonly string[] {
  if (shown(known) === shown(now)) return []
  if (!isObject(known) || !isObject(now)) return [`${at} was ${shown(known)} and is ${shown(now)}`]
  const names = [...new Set([...Object.keys(known), ...Object.keys(now)])]
  return names.flatMap((name) => differences(known[name], now[name], `${at}/${name}`))
}

const shown = (value: unknown) => (value === undefined ? 'absent' : canonicalJson(value))

const isObject = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
