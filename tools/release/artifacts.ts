import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundledIn } from './bundled.ts'
import { command } from './command.ts'
import { writeContents } from './contents.ts'
import { publicOf } from './versions.ts'

/** The same bytes from the same commit: no times, owners or order of a machine. */
const REPRODUCIBLE = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']

/**
 * Creates all files of a release.
 * @param params.checkout of the released commit, with its packages installed and built
 */
export async function makeArtifacts(params: {
  readonly checkout: string
  readonly workspaces: readonly string[]
  readonly version: string
  readonly notes: string
  readonly target: string
  /** A directory for tools. */
  readonly scratch: string
}): Promise<void> {
  const { checkout, workspaces, version, notes, target, scratch } = params
  mkdirSync(target, { recursive: true })
  for (const workspace of publicOf(checkout, workspaces))
    await command('npm', ['pack', '--silent', '--pack-destination', target], path.join(checkout, workspace))
  await pack(
    path.join(target, `posthorn-chart-${version}.tgz`),
    path.join(checkout, 'deploy/helm'),
    'posthorn',
  )
  const source = path.join(target, `posthorn-source-${version}.tgz`)
  await command(
    'git',
    ['archive', '--format=tar.gz', `--prefix=posthorn-${version}/`, '--output', source, 'HEAD'],
    checkout,
  )
  // The server's package contains the pages with their dependencies.
  const shipped = [...publicOf(checkout, workspaces), 'apps/console', 'apps/reference']
  const bundled = bundledIn(readFileSync(path.join(checkout, 'packages/server/help/licenses.md'), 'utf8'))
  await writeContents({ checkout, workspaces: shipped, bundled, target, scratch })
  writeFileSync(path.join(target, 'NOTES.md'), `${notes}\n`)
  writeChecksums(target)
}

const pack = (file: string, directory: string, name: string) =>
  command('tar', [...REPRODUCIBLE, '--use-compress-program=gzip -n', '-cf', file, name], directory)

/** In the format of `sha256sum --check`. */
function writeChecksums(directory: string): void {
  const lines = readdirSync(directory)
    .sort()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(path.join(directory, name)))
      return `${hash.digest('hex')}  ${name}\n`
    })
  writeFileSync(path.join(directory, 'SHA256SUMS'), lines.join(''))
}
