import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url))
const SERVER = 'packages/server'
const NEEDED = [
  'package.json',
  'tsconfig.json',
  'tools/build.js',
  ...['bin', 'profiles', 'src', 'package.json', 'tsdown.config.ts'].map((name) => `${SERVER}/${name}`),
]
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024

/** Whether a commit is in the history of this checkout; a shallow clone has only the newest ones. */
export function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: CHECKOUT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Builds the server at a commit, with the dependencies installed in this checkout.
 * @param directory which is empty
 * @returns its program
 */
export function buildServerAt(commit: string, directory: string): string {
  const archive = execFileSync('git', ['archive', commit, ...NEEDED], {
    cwd: CHECKOUT,
    maxBuffer: MAX_ARCHIVE_BYTES,
  })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  for (const modules of ['node_modules', `${SERVER}/node_modules`])
    if (existsSync(path.join(CHECKOUT, modules)))
      symlinkSync(path.join(CHECKOUT, modules), path.join(directory, modules))
  execFileSync(process.execPath, ['../../tools/build.js'], { cwd: path.join(directory, SERVER) })
  return path.join(directory, SERVER, 'bin/posthorn.js')
}
