import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { aptUpdate, runCommand } from '../support/apt.ts'

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/prometheus', import.meta.url))

export interface PrometheusPrograms {
  readonly prometheus: string
  readonly promtool: string
}

type Provided =
  | { readonly programs: PrometheusPrograms; readonly missing: null }
  | { readonly programs: null; readonly missing: string }

/**
 * Prometheus and promtool of this machine, or of Debian's package, which is unpacked under `node_modules/.cache` and not
 * installed: it would start a server. Says what is missing where apt-get cannot be used.
 */
export function providePrometheus(): Provided {
  const there = programsIn('/usr/bin') ?? programsIn(path.join(CACHE, 'usr/bin'))
  if (there !== null) return { programs: there, missing: null }
  if (!existsSync('/usr/bin/apt-get'))
    return { programs: null, missing: 'Prometheus is not installed, and there is no apt-get' }
  try {
    return { programs: download(), missing: null }
  } catch (error) {
    return {
      programs: null,
      missing: `Debian's package prometheus cannot be had: ${(error as Error).message}`,
    }
  }
}

function programsIn(directory: string): PrometheusPrograms | null {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) => path.join(directory, name))
  return existsSync(prometheus!) && existsSync(promtool!)
    ? { prometheus: prometheus!, promtool: promtool! }
    : null
}

function download(): PrometheusPrograms {
  // Test files may run at once: each unpacks into a directory of its own, and the last one to finish is kept.
  const own = `${CACHE}-${process.pid}`
  rmSync(own, { recursive: true, force: true })
  mkdirSync(own, { recursive: true })
  try {
    aptUpdate(runCommand)
    execFileSync('apt-get', ['download', 'prometheus'], { cwd: own, stdio: 'pipe' })
    const archive = readdirSync(own).find((name) => name.endsWith('.deb'))!
    execFileSync('dpkg-deb', ['--extract', archive, '.'], { cwd: own, stdio: 'pipe' })
    const unpacked = programsIn(path.join(own, 'usr/bin'))
    if (unpacked === null) throw new Error('it has no prometheus and promtool')
    execFileSync(unpacked.promtool, ['--version'], { stdio: 'pipe' })
    rmSync(CACHE, { recursive: true, force: true })
    renameSync(own, CACHE)
    return programsIn(path.join(CACHE, 'usr/bin'))!
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
