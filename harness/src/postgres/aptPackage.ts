import { readFileSync, writeFileSync } from 'node:fs'
import { aptInstall, aptUpdate, type RunCommand, runCommand } from '../support/apt.ts'
import { OLDEST_VERSION } from './binaries.ts'

const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf'

/**
 * Installs the distribution's PostgreSQL without starting it: the package would create a cluster and run it.
 * @throws Error when the distribution's version is too old, or apt-get fails
 */
export function installWithApt(
  run: RunCommand = runCommand,
  clusterSettings: string = CLUSTER_SETTINGS,
): void {
  aptUpdate(run)
  const candidate = /Candidate: (\S+)/.exec(run('apt-cache', ['policy', 'postgresql']))?.[1] ?? 'none'
  if (!(Number.parseInt(candidate, 10) >= OLDEST_VERSION)) {
    throw new Error(`the distribution offers PostgreSQL ${candidate}`)
  }
  // The settings come with this package; dpkg would ask about a file that already exists.
  aptInstall(run, ['postgresql-common'])
  const before = readFileSync(clusterSettings, 'utf8')
  writeFileSync(clusterSettings, `${before}\ncreate_main_cluster = false\n`)
  try {
    aptInstall(run, ['postgresql'])
  } finally {
    writeFileSync(clusterSettings, before)
  }
}
