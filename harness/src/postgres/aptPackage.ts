import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { OLDEST_VERSION } from './binaries.ts'

const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf'

/** Runs a program to its end. @returns what it printed @throws Error when it fails */
export type RunCommand = (command: string, args: readonly string[]) => string

const runCommand: RunCommand = (command, args) =>
  execFileSync(command, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Whether this process may install packages of a distribution that has apt-get. */
export const aptPossible = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

const update = (run: RunCommand) => run('apt-get', ['update'])
const install = (run: RunCommand, name: string) =>
  run('apt-get', ['install', '--yes', '--no-install-recommends', name])

/** Installs a package of the distribution that starts nothing. @throws Error when apt-get fails */
export function installPackage(name: string, run: RunCommand = runCommand): void {
  update(run)
  install(run, name)
}

/**
 * Installs the distribution's PostgreSQL and starts nothing: the package would create a cluster and run it.
 * @throws Error when the distribution's is too old, or apt-get fails
 */
export function installWithApt(
  run: RunCommand = runCommand,
  clusterSettings: string = CLUSTER_SETTINGS,
): void {
  update(run)
  const candidate = /Candidate: (\S+)/.exec(run('apt-cache', ['policy', 'postgresql']))?.[1] ?? 'none'
  if (!(Number.parseInt(candidate, 10) >= OLDEST_VERSION)) {
    throw new Error(`the distribution offers PostgreSQL ${candidate}`)
  }
  // The settings come with this package; a file put there before it would make dpkg ask which to keep.
  install(run, 'postgresql-common')
  const before = readFileSync(clusterSettings, 'utf8')
  writeFileSync(clusterSettings, `${before}\ncreate_main_cluster = false\n`)
  try {
    install(run, 'postgresql')
  } finally {
    writeFileSync(clusterSettings, before)
  }
}
