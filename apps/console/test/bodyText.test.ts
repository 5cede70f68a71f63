import { describe, expect, it } from 'vitest'
import { bodyViews, formatJson, hexDump } from '../src/model/bodyText.ts'

describe('formatJson', () => {
  it('looks like JSON.stringify where that loses nothing', () => {
    const values = [
      {},
      [],
      { a: [] },
      [1, [2, { b: null }], 'x'],
      { 'a "b" \\': 'c,{}[]:', d: { e: true } },
      'text',
      7,
    ]
    for (const value of values) expect(formatJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
  })

  it('keeps digits, escapes, order and doubles as they were sent', () => {
    const text = '{"b":12345678901234567890,"a":1.0,"b":"\\u0041\\/"}'
    expect(formatJson(text)).toBe('{\n  "b": 12345678901234567890,\n  "a": 1.0,\n  "b": "\\u0041\\/"\n}')
  })

  it('reformats JSON that was formatted differently', () => {
    expect(formatJson(' [ 1 ,\n2 ] ')).toBe('[\n  1,\n  2\n]')
  })

  it.each(['', '{', '{"a":1', 'hello', '<html>', '{} {}', "{'a':1}"])('is null for %j', (text) => {
    expect(formatJson(text)).toBeNull()
  })

  it('does not format JSON that is nested too deeply to read', () => {
    expect(formatJson('['.repeat(1_000) + ']'.repeat(1_000))).toBeNull()
  })
})

describe('hexDump', () => {
  it('shows offsets, bytes and their text', () => {
    expect(hexDump(Uint8Array.from([0, 0x41, 0xff, 0x7e, 0x7f, 0x20, 0x62, 0x0a, 0x43]))).toBe(
      '0000  00 41 ff 7e 7f 20 62 0a  .A.~. b.\n0008  43                       C',
    )
  })
})

describe('bodyViews', () => {
  it('offers formatted JSON first, then the original', () => {
    expect(bodyViews('{"a":1}', 'utf-8')).toEqual([
      { name: 'JSON', text: '{\n  "a": 1\n}' },
      { name: 'Raw', text: '{"a":1}' },
    ])
  })

  it('shows other text unchanged, binary data in hexadecimal, and nothing for an empty body', () => {
    expect(bodyViews('Bad gateway', 'utf-8')).toEqual([{ name: 'Text', text: 'Bad gateway' }])
    expect(bodyViews('/wA=', 'base64')).toEqual([{ name: 'Hex', text: '0000  ff 00                    ..' }])
    expect(bodyViews('', 'utf-8')).toEqual([])
  })
})
