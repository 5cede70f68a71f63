import { describe, expect, it } from 'vitest'
import { schemaMembers } from '../src/pages/events/schema/schemaMembers.ts'

const one = (schema: object) => schemaMembers({ type: 'object', properties: { it: schema } })[0]!

describe('what a schema says about a member', () => {
  it('whether it is always there', () => {
    const members = schemaMembers({ properties: { a: {}, b: {} }, required: ['b'] })
    expect(members.map(({ name, required }) => [name, required])).toEqual([
      ['a', false],
      ['b', true],
    ])
  })

  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', format: 'date-time' }, 'date and time'],
    [{ type: ['integer', 'null'] }, 'whole number or null'],
    [{ type: 'array', items: { type: 'string' } }, 'list of text'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text or null'],
    [{ enum: [null, 'a'] }, 'null or text'],
    [{ const: 'a' }, 'text'],
    [{}, 'anything'],
  ])('the type of %j', (schema, type) => expect(one(schema).type).toBe(type))

  it('the possible values, and bounds', () => {
    expect(one({ const: 'x' }).allowed).toEqual(['x'])
    expect(one({ type: ['string', 'null'], enum: ['a', null] }).allowed).toEqual(['a', 'null'])
    expect(one({ type: 'string', maxLength: 1_000 }).limits).toEqual(['up to 1,000 characters'])
    expect(one({ type: 'integer', minimum: 1, maximum: 5 }).limits).toEqual(['1 to 5'])
  })

  it('the members of objects, of lists of objects, and under variable names', () => {
    const inner = { type: 'object', properties: { x: { type: 'string' } } }
    expect(one(inner).members.map(({ name }) => name)).toEqual(['x'])
    expect(one({ type: 'array', items: inner }).members.map(({ name }) => name)).toEqual(['x'])
    expect(one({ type: 'object', additionalProperties: { type: 'string' } }).members).toMatchObject([
      { name: 'any name', type: 'text' },
    ])
  })

  it('the schema it refers to, also when that refers to itself', () => {
    const schema = {
      properties: { node: { $ref: '#/$defs/Node', description: 'The root.' } },
      $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
    }
    expect(schemaMembers(schema)).toMatchObject([
      { name: 'node', type: 'object', description: 'The root.', members: [{ name: 'next' }] },
    ])
  })
})
