import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiDocument } from '../src/api/apiDocument.ts'
import type { JsonSchema } from '../src/api/jsonSchema.ts'
import { arbitraryOf } from '../src/fuzz/values/arbitrary.ts'
import { CannotGenerateError, type Conversion } from '../src/fuzz/values/conversion.ts'
import { MUTATION_KINDS, mutate, mutations } from '../src/fuzz/values/mutate.ts'
import { placesOf, valueAt } from '../src/fuzz/values/places.ts'
import { TINY } from './api/tiny.ts'

const WORD: JsonSchema = { type: 'string', pattern: '^[a-z]+$', maxLength: 9 }
const named = { Word: WORD, Loop: { type: 'array', items: { $ref: '#/components/schemas/Loop' } } }

/** A document that contains the schema under test, since schemas are compiled in documents. */
function compile(schema: JsonSchema) {
  const schemas = { ...named, Subject: schema }
  const document = new ApiDocument('subject', { ...TINY, paths: {}, components: { schemas } })
  const resolve: Conversion['resolve'] = (ref) => document.places.at<JsonSchema>(ref).value
  return {
    isValid: (value: unknown) =>
      document.validate({ pointer: '#/components/schemas/Subject' })(value).length === 0,
    resolve,
    values: arbitraryOf(schema, { resolve, override: () => null }),
  }
}

const EVENT: JsonSchema = {
  title: 'Event',
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['a.b', 'c.d'] },
    data: { type: 'object', additionalProperties: true },
    links: {
      type: 'object',
      patternProperties: { '^[a-z][a-z_]{0,31}$': { type: 'string', format: 'uri', pattern: '^https?://' } },
      additionalProperties: false,
      maxProperties: 10,
    },
    label: { type: 'string', minLength: 1, maxLength: 20, pattern: '^[^\\p{Cc}\\p{Cs}]*$' },
    tags: { type: 'array', items: { $ref: '#/components/schemas/Word' }, uniqueItems: true, maxItems: 4 },
    size: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 10 },
  },
  required: ['type', 'data'],
  additionalProperties: false,
}

