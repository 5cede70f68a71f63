import { describe, expect, it } from 'vitest'
import { fieldPath } from '../src/pages/events/sample/fieldPath.ts'
import { sampleLines } from '../src/pages/events/sample/sampleLines.ts'

describe('the path of a member', () => {
  const plain = ['data', 'generation', 'title']
  it('is written in the syntax of each tool', () => {
    expect(fieldPath(plain, 'dots')).toBe('data.generation.title')
    expect(fieldPath(plain, 'braces')).toBe('{{data.generation.title}}')
    expect(fieldPath(plain, 'jsonpath')).toBe('$.data.generation.title')
  })

  it('names list items by their index', () => {
    expect(fieldPath(['data', 'posts', 0, 'title'], 'dots')).toBe('data.posts[0].title')
    expect(fieldPath(['data', 'posts', 0, 'title'], 'jsonpath')).toBe('$.data.posts[0].title')
  })

  it.each([
    ['a dot', 'a.b', 'data["a.b"].c', "$.data['a.b'].c"],
    ['a blank', 'a b', 'data["a b"].c', "$.data['a b'].c"],
    ['a hyphen', 'a-b', 'data["a-b"].c', "$.data['a-b'].c"],
    ['a leading digit', '1a', 'data["1a"].c', "$.data['1a'].c"],
    ['no sign at all', '', 'data[""].c', "$.data[''].c"],
    ['double quotes', 'a"b', 'data["a\\"b"].c', "$.data['a\"b'].c"],
    ['single quotes', "a'b", 'data["a\'b"].c', "$.data['a\\'b'].c"],
    ['a backslash', 'a\\b', 'data["a\\\\b"].c', "$.data['a\\\\b'].c"],
    ['a line feed', 'a\nb', 'data["a\\nb"].c', "$.data['a\\nb'].c"],
  ])('quotes a name with %s', (_, name, dots, jsonpath) => {
    expect(fieldPath(['data', name, 'c'], 'dots')).toBe(dots)
    expect(fieldPath(['data', name, 'c'], 'braces')).toBe(`{{${dots}}}`)
    expect(fieldPath(['data', name, 'c'], 'jsonpath')).toBe(jsonpath)
  })

  it('quotes the first name where it needs it', () => {
    expect(fieldPath(['a b'], 'dots')).toBe('["a b"]')
  })
})

describe('the lines of a sample', () => {
  it('list all members and items, parents before children', () => {
    const lines = sampleLines({ id: 'x', data: { tags: ['a', null], empty: {}, n: 1.5, yes: true } })
    expect(lines.map(({ steps, depth, value }) => [steps.join('/'), depth, value])).toEqual([
      ['id', 0, 'x'],
      ['data', 0, '4 fields'],
      ['data/tags', 1, '2 items'],
      ['data/tags/0', 2, 'a'],
      ['data/tags/1', 2, 'null'],
      ['data/empty', 1, 'empty'],
      ['data/n', 1, '1.5'],
      ['data/yes', 1, 'true'],
    ])
  })
})
