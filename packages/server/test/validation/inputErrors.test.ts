import { describe, expect, it } from 'vitest'
import { toInputError } from '../../src/validation/inputErrors.ts'
import { createValidators } from '../../src/validation/validators.ts'

const compile = createValidators({ allowUnionTypes: true })

function mistakesIn(schema: object, value: unknown) {
  const validate = compile(schema)
  expect(validate(value)).toBe(false)
  return (validate.errors ?? []).map((error) => toInputError(error, '/data'))
}

describe('a schema error is described in words that say what would be right', () => {
  it.each([
    [{ type: 'string' }, 1, 'must be a string'],
    [{ type: 'object' }, [], 'must be an object'],
    [{ type: 'integer' }, 1.5, 'must be a whole number'],
    [{ type: ['boolean', 'null'] }, 'yes', 'must be true or false or null'],
    [{ enum: ['on', 'off'] }, 'up', 'must be one of on, off'],
    [{ const: 'v1' }, 'v2', 'must be "v1"'],
    [{ type: 'string', format: 'email' }, 'somebody', 'must be an e-mail address, such as mira@acme.example'],
    [
      { type: 'string', format: 'date-time' },
      'yesterday',
      'must be a time with its zone, such as 2026-01-31T12:00:00Z',
    ],
    [{ type: 'array', minItems: 1 }, [], 'must have at least 1 item'],
    [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'must have at most 2 items'],
    [{ type: 'array', uniqueItems: true }, [1, 1], 'must not contain the same item twice'],
    [{ type: 'string', minLength: 1 }, '', 'must have at least 1 character'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'must have at most 2 characters'],
    [{ type: 'object', minProperties: 1 }, {}, 'must have at least 1 member'],
    [{ type: 'number', minimum: 1 }, 0, 'must be at least 1'],
    [{ type: 'number', maximum: 1 }, 2, 'must be at most 1'],
    [
      { type: 'string', pattern: '^[A-Z]{3}$' },
      'eur',
      'must be an ISO 4217 code of three capital letters, such as EUR',
    ],
    [
      { type: 'string', pattern: '^gen_[A-Za-z0-9_-]{1,64}$' },
      'x',
      'must be gen_ and then 1 to 64 letters, digits, underscores and hyphens, such as gen_42',
    ],
    [{ not: {} }, 1, 'must NOT be valid'],
  ])('%j, given %j: %s', (schema, value, message) => {
    expect(mistakesIn(schema, value)).toEqual([{ pointer: '/data', message }])
  })

  it('with a pointer to the missing or extra member', () => {
    const schema = {
      type: 'object',
      required: ['a/b'],
      properties: { 'a/b': {}, list: { type: 'array', items: { type: 'number' } } },
      additionalProperties: false,
    }
    expect(mistakesIn(schema, { 'x~y': 1, list: [1, 'two'] })).toEqual([
      { pointer: '/data/a~1b', message: 'is required' },
      { pointer: '/data/x~0y', message: 'is not a known member; remove it' },
      { pointer: '/data/list/1', message: 'must be a number' },
    ])
  })

  it.each([
    ['types', 'did you mean event_types?'],
    ['events', 'did you mean event_types?'],
    ['eventTypes', 'did you mean event_types?'],
    ['at', 'remove it'],
    ['payload', 'remove it'],
  ])('and with the member probably meant by %s', (name, advice) => {
    const schema = {
      type: 'object',
      properties: { event_types: {}, created_at: {}, ended_at: {} },
      additionalProperties: false,
    }
    const message = `is not a known member; ${advice}`
    expect(mistakesIn(schema, { [name]: 1 })).toEqual([{ pointer: `/data/${name}`, message }])
  })

  it('and with the allowed names, where these are free', () => {
    const schema = {
      type: 'object',
      patternProperties: { '^[a-z][a-z_]{0,31}$': {} },
      additionalProperties: false,
    }
    const message =
      'has a name that is not allowed; names must be 1 to 32 lower-case letters and underscores, starting with a letter, such as app'
    expect(mistakesIn(schema, { App: 1 })).toEqual([{ pointer: '/data/App', message }])
  })
})
