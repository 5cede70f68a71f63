import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'

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

/** Builds the documentation site, unless the present build has all changes. */
export default function setup(): void {
  const built = timeOf(path.join(ROOT, BUILT))
  if (built !== null && SOURCES.every((source) => newestIn(path.join(ROOT, source)) < built)) return
  execFileSync('npm', ['run', 'build:site', '--silent', '--workspace', 'apps/help'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Folders count too: their time is that of the last file which came or went. */
function newestIn(source: string): number {
  const own = statSync(source).mtimeMs
  if (!statSync(source).isDirectory()) return own
  const inside = readdirSync(source, { recursive: true, encoding: 'utf8' })
  return Math.max(own, ...inside.map((name) => statSync(path.join(source, name)).mtimeMs))
}

const timeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null
