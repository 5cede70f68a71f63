import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type CheckName, checkOf, testOf } from '../../src/docs/checks.ts'
import { allBlocks, placeOf, ROOT } from '../../src/docs/pages.ts'
import { MODULES, PASTED, PRINTED } from '../../src/docs/pasted.ts'

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

const pagesWith = (check: CheckName): readonly string[] =>
  blocks.filter((block) => checkOf(block) === check).map(({ page }) => page)

test.each([
  ['pasted', PASTED],
  ['printed', PRINTED],
] as const)(
  'a test runs all blocks of each page with blocks that are %s',
  (check, tested: readonly string[]) => {
    const pages = pagesWith(check)
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.filter((page) => !tested.includes(page))).toEqual([])
    expect(tested.filter((page) => !pages.includes(page))).toEqual([])
  },
)

test('each program of a page is run by its own name', () => {
  const named = Object.entries(MODULES).flatMap(([page, names]) => names.map(() => page))
  expect(named.toSorted()).toEqual(pagesWith('modules').toSorted())
})
