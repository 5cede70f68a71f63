import type { JsonSchema } from '../../../core/catalog.ts'
import { FORMS, prefixedIdPattern } from '../../../core/textForms.ts'
import type { IdKind } from '../../../profiles/formatParts.ts'
import type { Profile } from '../../../profiles/profile.ts'
import { mapSchemas } from '../../../validation/mapSchemas.ts'

// Schemas that profiles bring, as documents need them.

/** A schema of an object whose members are listed. */
export interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** As times are written in request bodies. */
export const sentTime = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  pattern: FORMS.sentTime.pattern,
  description: `${description} ISO 8601, UTC, with milliseconds.`,
})

export const idSchema = ({ prefixes }: Profile, kind: IdKind): JsonSchema =>
  prefixes === null
    ? { type: 'string', format: 'uuid' }
    : { type: 'string', pattern: prefixedIdPattern(prefixes[kind]) }

/** A value that is always the same. */
export const constant = (value: unknown): JsonSchema => ({ type: typeOf(value), const: value })

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** The same objects with any further members. */
export function open(schema: JsonSchema): JsonSchema {
  const { additionalProperties: _, unevaluatedProperties: _2, not, if: condition, oneOf, ...rest } = schema
  return {
    ...mapSchemas(rest, open),
    // What is negated, or is a condition, says less once it is open.
    ...(not === undefined ? {} : { not }),
    ...(condition === undefined ? {} : { if: condition }),
    // Once open, several alternatives may fit.
    ...(oneOf === undefined ? {} : { anyOf: mapSchemas({ anyOf: oneOf }, open).anyOf }),
  }
}

/** How many references may still be replaced: each one copies what it refers to. */
interface ReferenceBudget {
  left: number
}

/** In one schema. */
const MOST_REFERENCES = 1000

/** A schema with what it refers to in place: within a document, its references would lead elsewhere. */
export function withoutReferences(
  root: JsonSchema,
  budget: ReferenceBudget = { left: MOST_REFERENCES },
): JsonSchema {
  const least = Math.max(0, budget.left - MOST_REFERENCES)
  const inlined = (schema: JsonSchema, within: readonly string[]): JsonSchema => {
    const { $ref, $defs: _, $id: _2, $schema: _3, ...rest } = schema
    const own = mapSchemas(rest, (inner) => inlined(inner, within))
    if (typeof $ref !== 'string' || within.includes($ref) || budget.left <= least) return own
    budget.left--
    const target = targetOf(root, $ref)
    if (target === null) return own
    const shown = inlined(target, [...within, $ref])
    return Object.keys(own).some((keyword) => keyword in shown)
      ? { allOf: [shown], ...own }
      : { ...shown, ...own }
  }
  return inlined(root, ['#'])
}

/** @returns `null` for what is elsewhere, or is no object */
function targetOf(root: JsonSchema, ref: string): JsonSchema | null {
  if (!ref.startsWith('#/')) return null
  const steps = ref
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = steps.reduce<unknown>((node, step) => (node as JsonSchema | undefined)?.[step], root)
  return typeof found === 'object' && found !== null ? (found as JsonSchema) : null
}
