import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { profileIn } from '../../../src/cli/services/profileFile.ts'

const LINES = [
  '{',
  '  "profile": 1,',
  '  "name": "billing",',
  '  "title": "Billing",',
  '  "headers": { "x-a/b": "{id}", "x-sig": "{signatures}" },',
  '  "catalog": {',
  '    "types": [',
  '      { "type": "invoice.paid", "title": "Invoice paid", "schema": { "type": "objet" } }',
  '    ]',
  '  }',
  '}',
]

/** The positions of mistakes in a text, as editors write them. */
const placesIn = (text: string) =>
  profileIn(text).errors.map(({ line, column, pointer }) => `${line}:${column} ${pointer}`)

describe('a mistake in a profile file', () => {
  test('has its line and column', () => {
    expect(placesIn(LINES.join('\n'))).toEqual(['5:16 /headers/x-a~1b'])
    expect(placesIn(LINES.join('\n').replace('x-a/b', 'x-ab'))).toEqual(['8:58 /catalog/types/0/schema'])
  })

  test('has the same positions with Windows line ends', () => {
    expect(placesIn(`${LINES.join('\r\n').replace('x-a/b', 'x-ab')}`)).toEqual([
      '8:58 /catalog/types/0/schema',
    ])
  })

  test('about a missing member has the position of its parent', () => {
    expect(placesIn('\n{"profile": 1, "name": "a"}')).toEqual(['2:1 /title'])
  })

  test.each([
    ['', '1:1 null', 'expected value'],
    ['{"profile": 1', '1:14 null', 'expected close brace'],
    ['{"profile": 1,\n "name": "a",,}', '2:14 null', 'expected property name'],
    ['{\n  // a comment\n}', '2:3 null', 'invalid comment token'],
    ['{"a": 1} {}', '1:10 null', 'expected end of file'],
  ])('is reported when %j is not JSON', (text, place, message) => {
    expect(placesIn(text)).toEqual([place])
    expect(profileIn(text).errors[0]!.message).toContain(message)
  })
})

test.each(['content', 'ads', 'standard', 'github', 'stripe', 'svix', 'shopify'])(
  'the profile %s is valid',
  (name) => {
    const file = new URL(`../../../profiles/${name}.json`, import.meta.url)
    const { errors, warnings, profile } = profileIn(readFileSync(file, 'utf8'))
    expect({ errors, name: profile?.name }).toEqual({ errors: [], name })
    const signsBodyAlone = ['ads', 'github', 'shopify'].includes(name)
    expect(warnings.map(({ pointer }) => pointer)).toEqual(signsBodyAlone ? ['/signatures/0/content'] : [])
  },
)
