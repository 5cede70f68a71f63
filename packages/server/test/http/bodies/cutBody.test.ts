import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { CutBody } from '../../../src/http/shared/bodies/cutBody.ts'
import { JsonScanner } from '../../../src/http/shared/bodies/jsonScanner.ts'
import { JSON_LIMITS, type JsonLimits } from '../../../src/http/shared/bodies/limits.ts'
import { malformedText } from '../../../src/http/shared/bodies/malformed.ts'
import { LoopTurns } from '../../../src/http/shared/bodies/turns.ts'
import type { Problem } from '../../../src/http/shared/problems.ts'

/** Time that passes with each reading of the clock. */
function steppingClock(stepMs: number) {
  let time = 0
  return {
    monotonic() {
      time += stepMs
      return time
    },
  }
}

const never = new LoopTurns(steppingClock(0))

function scanned(bytes: Buffer, chunkBytes: number, limits: JsonLimits = JSON_LIMITS) {
  const scanner = new JsonScanner(limits, true)
  let exceeded = null
  for (let end = chunkBytes; exceeded === null; end += chunkBytes) {
    exceeded = scanner.scan(bytes, Math.min(end, bytes.length))
    if (end >= bytes.length) break
  }
  return { scanner, exceeded }
}

async function cut(text: string, chunkBytes = 7): Promise<unknown> {
  const bytes = Buffer.from(text)
  const { scanner, exceeded } = scanned(bytes, chunkBytes)
  expect(exceeded).toBeNull()
  return new CutBody(bytes, 0, scanner.items)
    .parse(never.slice('all'))
    .catch((problem: Problem) => problem.message)
}

function whole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return malformedText(text, error).message
  }
}

const blank = fc.constantFrom('', ' ', '\n', '\t\r\n ')
/** Not `__proto__`, which is rejected. */
const plain = fc.json({ maxDepth: 4, noUnicodeString: false }).filter((text) => !text.includes('__proto__'))
const list = fc
  .array(fc.tuple(blank, plain, blank))
  .map((items) => `[${items.map((parts) => parts.join('')).join(',')}]`)
const body = fc
  .array(
    fc.tuple(fc.constantFrom('"events"', '"\\u0065vents"', '"a"', '"日本"'), fc.oneof(list, plain), blank),
  )
  .map((members) => `{${members.map(([name, value, space]) => `${name}:${value}${space}`).join(',')}}`)

