import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const SNIPPETS = /^```ts\n([\s\S]*?)^```/gm
const TIMEOUT_MS = 110_000

/** The TypeScript snippets of a page that no test runs: those whose fence names nothing but `ts`. */
export const snippetsOf = (page: string): readonly string[] =>
  [...page.matchAll(SNIPPETS)].map(([, code]) => code!)

interface Params {
  /** Within the package, so that imports of it and its dependencies are found. Removed at the end. */
  readonly directory: string
  /** A module that declares the names that the snippets leave to their reader. */
  readonly prelude: string
  /** For `--lib`. */
  readonly libraries: string
}

/** Compiles snippets as a reader would paste them. @returns what the compiler prints; empty: no errors */
export async function compileSnippets(
  snippets: readonly string[],
  { directory, prelude, libraries }: Params,
): Promise<string> {
  mkdirSync(directory, { recursive: true })
  try {
    const files = [prelude, ...snippets].map((code, i) => {
      const file = path.join(directory, i === 0 ? 'globals.d.mts' : `snippet${i}.mts`)
      writeFileSync(file, code)
      return file
    })
    const tsc = createRequire(import.meta.url).resolve('typescript/lib/tsc.js')
    const flags = `--ignoreConfig --noEmit --strict --target es2023 --lib ${libraries} --module nodenext --skipLibCheck --types node`
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...flags.split(' '), ...files], {
      cwd: directory,
      timeout: TIMEOUT_MS,
    }).catch((error: { readonly stdout: string }) => error)
    return stdout
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
