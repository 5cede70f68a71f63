import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const IN_PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i

const manifestOf = (directory: string) =>
  JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest

/** @returns the folder of the package that a file is part of; `null`: it is no part of an installed package */
export const packageOf = (file: string): string | null => IN_PACKAGE.exec(file)?.[1] ?? null

/** @returns the folders of a package's dependencies, and of theirs */
export function dependenciesOf(directory: string, found = new Set<string>()): ReadonlySet<string> {
  for (const name of Object.keys(manifestOf(directory).dependencies ?? {})) {
    const dependency = installed(name, directory)
    if (dependency === null || found.has(dependency)) continue
    found.add(dependency)
    dependenciesOf(dependency, found)
  }
  return found
}

/** As Node.js looks for it. */
function installed(name: string, directory: string): string | null {
  const place = join(directory, 'node_modules', name)
  if (existsSync(join(place, 'package.json'))) return place
  return dirname(directory) === directory ? null : installed(name, dirname(directory))
}

/** The licenses of packages, in the format of Vite. @param directories of the packages */
export function licensesText(directories: Iterable<string>): string {
  const sections = new Map([...directories].map((directory) => [titleOf(directory), textsIn(directory)]))
  return [...sections]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, text]) => `## ${title}\n\n${text}`)
    .join('\n')
}

function titleOf(directory: string): string {
  const { name, version, license } = manifestOf(directory)
  return `${name} - ${version} (${license})`
}

const textsIn = (directory: string): string =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => `${readFileSync(join(directory, name), 'utf8').trim()}\n`)
    .join('\n')
