import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** All packages in exact versions, each file of them by its hash. */
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url))
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))
const INSTALL_WITHIN_MS = 240_000

export type Installed =
  | { readonly program: string; readonly missing: null }
  | { readonly program: null; readonly missing: string }

/** Schemathesis in an environment of its own under `node_modules/.cache`; why there is none where Python or pip cannot. */
export async function provideSchemathesis(python = 'python3'): Promise<Installed> {
  const name = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12)
  const home = path.join(CACHE, `schemathesis-${name}`)
  const program = path.join(home, 'bin', 'st')
  const done = path.join(home, 'installed')
  if (existsSync(done)) return { program, missing: null }
  try {
    rmSync(home, { recursive: true, force: true })
    mkdirSync(CACHE, { recursive: true })
    await run(python, ['-m', 'venv', home], { timeout: INSTALL_WITHIN_MS })
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:']
    await run(path.join(home, 'bin', 'python'), [...pip, '--require-hashes', '-r', REQUIREMENTS], {
      timeout: INSTALL_WITHIN_MS,
    })
    // An installation that was cut off has no such file, and is done again.
    writeFileSync(`${done}.new`, '')
    renameSync(`${done}.new`, done)
    return { program, missing: null }
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string }
    const reason = stderr.trim().split('\n').at(-1) || message
    return { program: null, missing: `${python} cannot install Schemathesis: ${reason}` }
  }
}
