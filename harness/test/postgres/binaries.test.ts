import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { installWithApt } from '../../src/postgres/aptPackage.ts'
import { BINARIES_VARIABLE, findBinaries } from '../../src/postgres/binaries.ts'
import { type Installer, provideBinaries } from '../../src/postgres/provide.ts'
import type { RunCommand } from '../../src/support/apt.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

let directory: string

beforeEach(() => {
  directory = makeDirectory()
  // The account that runs servers for root reads it.
  chmodSync(directory, 0o755)
})

afterEach(() => removeDirectory(directory))

/** Programs that can only print their version. */
function programs(name: string, version: string): string {
  const bin = path.join(directory, name)
  mkdirSync(bin)
  for (const program of ['postgres', 'initdb']) {
    writeFileSync(path.join(bin, program), `#!/bin/sh\necho "${program} (PostgreSQL) ${version}"\n`, {
      mode: 0o755,
    })
  }
  return bin
}

describe('the programs of this machine', () => {
  it('are the first that run and are new enough', () => {
    const old = programs('old', '13.22')
    const good = programs('good', '14.0')
    const newer = programs('newer', '18beta1 (Debian 18~beta1)')
    const none = path.join(directory, 'none')
    expect(findBinaries({}, [none, old, good, newer])).toEqual({ directory: good, version: 14 })
    expect(findBinaries({}, [newer, good])).toEqual({ directory: newer, version: 18 })
    expect(findBinaries({}, [none, old])).toBeNull()
  })

  it('are those of the variable, or none', () => {
    const named = programs('named', '15.1')
    const other = programs('other', '16.1')
    expect(findBinaries({ [BINARIES_VARIABLE]: named }, [other])).toEqual({ directory: named, version: 15 })
    const wrong = path.join(directory, 'wrong')
    expect(() => findBinaries({ [BINARIES_VARIABLE]: wrong }, [other])).toThrow(
      `${wrong} has no PostgreSQL 14`,
    )
  })

  it('are found through links in PATH', () => {
    const bin = programs('bin', '17.2')
    const links = path.join(directory, 'links')
    mkdirSync(links)
    symlinkSync(path.join(bin, 'postgres'), path.join(links, 'postgres'))
    expect(findBinaries({ PATH: `${directory}:${links}` })).toEqual({ directory: bin, version: 17 })
  })
})

describe('a machine without the programs', () => {
  const found = { directory: '/programs', version: 17 }
  const refuses: Installer = {
    name: 'refuses',
    possible: () => true,
    install: () => {
      throw new Error('no network')
    },
  }
  let said: string[]

  beforeEach(() => {
    said = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  const nothing = (name: string): Installer => ({ name, possible: () => true, install: () => undefined })

  it('gets them from the first way that works', () => {
    let installed = false
    const works: Installer = { name: 'works', possible: () => true, install: () => (installed = true) }
    const impossible: Installer = { ...refuses, possible: () => false }
    expect(provideBinaries(() => (installed ? found : null), [impossible, refuses, works])).toBe(found)
    expect(said).toEqual([
      'No PostgreSQL 14 or later here: installing refuses\n',
      'No PostgreSQL 14 or later here: installing works\n',
    ])
  })

  it('installs nothing where they exist', () => {
    expect(provideBinaries(() => found, [refuses])).toBe(found)
    expect(said).toEqual([])
  })

  it('lists everything that was tried when nothing works', () => {
    expect(() => provideBinaries(() => null, [refuses, nothing('idle')])).toThrow(
      /14 or later is needed.*POSTHORN_TEST_POSTGRES_BIN.*refuses: no network.*idle: installed, and does not run here/s,
    )
  })
})

describe('the package of a distribution', () => {
  const SETTINGS = '# create_main_cluster = true\nssl = on\n'
  let settings: string
  let commands: string[]

  beforeEach(() => {
    settings = path.join(directory, 'createcluster.conf')
    commands = []
  })

  /** A simulated apt-get that offers `candidate`. */
  function apt(candidate: string, failing?: string): RunCommand {
    return (command, args) => {
      const line = [command, ...args].join(' ')
      commands.push(line)
      if (line.endsWith(' postgresql-common')) writeFileSync(settings, SETTINGS)
      if (line.endsWith(' postgresql') && command === 'apt-get') {
        expect(readFileSync(settings, 'utf8')).toMatch(/^create_main_cluster = false$/m)
      }
      if (line === failing) throw new Error('apt-get failed')
      return command === 'apt-cache' ? `postgresql:\n  Installed: (none)\n  Candidate: ${candidate}\n` : ''
    }
  }

  it('is installed without a cluster, and leaves the settings unchanged', () => {
    installWithApt(apt('15+248+deb12u1'), settings)
    expect(commands).toEqual([
      'apt-get update',
      'apt-cache policy postgresql',
      'apt-get install --yes --no-install-recommends postgresql-common',
      'apt-get install --yes --no-install-recommends postgresql',
    ])
    expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
  })

  it('leaves the settings unchanged when it fails', () => {
    const failing = 'apt-get install --yes --no-install-recommends postgresql'
    expect(() => installWithApt(apt('17+278', failing), settings)).toThrow('apt-get failed')
    expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
  })

  it.each(['13+225+deb11u1', '(none)'])('is not installed when it is %s', (candidate) => {
    expect(() => installWithApt(apt(candidate), settings)).toThrow(`offers PostgreSQL ${candidate}`)
    expect(commands).toEqual(['apt-get update', 'apt-cache policy postgresql'])
  })
})