const SCHEMAS: readonly [title: string, schema: JsonSchema][] = [
  ['anything', true],
  ['a list of types', { type: ['string', 'null', 'boolean'] }],
  ['a constant', { const: { a: [1] } }],
  ['an enumeration with null', { type: ['string', 'null'], enum: ['gone', null] }],
  ['one of several', { oneOf: [{ type: 'integer' }, { type: 'object', properties: { a: { const: 1 } } }] }],
  ['any of several', { anyOf: [{ $ref: '#/components/schemas/Word' }, { type: 'null' }] }],
  ['an integer within limits', { type: 'integer', minimum: -3, maximum: 3 }],
  ['an integer between limits', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 3 }],
  [
    'an object but for some members',
    {
      type: 'object',
      properties: { a: { type: 'boolean' }, b: { type: 'boolean' } },
      not: { type: 'object', properties: { a: { const: false }, b: { const: true } }, required: ['a', 'b'] },
    },
  ],
  ['a multiple', { type: 'integer', multipleOf: 5, minimum: 1, maximum: 100 }],
  ['a fraction', { type: 'number', minimum: 0, exclusiveMaximum: 1 }],
  ['a string of a length', { type: 'string', minLength: 3, maxLength: 4 }],
  ['a pattern', { type: 'string', pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$' }],
  [
    'a pattern of excluded characters',
    { type: 'string', pattern: '^[^\\p{Cs}\\u0000-\\u0008]*$', maxLength: 9 },
  ],
  ['a time', { type: 'string', format: 'date-time' }],
  ['a UUID', { type: 'string', format: 'uuid', maxLength: 36 }],
  ['a URI', { type: 'string', format: 'uri', maxLength: 2048 }],
  ['a URI reference', { type: 'string', format: 'uri-reference' }],
  ['an e-mail address', { type: 'string', format: 'email', maxLength: 254 }],
  [
    'a list of unique items',
    { type: 'array', items: { type: 'array', items: { type: 'integer' } }, uniqueItems: true, minItems: 2 },
  ],
  [
    'an object with at least one member',
    { type: 'object', properties: { a: WORD, b: WORD }, minProperties: 1 },
  ],
  [
    'an object of like members',
    { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 },
  ],
  ['an event', EVENT],
]

describe('values generated from a schema are valid', () => {
  test.each(SCHEMAS)('%s', (_title, schema) => {
    const { values, isValid } = compile(schema)
    fc.assert(
      fc.property(values, (value) => isValid(JSON.parse(JSON.stringify(value)))),
      { numRuns: 300 },
    )
  })

  test('an override replaces the generator of a schema', () => {
    const override: Conversion['override'] = (name) => (name === 'type' ? fc.constant('known') : null)
    const { resolve } = compile(EVENT)
    const values = arbitraryOf(EVENT, { resolve, override }) as fc.Arbitrary<{ readonly type: string }>
    fc.assert(fc.property(values, ({ type }) => type === 'known'))
  })

  test('every branch and every optional member occurs', () => {
    const seen = new Set<string>()
    for (const value of fc.sample(compile(EVENT).values, { numRuns: 200, seed: 7 })) {
      for (const path of placesOf(value)) {
        if (path.length === 1) seen.add(`${path[0]}`)
        if (path[0] === 'size') seen.add(`size ${typeof valueAt(value, path)}`)
      }
    }
    const members = ['type', 'data', 'links', 'label', 'tags', 'size', 'size object', 'size number']
    expect([...seen].sort()).toEqual(members.sort())
  })
})

describe('an unsupported schema is rejected', () => {
  const refused: [title: string, schema: JsonSchema][] = [
    ['a keyword that is not understood', { type: 'string', contentEncoding: 'base64' } as JsonSchema],
    ['a keyword of another type', { type: 'string', maximum: 3 }],
    ['a format that is not known', { type: 'string', format: 'isbn' }],
    ['a pattern that hardly anything fits', { type: 'string', pattern: '^(?!a)b{40}$' }],
    ['a required member that is not described', { type: 'object', required: ['a'] }],
    ['a schema that contains itself', { $ref: '#/components/schemas/Loop' }],
    ['a schema that takes nothing', false],
  ]

  test.each(refused)('%s', (_title, schema) => {
    const resolve: Conversion['resolve'] = () => named.Loop as JsonSchema
    expect(() => arbitraryOf(schema, { resolve, override: () => null })).toThrow(CannotGenerateError)
  })
})

describe('mutations of a valid value', () => {
  const { values, isValid, resolve } = compile(EVENT)

  test('do not change the original value', () => {
    fc.assert(
      fc.property(values, mutations, (value, mutation) => {
        const before = JSON.stringify(value)
        mutate(value, mutation, EVENT, resolve)
        return JSON.stringify(value) === before
      }),
    )
  })

  test.each(MUTATION_KINDS)('of the kind %s are often invalid', (kind) => {
    const pairs = fc.sample(fc.tuple(values, mutations), { numRuns: 500, seed: 11 })
    const invalid = pairs.filter(([value, mutation]) => {
      const mutated = mutate(value, { ...mutation, kind }, EVENT, resolve)
      return !isValid(JSON.parse(JSON.stringify(mutated)))
    })
    expect(invalid.length).toBeGreaterThan(50)
  })

  test('exceed each limit by one', () => {
    const at = { kind: 'stretch', value: null, text: '', depth: 1 } as const
    const past = (value: unknown, place: number) => mutate(value, { ...at, place }, EVENT, resolve)
    const value = { type: 'a.b', data: {}, label: 'ab', tags: ['a'], size: 2 }
    const results = Array.from({ length: 7 }, (_, place) => past(value, place)) as (typeof value)[]
    expect(results.some(({ label }) => label?.length === 21)).toBe(true)
    expect(results.some(({ tags }) => tags?.length === 5)).toBe(true)
  })

  test('can add members that would pollute a prototype', () => {
    const add = { kind: 'add', place: 0, value: 1, text: '__proto__', depth: 1 } as const
    expect(JSON.stringify(mutate({}, add, true, resolve))).toBe('{"__proto__":1}')
  })
})
