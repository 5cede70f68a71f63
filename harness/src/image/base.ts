import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { provideNode } from '../support/nodeVersions.ts'
import { Root } from './root.ts'

const run = promisify(execFile)

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/images', import.meta.url))
const INSTALL_WITHIN_MS = 600_000

/**
 * The root of `node:<major>-<suite>-slim`, built from package registries: the smallest Debian of the suite,
 * and Node.js with its headers from PyPI. It is kept for the next run.
 * @throws Error for any other image, or when something cannot be downloaded
 */
export async function nodeImage(image: string): Promise<Root> {
  const [, major, suite] = /^node:(\d+)-(\w+)-slim$/.exec(image) ?? []
  if (major === undefined || suite === undefined) throw new Error(`cannot make the image ${image}`)
  const home = path.join(CACHE, image.replaceAll(':', '-'))
  if (existsSync(home)) return new Root(home)
  mkdirSync(CACHE, { recursive: true })
  const making = `${home}.making`
  rmSync(making, { recursive: true, force: true })
  await command('debootstrap', ['--variant=minbase', suite, making])
  await command('chroot', [making, 'apt-get', 'clean'])
  rmSync(path.join(making, 'var/lib/apt/lists'), { recursive: true, force: true })
  await addNode(making, major)
  // The official image has a user with this name and id.
  await command('chroot', [making, 'useradd', '--uid', '1000', '--create-home', 'node'])
  renameSync(making, home)
  return new Root(home)
}

async function addNode(root: string, major: string): Promise<void> {
  const { home } = await provideNode(major)
  const local = path.join(root, 'usr/local')
  for (const part of ['bin/node', 'include', 'lib/node_modules'])
    cpSync(path.join(home, part), path.join(local, part), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(local, 'bin', name))
}

const command = (program: string, args: readonly string[]) =>
  run(program, args, { timeout: INSTALL_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 })
