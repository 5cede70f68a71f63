import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const SEMVER = /^(\d+)\.(\d+)\.(\d+)$/

interface Manifest {
  name?: string
  version?: string
  private?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

interface Lock {
  version: string
  packages: Record<string, Manifest>
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies'] as const

/** @throws Error unless it has three numbers and is higher than the former version */
export function checkNewer(version: string, former: string): void {
  const parts = SEMVER.exec(version)
  if (parts === null)
    throw new Error(`${version}: a version is three numbers with dots between, such as 0.2.0`)
  const last = SEMVER.exec(former)!
  for (const i of [1, 2, 3]) {
    const difference = Number(parts[i]) - Number(last[i])
    if (difference > 0) return
    if (difference < 0) break
  }
  throw new Error(`${version} is not above ${former}, the newest version in CHANGELOG.md`)
}

/**
 * Sets the version of every package of the checkout, of their dependencies on each other, of the lock file
 * and of the chart.
 */
export function setVersion(checkout: string, workspaces: readonly string[], version: string): void {
  const directories = ['', ...workspaces]
  for (const directory of directories)
    edit<Manifest>(path.join(checkout, directory, 'package.json'), (manifest) => set(manifest, version))
  edit<Lock>(path.join(checkout, 'package-lock.json'), (lock) => {
    lock.version = version
    for (const directory of directories) set(lock.packages[directory]!, version)
  })
  const chart = path.join(checkout, 'deploy/helm/posthorn/Chart.yaml')
  const text = readFileSync(chart, 'utf8')
  writeFileSync(chart, text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`))
}

function set(manifest: Manifest, version: string): void {
  manifest.version = version
  for (const kind of DEPENDENCIES) {
    const needed = manifest[kind] ?? {}
    for (const name of Object.keys(needed)) if (name.startsWith('@posthorn/')) needed[name] = `^${version}`
  }
}

function edit<T>(file: string, change: (content: T) => void): void {
  const content = JSON.parse(readFileSync(file, 'utf8')) as T
  change(content)
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}

/** @returns the directories of public packages */
export function publicOf(checkout: string, workspaces: readonly string[]): readonly string[] {
  return workspaces.filter((workspace) => {
    const file = path.join(checkout, workspace, 'package.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as Manifest).private !== true
  })
}
