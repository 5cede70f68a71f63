import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))
const INSTALL_WITHIN_MS = 240_000

export type Installed =
  /** Directory of its programs. */
  | { readonly programs: string; readonly missing: null }
  | { readonly programs: null; readonly missing: string }

/**
 * Python packages in a virtual environment under `node_modules/.cache`, or why Python or pip cannot install
 * them.
 * @param requirements file with all packages in exact versions, and hashes of their files
 */
export async function providePythonPackages(
  name: string,
  requirements: string,
  python = 'python3',
): Promise<Installed> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const home = path.join(CACHE, `${name.toLowerCase()}-${version}`)
  const programs = path.join(home, 'bin')
  const done = path.join(home, 'installed')
  if (existsSync(done)) return { programs, missing: null }
  try {
    rmSync(home, { recursive: true, force: true })
    mkdirSync(CACHE, { recursive: true })
    await run(python, ['-m', 'venv', home], { timeout: INSTALL_WITHIN_MS })
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:']
    await run(path.join(programs, 'python'), [...pip, '--require-hashes', '-r', requirements], {
      timeout: INSTALL_WITHIN_MS,
    })
    // An interrupted installation has no such file, and is repeated.
    writeFileSync(`${done}.new`, '')
    renameSync(`${done}.new`, done)
    return { programs, missing: null }
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string }
    const reason = stderr.trim().split('\n').at(-1) || message
    return { programs: null, missing: `${python} cannot install ${name}: ${reason}` }
  }
}
