import { describe, expect, it } from 'vitest'
import { placed, syntaxMistake } from '../../src/model/profile/places.ts'

const TEXT = `{
  "name": "billing",
  "policy": { "waits": ["5s", "soon"] },
  "headers": { "a/b": "{id}" }
}`

const at = (pointer: string, text = TEXT) => {
  const [found] = placed(text, [{ kind: 'error', pointer, message: 'must be another' }])
  return { line: found!.line, text: text.slice(found!.from, found!.to) }
}

describe('the position of an error', () => {
  it.each([
    ['/name', 2, '"name": "billing"'],
    ['/policy/waits/1', 3, '"soon"'],
    ['/headers/a~1b', 4, '"a/b": "{id}"'],
  ])('%s is its member or item', (pointer, line, text) => expect(at(pointer)).toEqual({ line, text }))

  it('for a missing member is the start of its parent', () => {
    expect(at('/policy/timeout')).toEqual({ line: 3, text: '"policy": {' })
    expect(at('/title')).toEqual({ line: 1, text: '{' })
    expect(at('/policy/waits/7')).toEqual({ line: 3, text: '"waits": [' })
  })

  it('is the start of the text for the whole profile, even an empty one', () => {
    expect(at('')).toEqual({ line: 1, text: '{' })
    expect(at('/name', '')).toEqual({ line: 1, text: '' })
  })
})

describe('the reason why a text is not JSON', () => {
  it('is absent for valid JSON', () => expect(syntaxMistake(TEXT)).toBeNull())

  it('has a line number', () => {
    const broken = TEXT.replace('"billing",', '"billing"')
    const mistake = syntaxMistake(broken)!
    expect(mistake).toMatchObject({ line: 3, message: 'is not JSON: expected comma', pointer: '' })
    expect(broken.slice(mistake.from, mistake.to)).toBe('"policy"')
  })

  it.each(['', '{', '{"a": 1,}', '// no', '[1'])('rejects %j at a position within the text', (text) => {
    const mistake = syntaxMistake(text)!
    expect(mistake.message).toMatch(/^is not JSON: /)
    expect(mistake.to).toBeLessThanOrEqual(text.length)
    expect(mistake.from).toBeLessThanOrEqual(mistake.to)
  })
})
