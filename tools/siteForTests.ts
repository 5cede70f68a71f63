import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { upToDate } from './upToDate.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const SOURCES = [
  'docs',
  'CHANGELOG.md',
  'apps/help/package.json',
  'apps/compressFile.ts',
  'apps/licenses.ts',
  'package-lock.json',
]
/** The build writes it last. */
const BUILT = 'packages/server/help/site.json'

const inRoot = (name: string) => path.join(ROOT, name)

/** Builds the documentation site, unless the present build has all changes. */
export default function setup(): void {
  if (upToDate([inRoot(BUILT)], SOURCES.map(inRoot))) return
  execFileSync('npm', ['run', 'build:site', '--silent', '--workspace', 'apps/help'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
