import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from './emptyProject.ts'

const PACKAGE = new URL('../..', import.meta.url).pathname
/** Names that the snippets leave to their reader. */
const PRELUDE = `export {}
declare global {
  function enqueue(id: string, event: unknown): Promise<void>
  const secrets: readonly string[]
  const id: string
  const timestampSeconds: number
  const body: string
}
`

test('every snippet of the README compiles, as a reader would paste it', async () => {
  const readme = readFileSync(path.join(PACKAGE, 'README.md'), 'utf8')
  const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)
  expect(snippets.length).toBeGreaterThan(10)
  const directory = path.join(PACKAGE, 'test/package/.snippets')
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
    const flags = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'es2023',
      '--lib',
      'es2023',
      '--module',
      'nodenext',
      '--skipLibCheck',
      '--types',
      'node',
    ]
    expect(await runProgram(process.execPath, [tsc, ...flags, globals, ...files], directory)).toBe('')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
