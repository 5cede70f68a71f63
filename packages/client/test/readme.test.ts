import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PACKAGE = path.resolve(import.meta.dirname, '..')
const TIMEOUT_MS = 110_000
/** Names that the snippets leave to their reader. */
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
  timeout: TIMEOUT_MS,
}, async () => {
  const readme = readFileSync(path.join(PACKAGE, 'README.md'), 'utf8')
  const snippets = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code!)
  expect(snippets.length).toBeGreaterThan(1)
  const directory = path.join(PACKAGE, 'test/.snippets')
  mkdirSync(directory, { recursive: true })
  try {
    const files = snippets.map((code, i) => {
      const file = path.join(directory, `snippet${i}.mts`)
      writeFileSync(file, code)
      return file
    })
    const globals = path.join(directory, 'globals.d.mts')
    writeFileSync(globals, PRELUDE)
    const tsc = createRequire(import.meta.url).resolve('typescript/lib/tsc.js')
    const flags =
      '--ignoreConfig --noEmit --strict --target es2023 --lib es2023,dom --module nodenext --skipLibCheck --types node'
    const printed = await promisify(execFile)(
      process.execPath,
      [tsc, ...flags.split(' '), globals, ...files],
      { cwd: directory, timeout: TIMEOUT_MS },
    ).then(
      ({ stdout }) => stdout,
      (error: { readonly stdout: string }) => error.stdout,
    )
    expect(printed).toBe('')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
