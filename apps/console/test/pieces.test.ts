import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { piecesOf, plainText } from '../src/shared/untrusted/pieces.ts'

const shown = (text: string) =>
  piecesOf(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `<${piece.name}>`))
    .join('')

test('plain text, letters of all scripts, line feeds and tabs are shown as they are', () => {
  for (const text of ['', 'Kaffee & Kuchen', '日本語\tعربى\nвсё', '<script>alert(1)</script>', '😀']) {
    expect(piecesOf(text)).toEqual(text === '' ? [] : [{ kind: 'text', text }])
  }
})

test('bidirectional controls are named and have no effect', () => {
  expect(shown('invoice\u202efdp.exe')).toBe('invoice<RLO>fdp.exe')
  expect(shown('a\u2066b\u2069c\u200fd\u061ce')).toBe('a<LRI>b<PDI>c<RLM>d<U+061C>e')
})

test('controls, zero-width characters, tags and lone surrogates are named', () => {
  expect(shown('a\u0000b\u001b[31mc\r\u007f\u0085')).toBe('a<NUL>b<ESC>[31mc<CR><DEL><U+0085>')
  expect(shown('pass\u200bword\ufeff\u00ad')).toBe('pass<ZWSP>word<BOM><SHY>')
  expect(shown('x\u{e0041}\ud800y')).toBe('x<U+E0041><U+D800>y')
})

test('combining marks on one letter are limited to three', () => {
  expect(shown(`z${'\u0301'.repeat(500)}!`)).toBe('z\u0301\u0301\u0301!')
})

const characters = fc.string({ unit: 'binary' })
/** Combining marks and invisible characters, close together. */
const crowded = fc.string({
  unit: fc.constantFrom('a', 'é', '\n', '\u0301', '\u0302', '\ufe0f', '\u202e', '\u0000', '\ud800', '😀'),
})
/** Drops combining marks beyond the third. */
const withFewMarks = (text: string) => text.replace(/(\p{M}{3})\p{M}+/gu, '$1')

test('no character that acts on others is left in the text, and none is lost', () => {
  fc.assert(
    fc.property(fc.oneof(characters, crowded), (text) => {
      const pieces = piecesOf(text)
      const left = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
      expect(left.join('')).not.toMatch(/\p{Bidi_Control}|\p{Cs}|(?![\t\n])\p{Cc}/u)
      const whole = pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.character)).join('')
      expect(withFewMarks(whole)).toBe(withFewMarks(text))
    }),
    { numRuns: 1_000 },
  )
})

test('a title is one line', () => {
  expect(plainText('two\nlines\u202e')).toBe('two lines[RLO]')
})

describe('emoji of several characters', () => {
  test.each(['👩‍💻', '👩🏽‍🚀', '❤️', '1️⃣', '🏳️‍🌈', '👨‍👩‍👧‍👦', '🇪🇺'])('stay whole: %s', (emoji) => {
    expect(piecesOf(`a ${emoji} b`)).toEqual([{ kind: 'text', text: `a ${emoji} b` }])
  })

  test.each([
    ['a\u200db', 'a[ZWJ]b'],
    ['👩\u200d', '👩[ZWJ]'],
    ['\ufe0f', '[U+FE0F]'],
    ['👩\u200d\u200d💻', '👩[ZWJ][ZWJ]💻'],
    ['1\ufe0f', '1[U+FE0F]'],
  ])('hide nothing: %j', (text, shown) => {
    expect(plainText(text)).toBe(shown)
  })
})
