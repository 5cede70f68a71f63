import { beforeAll, describe, expect, it } from 'vitest'
import { documentedApp, generateDocuments } from '../../../../tools/documents/generate.ts'
import { allowedBy, FORMATS, FORMS, prefixedIdPattern } from '../../src/core/textForms.ts'
import { adsCatalog, contentCatalog } from '../../src/profiles/builtIn.ts'
import { toInputError } from '../../src/validation/inputErrors.ts'
import { createValidators } from '../../src/validation/validators.ts'

/** All values of a keyword, anywhere in a schema. Examples are data, and may have members of any name. */
function valuesOf(keyword: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => {
    if (/^examples?$/.test(name)) return []
    const own = name === keyword && !Array.isArray(node) ? [value] : []
    return [...own, ...valuesOf(keyword, value)]
  })
}

const patternsIn = (node: unknown): string[] => [
  ...valuesOf('pattern', node).filter((value) => typeof value === 'string'),
  ...valuesOf('patternProperties', node).flatMap((value) => Object.keys(value as object)),
]

/** Everything that a request is validated against: the schemas of all routes, and of all events. */
const inputs: unknown[] = [contentCatalog, adsCatalog].flatMap((catalog) =>
  [...catalog.values()].map(({ schema }) => schema),
)
let documents: ReadonlyMap<string, string>
beforeAll(async () => {
  const app = documentedApp()
  app.addHook('onRoute', ({ schema }) => {
    const { body, querystring, params, headers } = schema ?? {}
    inputs.push({ body, querystring, params, headers })
  })
  await app.ready()
  await app.close()
  documents = await generateDocuments()
})

/** Character sequences of patterns that appear in no sentence. */
const RAW_PATTERN = /\[\^|\[[!-~]-[!-~]|\\[a-zA-Z.]|\{\d|\(\?|\^[[(\w]|[\])][*+?$]/

const unique = (texts: readonly string[]) => [...new Set(texts)].sort()

describe('no message shows a pattern', () => {
  it('since every pattern for requests has a text', () => {
    const patterns = unique(patternsIn(inputs))
    expect(patterns.length).toBeGreaterThan(20)
    expect(patterns.filter((pattern) => allowedBy(pattern) === null)).toEqual([])
  })

  it('nor the name of a format', () => {
    const formats = unique(valuesOf('format', inputs).filter((value) => typeof value === 'string'))
    expect(formats).toContain('date-time')
    expect(formats.filter((format) => FORMATS[format] === undefined)).toEqual([])
  })

  it('nor by the texts themselves, which end with a valid example', () => {
    const prefixed = prefixedIdPattern('gen_')
    const forms = [
      ...Object.values(FORMS),
      { pattern: prefixed, allowed: allowedBy(prefixed)! },
      ...Object.values(FORMATS).map((allowed) => ({ pattern: '', allowed })),
    ]
    for (const { pattern, allowed } of forms) {
      expect(allowed).not.toMatch(RAW_PATTERN)
      const example = /such as (.+)$/.exec(allowed)?.[1]
      expect(example, allowed).toBeDefined()
      // A cursor belongs to its list; none can be an example.
      if (pattern !== FORMS.cursor.pattern) expect(example).toMatch(new RegExp(pattern, 'u'))
    }
  })

  it.each([
    { type: 'string', pattern: '^[0-9]{4}(?:-[a-z]+)?$' },
    { type: 'string', format: 'ipv4' },
    { type: 'object', patternProperties: { '^[a-z]{2}$': {} }, additionalProperties: false },
  ])('nor for one without a text: %j', (schema) => {
    const validate = createValidators()(schema)
    expect(validate(schema.type === 'object' ? { '?': 1 } : '?')).toBe(false)
    const { message } = toInputError(validate.errors![0]!, '')
    expect(message).toContain('in the form that the API documents describe')
    expect(message).not.toMatch(RAW_PATTERN)
  })

  it('as this test would detect', () => {
    for (const pattern of patternsIn(inputs)) expect(`must match ${pattern}`).toMatch(RAW_PATTERN)
  })
})

/**
 * Patterns with the same meaning in ECMAScript, Python's re, RE2 (Go) and Rust's regex: plain characters,
 * classes of ASCII and of `\\xHH`, groups without names, bounded repeats. `\\d` and `\\w` differ between
 * them; `\\p`, `\\u` and look-around are not in all.
 */
const PORTABLE =
  /^(?:[^\\[\](){}*+?|^$]|\\\.|\[\^?(?:[^\\[\]]|\\x[0-9a-f]{2}|\\\\)+\]|\((?:\?:)?(?!\?)|\)|\||\^|\$|[*+?]|\{\d+(?:,\d*)?\})*$/u

describe('every pattern in the documents is portable to other languages', () => {
  it('none is omitted', () => {
    const all = unique([...documents.values()].flatMap((text) => patternsIn(JSON.parse(text))))
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter((pattern) => !PORTABLE.test(pattern))).toEqual([])
    expect(all.filter((pattern) => /[^ -~]/.test(pattern))).toEqual([])
  })

  it.each(['\\p{L}', '\\u0000', '\\d', '[\\w]', 'a(?=b)', '(?<name>a)', 'a\\b', '[\\p{Cc}]', '(a)\\1'])(
    '%s is not portable',
    (pattern) => {
      expect(pattern).not.toMatch(PORTABLE)
    },
  )
})

describe('text for people may have any character', () => {
  const takes = ({ pattern }: { readonly pattern: string }) => createValidators()({ type: 'string', pattern })

  it.each(['', 'Ünïcode 漢字 🜁', '\u200f\u2066', 'a\u0300'.repeat(9), '\u{10ffff}'])('%j', (text) => {
    expect(takes(FORMS.label)(text)).toBe(true)
    expect(takes(FORMS.freeText)(text)).toBe(true)
  })

  it.each(['\0', 'a\x1f', '\x7f', '\ud800', '\udc00', 'a\ud800b', '\udc00\ud800'])('but %j', (text) => {
    expect(takes(FORMS.label)(text)).toBe(false)
    expect(takes(FORMS.freeText)(text)).toBe(false)
  })

  it('except, in a label, line breaks and terminal control characters', () => {
    for (const text of ['a\nb', 'a\tb', '\x9b31m']) {
      expect(takes(FORMS.label)(text)).toBe(false)
      expect(takes(FORMS.freeText)(text)).toBe(true)
    }
  })

  it('two patterns of one schema are two', () => {
    const properties = { a: { type: 'string', pattern: '^[^a]$' }, b: { type: 'string', pattern: '^[^b]$' } }
    const validate = createValidators()({ type: 'object', properties })
    expect([validate({ a: 'b', b: 'a' }), validate({ a: 'a' }), validate({ b: 'b' })]).toEqual([
      true,
      false,
      false,
    ])
  })
})
