import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { compileSnippets, snippetsOf } from '../../../tools/snippetChecks.ts'

const PACKAGE = path.resolve(import.meta.dirname, '..')
const PRELUDE = `import type { Kysely } from 'kysely'
import type { ContentClient } from '@posthorn/client'
declare global {
  const db: Kysely<{ campaign: { id: string, status: string } }>
  const id: string
  const posthorn: ContentClient
}
`

/** Those of the tour are in tour.test.ts. */
test('every other snippet of the README compiles, as a reader would paste it', {
  timeout: 120_000,
}, async () => {
  const snippets = snippetsOf(readFileSync(path.join(PACKAGE, 'README.md'), 'utf8'))
  expect(snippets.length).toBeGreaterThan(1)
  const directory = path.join(PACKAGE, 'test/.snippets')
  expect(await compileSnippets(snippets, { directory, prelude: PRELUDE, libraries: 'es2023,dom' })).toBe('')
})
