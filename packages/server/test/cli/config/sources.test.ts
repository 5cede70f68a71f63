import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseGathered } from '../../../src/cli/config/parseConfig.ts'
import { shownSettings, textOf } from '../../../src/cli/config/show.ts'
import { sourceText } from '../../../src/cli/config/source.ts'
import { gatherSettings } from '../../../src/cli/config/sources.ts'
import { SETTINGS, type SettingName } from '../../../src/cli/settings.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'posthorn-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const ALL = Object.keys(SETTINGS) as SettingName[]

function write(name: string, content: string | Uint8Array, mode = 0o600): string {
  const file = path.join(directory, name)
  writeFileSync(file, content, { mode })
  return file
}

async function read(
  environment: Readonly<Record<string, string>>,
  flags: Readonly<Record<string, unknown>> = {},
  names = ALL,
) {
  const found = parseGathered(await gatherSettings({ flags, environment, names }))
  const from = Object.fromEntries(
    [...found.given].map(([name, { text, source }]) => [name, [text, sourceText(source)]]),
  )
  return { ...found, from }
}

const mistakesOf = async (...inputs: Parameters<typeof read>) => (await read(...inputs)).mistakes

describe('the first source that has a setting wins', () => {
  test('flags, then the environment, then the file, then the default', async () => {
    const file = write('p.yaml', 'host: 10.0.0.3\nport: 3\nlease: 3s\n')
    const { config, from } = await read(
      { POSTHORN_CONFIG_FILE: file, POSTHORN_HOST: '10.0.0.2', POSTHORN_PORT: '2' },
      { host: '10.0.0.1' },
    )
    expect(config).toMatchObject({ host: '10.0.0.1', port: 2, lease: 3_000, maxInFlight: 512 })
    expect(from).toEqual({
      configFile: [file, 'POSTHORN_CONFIG_FILE'],
      host: ['10.0.0.1', '--host'],
      port: ['2', 'POSTHORN_PORT'],
      lease: ['3s', `${file}:3:8`],
    })
  })

  test('the flag names another file than the variable', async () => {
    const [one, other] = [write('one.yaml', 'port: 1'), write('other.yaml', 'port: 2')]
    const { config } = await read({ POSTHORN_CONFIG_FILE: one }, { config: other })
    expect(config!.port).toBe(2)
  })

  test('an empty variable is not set, and an empty flag means the default', async () => {
    const file = write('p.yaml', 'port: 3\n')
    const environment = { POSTHORN_CONFIG_FILE: file, POSTHORN_PORT: '' }
    expect((await read(environment)).config!.port).toBe(3)
    expect((await read(environment, { port: '' })).config!.port).toBe(8080)
  })

  test('a command reads only its own settings, and no mistakes in others', async () => {
    const { config } = await read({ POSTHORN_PORT: 'x', POSTHORN_DATA_DIR: '/a' }, {}, ['dataDir'])
    expect(config).toMatchObject({ dataDir: '/a', port: 8080 })
  })
})

