import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type JsonSchema, memberHelpAt, schemaAt, suggestionsAt } from '../../src/model/profile/schemaHelp.ts'

const schema = JSON.parse(
  readFileSync(new URL('../../../../docs/api/schemas/profile.json', import.meta.url), 'utf8'),
) as JsonSchema

/** @param marked a text in which `|` marks the cursor */
const at = (marked: string) => {
  const offset = marked.indexOf('|')
  const text = marked.replace('|', '')
  const found = suggestionsAt(schema, text, offset)
  if (found === null) return null
  const { from, to, options } = found
  return { replaced: text.slice(from, to), labels: options.map(({ label }) => label), options }
}
const inserted = (marked: string, label: string) =>
  at(marked)?.options.find((option) => option.label === label)?.insert

describe('suggestions at the cursor', () => {
  it('are the members that are not there yet', () => {
    const found = at('{"profile": 1, "name": "a", |}')!
    expect(found.replaced).toBe('')
    expect(found.labels).toEqual(expect.arrayContaining(['title', 'envelope', 'signatures']))
    expect(found.labels).not.toContain('name')
    expect(found.options.find(({ label }) => label === 'policy')?.description).toBe(
      'When and how often deliveries are attempted.',
    )
  })

  it('replace the part of a name already typed, with or without its quotation marks', () => {
    expect(at('{"profile": 1, "sig|"}')?.replaced).toBe('"sig"')
    expect(at('{"profile": 1, "sig|": []}')?.labels).toContain('signatures')
    expect(at('{"profile": 1, sig|}')?.replaced).toBe('sig')
  })

  it('add a value after a name only where there is none', () => {
    expect(inserted('{|}', 'policy')).toBe('"policy": {}')
    expect(inserted('{|}', 'signatures')).toBe('"signatures": []')
    expect(inserted('{|}', 'profile')).toBe('"profile": 1')
    expect(inserted('{"pol|": {}}', 'policy')).toBe('"policy"')
  })

  it('work inside objects and lists', () => {
    expect(at('{"catalog": {"types": [{"type": "a", |}]}}')?.labels).toEqual(
      expect.arrayContaining(['title', 'schema', 'example']),
    )
    expect(at('{"envelope": {"members": [{"as": |}]}}')?.labels).toEqual(['iso-ms', 'unix-s', 'unix-ms'])
  })

  it('are the values of a member', () => {
    expect(inserted('{"case": |}', 'camel')).toBe('"camel"')
    expect(at('{"case": "|"}')).toMatchObject({ replaced: '""', labels: ['snake', 'camel'] })
    expect(at('{"unsigned": |}')?.labels).toEqual(['true', 'false'])
    expect(at('{"operations": {"bulk": |}}')?.labels).toContain('null')
    expect(at('{"policy": {"timeout": |}}')?.labels).toEqual(['15s'])
  })

  it('match what was typed before the cursor', () => {
    expect(at('{"case": "C|"}')).toMatchObject({ replaced: '"C"', labels: ['camel'] })
    expect(at('{"unsigned": t|}')).toMatchObject({ replaced: 't', labels: ['true'] })
    expect(at('{"po|"}')?.labels).toEqual(['policy'])
    expect(at('{"ti|"}')?.labels[0]).toBe('title')
    expect(at('{"ti|"}')?.labels).toContain('compatibility')
    expect(at('{"zz|"}')).toBeNull()
  })

  it('are empty where the schema has none', () => {
    expect(at('{"headers": {|}}')).toBeNull()
    expect(at('{"name": |}')).toBeNull()
    expect(at('{"catalog": {"types": [{"example": {|}}]}}')).toBeNull()
  })
})

describe('the schema description of a member', () => {
  const help = (marked: string) => memberHelpAt(schema, marked.replace('|', ''), marked.indexOf('|'))

  it('is shown at its name, with its possible values', () => {
    expect(help('{"ids": {"st|yle": "uuid"}}')).toMatchObject({
      name: 'style',
      values: ['prefixed', 'uuid'],
    })
    expect(help('{"i|ds": {"style": "uuid"}}')).toMatchObject({ name: 'ids', from: 1, to: 6 })
  })

  it('is absent elsewhere', () => {
    expect(help('{"ids": {"style": "u|uid"}}')).toBeNull()
    expect(help('{"none|such": 1}')).toBeNull()
    expect(help('|')).toBeNull()
  })

  it('applies to all values of an open object', () => {
    expect(schemaAt(schema, ['headers', 'x-id'])?.description).toMatch(/^A template/)
    expect(schemaAt(schema, ['name', 'x'])).toBeNull()
  })
})
