import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { upToDate } from './upToDate.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const OUTPUTS = [
  ...['client', 'demo', 'receiver', 'server'].map((name) => `packages/${name}/dist`),
  ...['console', 'downloads', 'reference'].map((name) => `packages/server/${name}`),
]
const SOURCES = ['packages', 'apps', 'tools', 'LICENSE', 'package.json', 'package-lock.json']

const inRoot = (name: string) => path.join(ROOT, name)

/**
 * Worker threads and spawned processes run the built program, so tests start from a build of the present sources. A new
 * one is skipped if nothing has changed since the last.
 */
export default function setup(): void {
  // Without a repository, which files are sources is unknown.
  if (existsSync(inRoot('.git')) && upToDate(OUTPUTS.map(inRoot), sources().map(inRoot))) return
  execFileSync('npm', ['run', 'build:programs', '--silent'], { cwd: ROOT, stdio: 'inherit' })
}

/** Files that are in the repository or could be added to it, except tests: everything that a build reads. */
function sources(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...SOURCES]
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0')
  return files.filter((file) => file !== '' && !/^(packages|apps)\/\w+\/test\//.test(file))
}