describe('a body split into its items', () => {
  test('equals the result of JSON.parse, however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, plain), fc.integer({ min: 1, max: 40 }), async (text, chunkBytes) => {
        expect(await cut(text, chunkBytes)).toEqual(whole(text))
      }),
      { numRuns: 400 },
    )
  })

  test('is rejected with the same text and position as the whole, where a character is lost, added or changed', async () => {
    const edits = fc.tuple(
      fc.nat(),
      fc.constantFrom('', ',', '}', ']', '[', '{', '"', '\\', '1', 'x', ':', '\n'),
      fc.boolean(),
    )
    await fc.assert(
      fc.asyncProperty(body, edits, async (text, [place, inserted, replaces]) => {
        const at = place % text.length
        const edited = text.slice(0, at) + inserted + text.slice(replaces ? at + 1 : at)
        // Half of a character may be left.
        const changed = Buffer.from(edited).toString()
        if (changed.includes('__proto__')) return
        expect(await cut(changed)).toEqual(whole(changed))
      }),
      { numRuns: 1_500 },
    )
  })

  it.each([
    ['{"events":[{"a":1},\n{"b":}]}', 'is not valid JSON.'],
    ['{"events":[{"a":1},\n{"ü":1 2}]}', 'line 2, column 8'],
    ['{"events":[1,]}', 'is not valid JSON.'],
    ['{"events":[1] "a":2}', 'line 1, column 15'],
    ['{"events":[1,2', 'it ends before the JSON is complete'],
    ['{"events":[{"a":1', 'it ends before the JSON is complete'],
    ['{"events":[]}}', 'line 1, column 14'],
  ])('%s is rejected: %s', async (text, words) => {
    expect(await cut(text)).toContain(words)
    expect(await cut(text)).toBe(whole(text))
  })

  it.each([
    ['{"events":[1,{"a":[{"__proto__":1}]}]}', '/events/1/a/0/__proto__'],
    ['{"events":[{"\\u005f_proto__":1}]}', '/events/0/__proto__'],
    ['{"__proto__":[1]}', '/__proto__'],
    ['{"x":{"__proto__":1},"events":[]}', '/x/__proto__'],
  ])('%s names a prototype at %s', async (text, pointer) => {
    const bytes = Buffer.from(text)
    const parsing = new CutBody(bytes, 0, scanned(bytes, 5).scanner.items).parse(never.slice('all'))
    await expect(parsing).rejects.toMatchObject({ errors: [{ pointer }] })
  })

  it('may begin with a byte order mark, which does not count as a character of the first line', async () => {
    const bytes = Buffer.from('\ufeff{"events":[1] "a":2}')
    const parsing = new CutBody(bytes, 3, scanned(bytes, 4).scanner.items).parse(never.slice('all'))
    await expect(parsing).rejects.toThrow('line 1, column 15')
  })

  it('is parsed with a pause after each slice of time, in which others have their turn', async () => {
    const bytes = Buffer.from(JSON.stringify({ events: Array.from({ length: 100 }, (_, n) => ({ n })) }))
    // Each reading takes 1 ms, and a slice 2.
    const turns = new LoopTurns(steppingClock(1))
    let pauses = 0
    const slice = turns.slice('a')
    const next = slice.next.bind(slice)
    slice.next = async () => {
      pauses += 1
      await next()
    }
    const parsed = await new CutBody(bytes, 0, scanned(bytes, 64).scanner.items).parse(slice)
    expect(parsed).toEqual(JSON.parse(bytes.toString()))
    expect(pauses).toBeGreaterThanOrEqual(49)
  })
})

describe('the scanner', () => {
  const limits = { depth: 4, valuesOfPart: 10, valuesInAll: 40, bytesOfPart: 400 }
  it.each([
    ['[[[[[', 'depth'],
    ['{"events":[{"a":[[1]]}]}', 'depth'],
    [`{"events":[{${'"a":1,'.repeat(11)}`, 'valuesOfPart'],
    [`{${'"a":1,'.repeat(11)}`, 'valuesOfPart'],
    [`[${'1,'.repeat(11)}`, 'valuesOfPart'],
    [`{"events":[${'1,'.repeat(13)}`, 'items'],
    [`{"events":[1,"${'x'.repeat(400)}"`, 'bytesOfPart'],
    [`{"events":[1,"${'x'.repeat(400)}",2]}`, 'bytesOfPart'],
    [`{"events":[${'{"a":1,"b":2,"c":3,"d":4},'.repeat(9)}`, 'valuesInAll'],
  ])('rejects %s before its end: %s', (text, limit) => {
    for (const chunkBytes of [1, 3, 1000]) {
      expect(scanned(Buffer.from(`${text}${' '.repeat(50)}`), chunkBytes, limits).exceeded).toBe(limit)
    }
  })

  it.each([
    '[[[[1]]]]',
    '{"events":[{"a":[1]}]}',
    '"[[[[[[["',
    '["\\"[[[[[[",1]',
    '{"events":["\\\\",[],{}]}',
  ])('takes %s', (text) => {
    for (const chunkBytes of [1, 2, 1000])
      expect(scanned(Buffer.from(text), chunkBytes, limits).exceeded).toBeNull()
  })

  test('counts members and items, and empty objects and lists once more', () => {
    const count = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 0
        : Math.max(
            1,
            Object.values(value).reduce((sum: number, inner) => sum + 1 + count(inner), 0),
          )
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value))
        const values = count(value)
        const allows = (most: number) => {
          const scanner = new JsonScanner({ ...JSON_LIMITS, valuesOfPart: most, valuesInAll: most }, false)
          return scanner.scan(bytes, bytes.length) === null
        }
        expect(allows(values)).toBe(true)
        if (values > 0) expect(allows(values - 1)).toBe(false)
      }),
    )
  })
})
