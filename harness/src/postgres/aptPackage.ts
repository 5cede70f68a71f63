import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
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

/**
 * Installs the distribution's PostgreSQL and starts nothing: the package would create a cluster and run it.
 * @throws Error when the distribution's is too old, or apt-get fails
 */
export function installWithApt(
  run: RunCommand = runCommand,
  clusterSettings: string = CLUSTER_SETTINGS,
): void {
  const install = (name: string) => run('apt-get', ['install', '--yes', '--no-install-recommends', name])
  run('apt-get', ['update'])
  const candidate = /Candidate: (\S+)/.exec(run('apt-cache', ['policy', 'postgresql']))?.[1] ?? 'none'
  if (!(Number.parseInt(candidate, 10) >= OLDEST_VERSION)) {
    throw new Error(`the distribution offers PostgreSQL ${candidate}`)
  }
  // The settings come with this package; a file put there before it would make dpkg ask which to keep.
  install('postgresql-common')
  const before = readFileSync(clusterSettings, 'utf8')
  writeFileSync(clusterSettings, `${before}\ncreate_main_cluster = false\n`)
  try {
    install('postgresql')
  } finally {
    writeFileSync(clusterSettings, before)
  }
}
