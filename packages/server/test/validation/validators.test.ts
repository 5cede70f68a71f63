import { expect, test } from 'vitest'
import { createValidators } from '../../src/validation/validators.ts'

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, numbers: { type: 'array', items: { type: 'integer' } } },
  required: ['name'],
  additionalProperties: false,
}

const validator = createValidators()(schema)

test('a valid value has no errors, also after an invalid one', () => {
  expect(validator({})).toBe(false)
  expect(validator({ name: 'a', numbers: [1] })).toBe(true)
  expect(validator.errors).toBeNull()
})

test('every mistake is named', () => {
  expect(validator({ numbers: ['a', 2, 'b'], more: 1 })).toBe(false)
  expect(validator.errors).toHaveLength(4)
})

test('of a huge value, however it is built, one mistake is named', () => {
  const deep: object[] = [{}]
  for (let depth = 0; depth < 20_000; depth++) deep.push({ inner: deep.at(-1) })
  const many = Array.from({ length: 20_000 }, (_, i) => [`member${i}`, 1])
  for (const value of [
    { name: 'a', numbers: Array.from({ length: 20_000 }, () => 'x') },
    { name: 'a', ...Object.fromEntries(many) },
    { name: deep.at(-1) },
  ]) {
    expect(validator(value)).toBe(false)
    expect(validator.errors).toHaveLength(1)
  }
})

test('a huge valid value is accepted', () => {
  expect(validator({ name: 'a', numbers: Array.from({ length: 20_000 }, (_, i) => i) })).toBe(true)
})
