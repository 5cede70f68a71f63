import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkOf, testOf } from '../../src/docs/checks.ts'
import { allBlocks, placeOf, ROOT } from '../../src/docs/pages.ts'
import { PASTED } from '../../src/docs/pasted.ts'

const blocks = allBlocks()

test('every fenced block of the pages is covered by a check', () => {
  const uncovered = blocks.filter((block) => checkOf(block) === null)
  expect(uncovered.map((block) => `${placeOf(block)} ${block.info}`)).toEqual([])
  expect(blocks.length).toBeGreaterThan(150)
})

test('every check exists', () => {
  const tests = new Set(blocks.map((block) => testOf(checkOf(block)!)))
  expect([...tests].filter((file) => file !== 'people' && !existsSync(path.join(ROOT, file)))).toEqual([])
})

test.each(['pasted', 'printed', 'modules', 'statements'] as const)(
  'the pages with blocks that are %s have a test that pastes them',
  (check) => {
    const pages = blocks.filter((block) => checkOf(block) === check).map(({ page }) => page)
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.filter((page) => !(PASTED as readonly string[]).includes(page))).toEqual([])
  },
)
