import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type WebhookHeaders, WebhookVerificationError } from '../../src/index.ts'
import { FIELD_RULES } from '../../src/profile/fields.ts'
import { contentDelimiters, layoutOf, splitText } from '../../src/profile/layout.ts'
import { FIELDS, type Field } from '../../src/profile/parts.ts'
import { namesIn, type Part } from '../../src/profile/template.ts'
import { profileFile, receiverOf, signingService } from '../signingService.ts'
import { untyped } from '../support.ts'

/** Few values that differ little, so that ambiguities show up. */
const VALUES: Readonly<Record<Field, readonly string[]>> = {
  id: ['1', '11', 'a', 'a_1', 'a:1', 'a{', '1/a'],
  timestamp: ['1', '11', '111'],
  'timestamp:iso': ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'],
  type: ['1', 'a', 'a.1', 'a/1', '1.a.1', '.', '/'],
  delivery_id: ['1', 'a', '1a', 'a:', '{'],
  attempt: ['1', '11'],
  'workspace.slug': ['1', 'a', '1a', 'a-1'],
  webhook_id: ['1', 'a', '-1', ':1'],
}

const part = fc.oneof(
  fc.constantFrom(...FIELDS).map((name) => ({ name })),
  fc.constantFrom('.', ':', '/', '-', 'a', '{', ' ', '.1', ':{'),
)
const template: fc.Arbitrary<Part<Field>[]> = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) =>
  // Text separates values: two adjacent texts are one.
  parts.filter((one, i) => typeof one !== 'string' || typeof parts[i - 1] !== 'string'),
)
type Values = Readonly<Record<Field, string>>
const values: fc.Arbitrary<Values> = fc.record(
  Object.fromEntries(FIELDS.map((field) => [field, fc.constantFrom(...VALUES[field])])) as never,
)

const fill = (parts: readonly Part<Field>[], of: Values) =>
  parts.map((one) => (typeof one === 'string' ? one : of[one.name])).join('')
const fits = (delimiters: ReadonlyMap<Field, string>, of: Values) =>
  [...delimiters].every(([field, signs]) => [...signs].every((sign) => !of[field].includes(sign)))

test('a header is split into its original values', () => {
  fc.assert(
    fc.property(template, values, (parts, of) => {
      const layout = layoutOf(parts, FIELD_RULES)
      if (layout === null || !fits(layout.delimiters, of)) return
      const expected = namesIn(parts).map((name) => [name, of[name]])
      expect(splitText(layout, fill(parts, of), FIELD_RULES)).toEqual(expected)
    }),
    { numRuns: 5_000 },
  )
})

test('any text is split or rejected, and the parts reproduce it', () => {
  const text = fc.string({ unit: fc.constantFrom('1', 'a', '.', ':', '/', '{', ' '), maxLength: 40 })
  fc.assert(
    fc.property(template, text, (parts, sent) => {
      const layout = layoutOf(parts, FIELD_RULES)
      const split = layout && splitText(layout, sent, FIELD_RULES)
      if (split === null) return
      const found = split.map(([, value]) => value)
      expect(parts.map((one) => (typeof one === 'string' ? one : found.shift())).join('')).toBe(sent)
    }),
    { numRuns: 5_000 },
  )
})

type Reading = ReadonlyMap<Field, string>

/** All ways to read signed content as values and a body, by trying every length of every value. */
function* readings(
  parts: readonly Part<Field>[],
  text: string,
  allows: (field: Field, value: string) => boolean,
  known: Reading = new Map(),
): Generator<Reading> {
  const [first, ...rest] = parts
  if (first === undefined) {
    yield new Map(known)
  } else if (typeof first === 'string') {
    if (text.startsWith(first)) yield* readings(rest, text.slice(first.length), allows, known)
  } else {
    const same = known.get(first.name)
    for (let end = 1; end <= text.length; end += 1) {
      const value = text.slice(0, end)
      if (!allows(first.name, value) || (same !== undefined && same !== value)) continue
      yield* readings(rest, text.slice(end), allows, new Map([...known, [first.name, value]]))
    }
  }
}

test('signed content has only one reading as values and a body', () => {
  const bodies = fc.constantFrom('{}', '{"a":1}', '{1.a{', '{:{', '', '.', '1.{}', 'a{}', ':1', '/1/{', ' {')
  const seen = { one: 0, startsObject: 0 }
  fc.assert(
    fc.property(template, values, bodies, (parts, of, body) => {
      const found = contentDelimiters(parts, FIELD_RULES)
      if (found === null || !fits(found.delimiters, of)) return
      if (found.startsObject && !body.startsWith('{')) return
      const text = fill(parts, of) + body
      const allows = (field: Field, value: string) =>
        FIELD_RULES[field].accepts(value) &&
        ![...(found.delimiters.get(field) ?? '')].some((sign) => value.includes(sign))
      const all = [...readings(parts, text, allows)].filter((reading) => {
        const end = fill(parts, Object.fromEntries(reading) as Values).length
        return !found.startsObject || text[end] === '{'
      })
      expect(all).toHaveLength(1)
      seen.one += 1
      if (found.startsObject) seen.startsObject += 1
    }),
    { numRuns: 10_000 },
  )
  expect(seen.one).toBeGreaterThan(1_000)
  expect(seen.startsObject).toBeGreaterThan(300)
})

test('any junk in one header of a signed request is rejected without another error', async () => {
  for (const name of ['stripe', 'shopify']) {
    const service = signingService(profileFile(name))
    const receiver = receiverOf(service)
    const body = service.body()
    const headers = service.sign(body)
    const header = fc.constantFrom(...Object.keys(headers).filter((one) => /sign|hmac|domain/i.test(one)))
    await fc.assert(
      fc.asyncProperty(header, fc.oneof(fc.anything(), fc.string()), async (which, junk) => {
        const changed = untyped<WebhookHeaders>({ ...headers, [which]: junk })
        await expect(receiver.verify(`${body} `, changed)).rejects.toBeInstanceOf(WebhookVerificationError)
      }),
      { numRuns: 300 },
    )
  }
})
