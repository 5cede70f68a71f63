import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parseConfig, parseGathered } from '../../../src/cli/config/parseConfig.ts'
import { gatherSettings } from '../../../src/cli/config/sources.ts'
import { openStore } from '../../../src/cli/openStore.ts'
import { ADMIN_SETTINGS, SETTINGS, type SettingName, STORE_SETTINGS } from '../../../src/cli/settings.ts'
import { readParts } from '../../../src/cli/support/bundle.ts'
import { writeSupportBundle } from '../../../src/cli/support/write.ts'

const TOKEN = 'Kx7-hunter2-very-secret'

let directory = ''
let written = ''
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'posthorn-support-'))
  written = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(directory, { recursive: true })
})

const place = (name: string) => path.join(directory, name)

/** As the command does, with port 1 of this machine, where nothing listens. */
async function support(
  flags: Parameters<typeof writeSupportBundle>[0],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const given = {
    POSTHORN_DATA_DIR: place('data'),
    POSTHORN_ADMIN_TOKEN: TOKEN,
    POSTHORN_PORT: '1',
    ...environment,
  }
  const read = async (names: readonly SettingName[]) =>
    parseGathered(await gatherSettings({ flags: {}, environment: given, names }))
  const all = await read(Object.keys(SETTINGS) as SettingName[])
  await writeSupportBundle(flags, { all, reach: await read([...ADMIN_SETTINGS, ...STORE_SETTINGS]) })
}

/** With this machine's tar. @returns texts by name */
function unpack(file: string): Record<string, string> {
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n')
  return Object.fromEntries(
    names.map((name) => [
      path.basename(name),
      execFileSync('tar', ['-xzOf', file, name], { encoding: 'utf8' }),
    ]),
  )
}

describe('without a service', () => {
  test('the settings, the machine, the store and the log are included', async () => {
    const { storage } = await openStore(parseConfig({ dataDir: place('data') }))
    await storage.close()
    writeFileSync(place('log'), 'posthorn: it ended\n')
    await support({ out: place('out.tar.gz'), logFile: place('log') })
    expect(statSync(place('out.tar.gz')).mode & 0o777).toBe(0o600)
    const { 'README.txt': readme, ...others } = unpack(place('out.tar.gz'))
    expect(Object.keys(others)).toEqual([
      'versions.json',
      'machine.json',
      'settings.txt',
      'store.json',
      'log.txt',
    ])
    expect(JSON.parse(others['versions.json']!)).toMatchObject({ node: process.versions.node })
    expect(JSON.parse(others['machine.json']!).disk.size_bytes).toBeGreaterThan(0)
    expect(others['settings.txt']).toMatch(/\nadmin-token +\*{8} +POSTHORN_ADMIN_TOKEN\n/)
    const store = JSON.parse(others['store.json']!)
    expect(store.engine).toMatch(/^SQLite 3\./)
    expect(store.migrations).toHaveLength(store.schema_version_of_this_program)
    expect(others['log.txt']).toBe('posthorn: it ended\n')
    expect(readme).toContain('- status.json (GET /admin/v1/status')
    expect(readme).toContain('no service answers at http://127.0.0.1:1;')
    expect(written).toMatch(/\nmetrics\.txt +MISSING: no service answers/)
    expect(written).toContain(`Wrote ${place('out.tar.gz')} (`)
  })

  test('and with invalid settings, the rest is included', async () => {
    await support({ out: place('out.tar.gz'), log: false }, { POSTHORN_RETENTION: 'ever' })
    const files = unpack(place('out.tar.gz'))
    expect(files['settings.txt']).toContain('\nerror: POSTHORN_RETENTION: "ever" is not a duration')
    expect(files['README.txt']).toContain(`: there is no store in ${place('data')}\n`)
    expect(files['README.txt']).toContain('- log.txt (last lines of the log): left out by --no-log\n')
  })

  test('a directory gets a file whose name has the time', async () => {
    await support({ out: directory, log: false })
    expect(readdirSync(directory)).toEqual([
      expect.stringMatching(/^posthorn-support-\d{8}T\d{6}Z\.tar\.gz$/),
    ])
  })
})

describe('no file is written', () => {
  test('over another one, or where it cannot be', async () => {
    writeFileSync(place('out.tar.gz'), 'mine')
    await expect(support({ out: place('out.tar.gz'), log: false })).rejects.toThrow(
      `--out: ${place('out.tar.gz')} already exists. Name another file, or remove it`,
    )
    await expect(support({ out: place('none/out.tar.gz'), log: false })).rejects.toThrow(
      'there is no such directory',
    )
    expect(readdirSync(directory)).toEqual(['out.tar.gz'])
  })

  test('to a terminal, or through a symbolic link', async () => {
    const { isTTY } = process.stdout
    process.stdout.isTTY = true
    await expect(support({ out: '-', log: false })).rejects.toThrow('stdout is a terminal')
    process.stdout.isTTY = isTTY
    symlinkSync(place('elsewhere'), place('link'))
    await expect(support({ out: place('link'), log: false })).rejects.toThrow('exists')
    expect([written, readdirSync(directory).includes('elsewhere')]).toEqual(['', false])
  })

  test('with a log that cannot be read', async () => {
    await expect(support({ out: directory, logFile: place('none') })).rejects.toThrow(
      `--log-file: cannot read ${place('none')}: there is no such file`,
    )
  })

  test('if a secret is in it, and the message names the file but not the secret', async () => {
    writeFileSync(place('log'), `somebody wrote ${TOKEN} here\n`)
    const error = await support({ out: place('out.tar.gz'), logFile: place('log') }).catch(
      ({ message }) => message,
    )
    expect(error).toMatch(
      /^support: log\.txt contains a secret of POSTHORN_ADMIN_TOKEN\nsupport: no file was written\. The secret is in your log/,
    )
    expect(error).not.toContain(TOKEN)
    expect(readdirSync(directory)).toEqual(['log'])
  })
})

test('a likely credential in the log is removed and counted', async () => {
  writeFileSync(place('log'), 'Made an admin token: pha_0123456789abcdefghijKLMN\n')
  await support({ out: place('out.tar.gz'), logFile: place('log') })
  const files = unpack(place('out.tar.gz'))
  expect(files['log.txt']).toBe('Made an admin token: [removed]\n')
  expect(files['README.txt']).toContain('- a key, token or link of Posthorn: 1 time\n')
})

test('a part that hangs or fails is missing, and the others are not', async () => {
  const part = (name: string, read: () => string | Promise<string>) => ({ name, what: name, read })
  const members = await readParts(
    [
      part('hangs', () => new Promise(() => {})),
      part('fails', () => {
        throw new Error('no')
      }),
      part('works', () => 'text'),
    ],
    50,
  )
  expect(members.map(({ text, missing }) => [text, missing])).toEqual([
    ['', 'not read within 0.05 seconds'],
    ['', 'no'],
    ['text', null],
  ])
})
