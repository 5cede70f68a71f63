import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ordinals, ordinalText, SEGMENT_EVENTS } from '../../src/core/search/ordinals.ts'
import { termOfType, termOfWord } from '../../src/core/search/terms.ts'
import { askedWords, MAX_ASKED_WORDS, MAX_WORDS, pathsOf, wordsIn } from '../../src/core/search/words.ts'

const words = (value: unknown, ...paths: string[]) => [...wordsIn(JSON.stringify(value), pathsOf(paths))]

test('words have one spelling, parts of joined words are included, and ids stay whole', () => {
  expect(words({ t: 'Chain-care for “Winter”' }, 't')).toEqual([
    'chain-care',
    'chain',
    'care',
    'for',
    'winter',
  ])
  expect(words({ t: 'gen_01KG 01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6' }, 't')).toEqual([
    'gen_01kg',
    '01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6',
  ])
  expect(words({ t: 'Straße ÅNGSTRÖM 東京' }, 't')).toEqual(['straße', 'ångström', '東京'])
  expect(words({ t: '— … !' }, 't')).toEqual([])
})

test('only values on the paths are found, also in lists', () => {
  const event = { data: { posts: [{ id: 'a' }, { id: 7 }], title: 'x', deep: { id: true } } }
  expect(words(event, 'data.posts.id')).toEqual(['a', '7'])
  expect(words(event, 'data.deep.id', 'data.none.id', 'data.title.length', 'data.constructor')).toEqual([])
})

test('a star matches any beginning of a name, and only the given ending', () => {
  const data = {
    id: 1,
    invoice_id: 'inv_7',
    orderId: 4711,
    paid: 'no',
    valid: 'no',
    customer: { id: 'c_2', x: 'no' },
  }
  expect(words({ data }, 'data.*_id')).toEqual(['inv_7'])
  expect(words({ data }, 'data.*Id')).toEqual(['4711'])
  expect(words({ data }, 'data.*.id')).toEqual(['c_2'])
  expect(words({ data: [data] }, 'data.*.id', 'data.*_id')).toEqual(['c_2', 'inv_7'])
  expect(words({ data: 'text' }, 'data.*_id', 'data.*.id')).toEqual([])
})

test('a path with many values leaves room for those of others', () => {
  const data = {
    ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`n${i}_id`, `i${i}`])),
    name: 'Winter',
  }
  const found = words({ data }, 'data.*_id', 'data.name')
  expect(found.slice(0, 3)).toEqual(['i0', 'winter', 'i1'])
  expect(found).toHaveLength(MAX_WORDS)
})

test('nested lists are followed a few levels deep, however deep they are', () => {
  expect(words({ t: [[[['a']]]] }, 't')).toEqual(['a'])
  const deep = `{"t":${'['.repeat(30_000)}"a"${']'.repeat(30_000)}}`
  expect([...wordsIn(deep, pathsOf(['t']))]).toEqual([])
})

test('an event has a limited number of words of limited length', () => {
  const long = 'w'.repeat(500)
  const many = Array.from({ length: 1000 }, (_, i) => `n${i}`)
  expect(words({ t: long }, 't')).toEqual(['w'.repeat(64)])
  expect(words({ t: many }, 't')).toHaveLength(MAX_WORDS)
  expect(words({ t: many.join(' ') }, 't')).toHaveLength(MAX_WORDS)
})

test('a query finds the words of matching events', () => {
  const text = 'How to “true” a Wheel-set, gen_7'
  const found = wordsIn(JSON.stringify({ t: text }), pathsOf(['t']))
  for (const word of askedWords(text)) expect(found).toContain(word)
  expect(askedWords('?!')).toEqual([])
  expect(askedWords('a b c d e f g h i j')).toHaveLength(MAX_ASKED_WORDS)
})

test('any text is found by the words of a query for it, plain or not', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', '7', '_', '-', ' ', 'é'), maxLength: 12 })
  fc.assert(
    fc.property(text, (t) => {
      expect(words({ t }, 't')).toEqual(expect.arrayContaining([...askedWords(t)]))
    }),
  )
})

test('a word begins and ends with a letter or digit, whatever surrounds it', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'é', '7', '!', '…', '_', '-', '\u0301', '\u{1f6b2}') })
  fc.assert(
    fc.property(piece, (text) => {
      const trimmed = text
        .normalize('NFKC')
        .replace(/^[^\p{L}\p{N}]+/u, '')
        .replace(/[^\p{L}\p{N}]+$/u, '')
      expect(askedWords(text)).toEqual(trimmed === '' ? [] : [trimmed.slice(0, 64)])
    }),
  )
})

test('characters that expand do not make longer texts', () => {
  const folded = '\u2057'.repeat(1024)
  expect(words({ t: `a${folded}b` }, 't')).toEqual(['a'])
})

test('terms of words and types differ, and are numbers that both stores can hold', () => {
  const terms = new Set<number>()
  for (let i = 0; i < 100_000; i++) terms.add(termOfWord(`word ${i}`))
  expect(terms.size).toBe(100_000)
  expect(termOfWord('a')).not.toBe(termOfType('a'))
  for (const term of terms) expect(Number.isSafeInteger(term) && term >= 0).toBe(true)
})

test('events of a segment are stored as text, and those of two terms can be compared', () => {
  const [one, other] = [new Ordinals(), new Ordinals()]
  one.addText([0, 5, SEGMENT_EVENTS - 1].map(ordinalText).join(''))
  other.addText([5, SEGMENT_EVENTS - 1].map(ordinalText).join(''))
  other.addText(ordinalText(7))
  one.keep(other)
  expect([0, 5, 7, SEGMENT_EVENTS - 1].filter((ordinal) => one.has(ordinal))).toEqual([5, SEGMENT_EVENTS - 1])
  one.keep(new Ordinals())
  expect(one.empty).toBe(true)
})
