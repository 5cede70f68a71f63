import fc from 'fast-check'
import type { SchemaObject } from '../../api/jsonSchema.ts'

/** Numbers that match a schema. */
export function numbersOf(type: 'integer' | 'number', schema: SchemaObject): fc.Arbitrary<number> {
  const { multipleOf } = schema
  const step = multipleOf ?? 1
  if (type === 'number' && multipleOf === undefined) return fractionsOf(schema)
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const min = Math.max(
    Math.ceil((minimum ?? Number.NEGATIVE_INFINITY) / step),
    Math.floor((exclusiveMinimum ?? Number.NEGATIVE_INFINITY) / step) + 1,
    Math.ceil(Number.MIN_SAFE_INTEGER / Math.max(step, 1)),
  )
  const max = Math.min(
    Math.floor((maximum ?? Number.POSITIVE_INFINITY) / step),
    Math.ceil((exclusiveMaximum ?? Number.POSITIVE_INFINITY) / step) - 1,
    Math.floor(Number.MAX_SAFE_INTEGER / Math.max(step, 1)),
  )
  return fc.integer({ min, max }).map((count) => count * step)
}

function fractionsOf({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: SchemaObject): fc.Arbitrary<number> {
  const min = Math.max(minimum ?? -Number.MAX_VALUE, exclusiveMinimum ?? -Number.MAX_VALUE)
  const max = Math.min(maximum ?? Number.MAX_VALUE, exclusiveMaximum ?? Number.MAX_VALUE)
  return fc.double({
    min,
    max,
    minExcluded: min === exclusiveMinimum,
    maxExcluded: max === exclusiveMaximum,
    noNaN: true,
  })
}
