import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  booleans,
  integers,
  numbers,
  packBytes,
  packTexts,
  texts,
  types,
} from '../../../src/storage/postgres/values.ts'
import { newTestSchema, type TestSchema } from '../../support/testSchema.ts'

let schema: TestSchema
let client: pg.Client
beforeAll(async () => {
  schema = await newTestSchema()
  client = await schema.connect()
})
afterAll(async () => {
  await client.end()
  await schema.drop()
})

/** The server's value, as it is read again. */
async function through(type: string, value: unknown): Promise<unknown> {
  const text = `SELECT $1::${type} AS value`
  const { rows } = await client.query<{ value: unknown }>({ text, values: [value], types })
  return rows[0]!.value
}

const listOf = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 600 })
const nullable = <T>(one: fc.Arbitrary<T>) => listOf(fc.option(one, { freq: 4 }))
const RUNS = { numRuns: 50 }

test('numbers are the same on the server, and when read again', async () => {
  const whole = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constant(0))
  await fc.assert(
    fc.asyncProperty(listOf(whole), async (values) => {
      expect(await through('bigint[]', numbers(values))).toEqual(values)
      expect(await through('bigint[]', numbers(new Set(values)))).toEqual([...new Set(values)])
    }),
    RUNS,
  )
  await fc.assert(
    fc.asyncProperty(nullable(whole), async (values) => {
      const asText = `{${values.map((value) => value ?? 'NULL').join()}}`
      expect(await through('bigint[]::text', numbers(values))).toBe(asText)
    }),
    RUNS,
  )
})

test('integers are of 32 bits', async () => {
  await fc.assert(
    fc.asyncProperty(nullable(fc.integer()), async (values) => {
      expect(await through('int[]', integers(values))).toEqual(values)
    }),
    RUNS,
  )
  expect(() => integers([2 ** 31])).toThrow(RangeError)
})

test.each([Number.NaN, undefined, 1.5, Number.POSITIVE_INFINITY, 2 ** 53, '7'])(
  '%s is rejected among numbers: the server would get another one',
  (value) => {
    for (const array of [numbers, integers]) expect(() => array([1, value as number])).toThrow(TypeError)
  },
)

test('booleans are the same on the server', async () => {
  await fc.assert(
    fc.asyncProperty(nullable(fc.boolean()), async (values) => {
      expect(await through('boolean[]', booleans(values))).toEqual(values)
    }),
    RUNS,
  )
})

test('texts are quoted where they must be', async () => {
  // A text of PostgreSQL cannot hold NUL.
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'))
  const values = fc.oneof(text, fc.constantFrom('', 'NULL', '{}', ',', '"', '\\', ' a '))
  await fc.assert(
    fc.asyncProperty(nullable(values), async (all) => {
      expect(await through('text[]', texts(all))).toEqual(all)
    }),
    RUNS,
  )
})

test('packed values can be split by their offsets and lengths', async () => {
  const cut = `
    SELECT substring($1::bytea FROM place FOR length) AS part
    FROM unnest($2::int[], $3::int[]) WITH ORDINALITY AS x (place, length, n) ORDER BY n`
  const parts = async ({ bytes, offsets, lengths }: ReturnType<typeof packBytes>) => {
    const result = await client.query<{ part: Uint8Array | null }>({
      text: cut,
      values: [bytes, offsets, lengths],
      types,
    })
    return result.rows.map(({ part }) => part && Buffer.from(part))
  }
  const words = ['one', '', 'ö€😀', 'last']
  expect((await parts(packTexts(words))).map(String)).toEqual(words)
  const bytes = [Buffer.from([1, 2]), null, Buffer.alloc(0), Buffer.from([0, 255])]
  expect(await parts(packBytes(bytes))).toEqual(bytes)
})
