import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MUTANTS } from './index.ts'

const root = new URL('../../../../', import.meta.url)

test.each(MUTANTS)("the code still contains the mutant's text: $name", ({ file, text, replacement }) => {
  const code = readFileSync(new URL(file, root), 'utf8')
  expect(code.split(text).length - 1).toBe(1)
  expect(replacement).not.toBe(text)
})

test('each mutant has a unique name, and a suite that exists', () => {
  const names = MUTANTS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const suites = new Set(MUTANTS.flatMap(({ caughtBy }) => caughtBy.files))
  expect([...suites].filter((file) => !existsSync(new URL(file, root)))).toEqual([])
})
