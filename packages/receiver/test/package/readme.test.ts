import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { compileSnippets, snippetsOf } from '../../../../tools/snippetChecks.ts'

const PACKAGE = path.resolve(import.meta.dirname, '../..')
const PRELUDE = `export {}
declare global {
  function enqueue(id: string, event: unknown): Promise<void>
  const secrets: readonly string[]
  const id: string
  const timestampSeconds: number
  const body: string
}
`

test('every snippet of the README compiles, as a reader would paste it', { timeout: 120_000 }, async () => {
  const snippets = snippetsOf(readFileSync(path.join(PACKAGE, 'README.md'), 'utf8'))
  expect(snippets.length).toBeGreaterThan(10)
  const directory = path.join(PACKAGE, 'test/package/.snippets')
  expect(await compileSnippets(snippets, { directory, prelude: PRELUDE, libraries: 'es2023' })).toBe('')
})