describe('a secret in a file', () => {
  const TOKEN = 'a-token-that-is-long-enough'

  test.each([
    ['\n', TOKEN],
    ['\r\n', TOKEN],
    ['', TOKEN],
  ])('is its content without one line break %j', async (end, expected) => {
    const file = write('token', `${TOKEN}${end}`)
    const { config, from } = await read({ POSTHORN_ADMIN_TOKEN_FILE: file })
    expect(config!.adminToken).toBe(expected)
    expect(from.adminToken).toEqual([TOKEN, `POSTHORN_ADMIN_TOKEN_FILE (${file})`])
  })

  test('may contain several master keys, one per line, none of which is shown', async () => {
    const keys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
    const texts = keys.map((key) => key.toString('base64'))
    const file = write('keys', `${texts.join('\r\n')}\n`)
    const found = await read({ POSTHORN_MASTER_KEY_FILE: file })
    expect(found.config!.masterKey!.map((key) => Buffer.from(key))).toEqual(keys)
    const shown = textOf(shownSettings(found))
    expect(shown).toContain(`********                        POSTHORN_MASTER_KEY_FILE (${file})`)
    for (const text of texts) expect(shown).not.toContain(text.slice(0, 8))
    const twice = write('twice', `${texts[0]},${texts[0]}`)
    expect(await mistakesOf({ POSTHORN_MASTER_KEY_FILE: twice })).toEqual([
      `POSTHORN_MASTER_KEY (${twice}): remove the duplicate key`,
    ])
  })

  test('with two line breaks is not the token', async () => {
    expect(await mistakesOf({ POSTHORN_ADMIN_TOKEN_FILE: write('token', `${TOKEN}\n\n`) })).toEqual([
      expect.stringContaining('use 16 to 512 visible ASCII characters'),
    ])
  })

  test('may be named by a flag and in the configuration file', async () => {
    const file = write('token', TOKEN)
    const yaml = write('p.yaml', `admin-token-file: ${file}\n`)
    expect((await read({}, { adminTokenFile: file })).config!.adminToken).toBe(TOKEN)
    expect((await read({}, { config: yaml })).config!.adminToken).toBe(TOKEN)
  })

  test('and the secret itself conflict in one source, not in two', async () => {
    const file = write('token', TOKEN)
    const environment = { POSTHORN_ADMIN_TOKEN: `${TOKEN}-2`, POSTHORN_ADMIN_TOKEN_FILE: file }
    expect(await mistakesOf(environment)).toEqual([
      'POSTHORN_ADMIN_TOKEN: set POSTHORN_ADMIN_TOKEN or POSTHORN_ADMIN_TOKEN_FILE, not both',
    ])
    expect(
      (await read({ POSTHORN_ADMIN_TOKEN: `${TOKEN}-2` }, { adminTokenFile: file })).config!.adminToken,
    ).toBe(TOKEN)
  })

  const POSTHORN_MASTER_KEY_FILE = 'POSTHORN_MASTER_KEY_FILE'
  test.each([
    ['/nowhere/key', `${POSTHORN_MASTER_KEY_FILE}: cannot use /nowhere/key: there is no such file`],
    ['/', `${POSTHORN_MASTER_KEY_FILE}: cannot use /: it is not a regular file`],
    ['/dev/zero', `${POSTHORN_MASTER_KEY_FILE}: cannot use /dev/zero: it is not a regular file`],
    ['', `${POSTHORN_MASTER_KEY_FILE}: name a file, or leave it out (it is empty)`],
  ])('%j cannot be used', async (file, mistake) => {
    expect(await mistakesOf({ POSTHORN_MASTER_KEY_FILE: file })).toEqual([mistake])
  })

  test.each([
    ['', 'is empty; write the value into it'],
    ['\n', 'is empty; write the value into it'],
    ['\uFEFFpostgres://db/posthorn', 'begins with a byte order mark; save it without one'],
    [Uint8Array.of(0xff, 0xfe, 0x70), 'it is not UTF-8 text'],
  ])('with the content %j cannot be used', async (content, mistake) => {
    const file = write('url', content)
    const [line, ...others] = await mistakesOf({ POSTHORN_DATABASE_URL_FILE: file })
    expect(others).toEqual([])
    expect(line).toMatch(/^POSTHORN_DATABASE_URL_FILE: /)
    expect(line).toContain(file)
    expect(line).toContain(mistake)
  })

  test('is not repeated when it cannot be used', async () => {
    const file = write('url', 'mira:very-secret@db')
    const [line] = await mistakesOf({ POSTHORN_DATABASE_URL_FILE: file })
    expect(line).toContain(`POSTHORN_DATABASE_URL (${file}): use a URL such as postgres:`)
    expect(line).not.toContain('very-secret')
  })

  test.skipIf(process.platform === 'win32').each([
    [0o600, false],
    [0o400, false],
    [0o440, false],
    [0o640, false],
    [0o644, true],
    [0o660, true],
    [0o604, true],
  ])('of mode %o is reported as open: %s', async (mode, isOpen) => {
    const file = write('token', TOKEN)
    chmodSync(file, mode)
    const yaml = write('p.yaml', `admin-token: ${TOKEN}\n`)
    chmodSync(yaml, mode)
    for (const [flags, opened] of [
      [{ adminTokenFile: file }, file],
      [{ config: yaml }, yaml],
    ] as const) {
      const expected = isOpen ? [{ file: opened, mode: `0${mode.toString(8)}` }] : []
      expect((await read({}, flags)).config!.openFiles).toEqual(expected)
    }
  })
})

test('service settings come from the environment and the file', async () => {
  const file = write('p.yaml', 'billing-retry: [5s, 1m]\nbilling-timeout: 3s\n')
  const { config } = await read({ POSTHORN_CONFIG_FILE: file, POSTHORN_BILLING_TIMEOUT: '4s' })
  expect([...config!.ofServices.waits]).toEqual([['POSTHORN_BILLING_RETRY', [5_000, 60_000]]])
  expect([...config!.ofServices.timeouts]).toEqual([['POSTHORN_BILLING_TIMEOUT', 4_000]])
})

test('all mistakes are reported at once, each with its source', async () => {
  const file = write(
    'p.yaml',
    'lease: 1s\nprot: 80\nbilling-timeout: soon\nsmtp-url: smtp://mail.example.com\n',
  )
  expect(
    await mistakesOf(
      { POSTHORN_CONFIG_FILE: file, POSTHORN_RETENTION: 'thirty days', POSTHORN_MASTER_KEY_FILE: '/nowhere' },
      { port: '80800' },
    ),
  ).toEqual([
    `${file}:2:1: prot is not a setting; did you mean port?`,
    'POSTHORN_MASTER_KEY_FILE: cannot use /nowhere: there is no such file',
    'POSTHORN_PORT (--port): "80800" is not a whole number from 0 to 65535',
    'POSTHORN_RETENTION: "thirty days" is not a duration such as 15s, 5m, 24h or 30d',
    `POSTHORN_LEASE (${file}:1:8): "1s" is shorter than 2s, the shortest lease`,
    `POSTHORN_BILLING_TIMEOUT (${file}:3:18): "soon" is not a duration such as 15s, 5m, 24h or 30d`,
    'POSTHORN_EMAIL_FROM: set a sender such as Posthorn <posthorn@example.com>. It is required with POSTHORN_SMTP_URL',
  ])
})
