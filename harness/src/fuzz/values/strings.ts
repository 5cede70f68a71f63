import fc from 'fast-check'
import type { SchemaObject } from '../../api/jsonSchema.ts'
import { CannotGenerateError } from './conversion.ts'

type Limits = Pick<SchemaObject, 'minLength' | 'maxLength' | 'pattern' | 'format'>

const YEAR_2100 = Date.UTC(2100, 0, 1)

const times = fc
  .tuple(
    fc.date({ min: new Date(Date.UTC(1900, 0, 1)), max: new Date(YEAR_2100), noInvalidDate: true }),
    fc.constantFrom('Z', '+00:00', '+05:30', '-08:00'),
    fc.boolean(),
  )
  .map(([date, zone, isShort]) => {
    const text = date.toISOString().slice(0, -1)
    return `${isShort ? text.slice(0, 19) : text}${zone}`
  })

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': times,
  date: times.map((time) => time.slice(0, 10)),
  uuid: fc.oneof(fc.uuid(), fc.uuid({ version: 7 })),
  uri: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  'uri-reference': fc.oneof(fc.webPath(), fc.webUrl()),
  email: fc.emailAddress(),
}

/** Text of all kinds: mostly plain, some of it unusual. */
const textOf = (limits: { readonly minLength?: number; readonly maxLength?: number }) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', ...limits }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', ...limits }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', ...limits }) },
  )

/** Strings that match a schema. @throws CannotGenerateError */
export function stringsOf(schema: Limits): fc.Arbitrary<string> {
  const { minLength = 0, maxLength, pattern, format } = schema
  const fits = (text: string) => {
    const length = [...text].length
    return length >= minLength && length <= (maxLength ?? length) && (matches === null || matches.test(text))
  }
  const matches = pattern === undefined ? null : new RegExp(pattern, 'u')
  const source = sourceOf(schema)
  // A filter that accepts hardly anything would search for ever.
  if (fc.sample(source, { numRuns: 200, seed: 1 }).filter(fits).length < 10) {
    throw new CannotGenerateError(
      `too few strings fit ${JSON.stringify({ minLength, maxLength, pattern, format })}`,
    )
  }
  return source.filter(fits)
}

function sourceOf({ minLength, maxLength, pattern, format }: Limits): fc.Arbitrary<string> {
  const limits = {
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
  }
  if (format !== undefined) {
    const known = FORMATS[format]
    if (known === undefined) throw new CannotGenerateError(`no strings are known for the format ${format}`)
    return known
  }
  return pattern === undefined ? textOf(limits) : matching(pattern, limits)
}

/** The library supports most patterns; those with only character classes are found by trying. */
function matching(pattern: string, limits: { readonly minLength?: number; readonly maxLength?: number }) {
  try {
    const { maxLength } = limits
    const source = fc.stringMatching(new RegExp(pattern, 'u'), maxLength === undefined ? {} : { maxLength })
    fc.sample(source, 1)
    return source
  } catch {
    return textOf(limits)
  }
}
