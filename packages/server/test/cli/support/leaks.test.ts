import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generate } from 'selfsigned'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gatherSettings } from '../../../src/cli/config/sources.ts'
import { SETTINGS, type SettingName } from '../../../src/cli/settings.ts'
import { knownSecrets } from '../../../src/cli/support/knownSecrets.ts'
import { findLeaks } from '../../../src/cli/support/leaks.ts'

const SECRET = 'Kx7-hunter2/very+secret'
const MASTER = Buffer.alloc(32, 7).toString('base64')

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-support-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

async function secretsOf(environment: Readonly<Record<string, string>>) {
  const names = Object.keys(SETTINGS) as SettingName[]
  const read = await gatherSettings({ flags: {}, environment, names })
  return knownSecrets({ read, environment, dataDir })
}

const found = async (environment: Readonly<Record<string, string>>, text: string) =>
  findLeaks(new Map([['log.txt', text]]), await secretsOf(environment)).map(({ secret }) => secret)

describe('secrets are known from', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a setting', { POSTHORN_ADMIN_TOKEN: SECRET }, SECRET],
    ['each of several master keys', { POSTHORN_MASTER_KEY: `${'A'.repeat(43)}=,${MASTER}` }, MASTER],
    [
      'the URL of the database',
      { POSTHORN_DATABASE_URL: `postgres://mira:${encodeURIComponent(SECRET)}@db/p` },
      SECRET,
    ],
    [
      'its query',
      { POSTHORN_DATABASE_URL: `postgres://mira@db/p?password=${encodeURIComponent(SECRET)}` },
      SECRET,
    ],
    ['a URL that cannot be parsed', { POSTHORN_SMTP_URL: `smtp://mira:${SECRET}@` }, SECRET],
    ['a proxy with a token', { POSTHORN_EGRESS_PROXY: `http://${SECRET}@proxy:3128` }, SECRET],
    ['headers of the collector', { POSTHORN_OTLP_HEADERS: `a=b,Authorization=Bearer%20${SECRET}` }, SECRET],
    ['keys of a relay', { POSTHORN_OUTBOX_KEYS: `acme=${SECRET},b=c` }, SECRET],
    ['the client of PostgreSQL', { PGPASSWORD: SECRET }, SECRET],
  ])('%s', async (_where, environment, secret) => {
    const [variable] = Object.keys(environment)
    expect(await found(environment, `x ${secret} y`)).toContain(`a secret of ${variable}`)
    expect(await found(environment, 'x y')).toEqual([])
  })

  test('files named by settings, also where the setting is set twice', async () => {
    const file = path.join(dataDir, 'token')
    writeFileSync(file, `${SECRET}\n`, { mode: 0o600 })
    const environment = { POSTHORN_ADMIN_TOKEN_FILE: file }
    expect(await found(environment, SECRET)).toEqual(['a secret of POSTHORN_ADMIN_TOKEN'])
    const both = { ...environment, POSTHORN_ADMIN_TOKEN: 'another-token-of-somebody' }
    expect(await found(both, SECRET)).toEqual(['a secret of POSTHORN_ADMIN_TOKEN'])
    expect(await found(both, 'another-token-of-somebody')).toEqual(['a secret of POSTHORN_ADMIN_TOKEN'])
  })

  test('the data directory', async () => {
    for (const [name, value] of [
      ['admin-token', SECRET],
      ['master-key', MASTER],
    ] as const) {
      const file = path.join(dataDir, name)
      writeFileSync(file, `${value}\n`, { mode: 0o600 })
      expect(await found({}, value)).toEqual([`a secret of ${file}`])
    }
  })

  test('the key of the certificate', async () => {
    const file = path.join(dataDir, 'key.pem')
    const { private: key } = await generate([{ name: 'commonName', value: 'localhost' }])
    writeFileSync(file, key, { mode: 0o600 })
    const line = key.split('\n')[3]!.trim()
    expect(await found({ POSTHORN_TLS_KEY_FILE: file }, line)).toEqual(['a secret of POSTHORN_TLS_KEY_FILE'])
  })
})

describe('a secret is found', () => {
  const forms: [string, (secret: string) => string][] = [
    ['as it is', (secret) => secret],
    ['in a URL', encodeURIComponent],
    ['in hex', (secret) => Buffer.from(secret).toString('hex')],
    ['in base64', (secret) => Buffer.from(secret).toString('base64')],
    ['in base64 for URLs', (secret) => Buffer.from(secret).toString('base64url')],
    ['in JSON', (secret) => JSON.stringify(secret)],
    ['in two lines', (secret) => `${secret.slice(0, 8)}\n  ${secret.slice(8)}`],
  ]
  test.each(forms)('%s', async (_form, write) => {
    const secret = 'quote"and/slash+Ü=!'
    expect(await found({ PGPASSWORD: secret }, `x=${write(secret)};`)).toEqual(['a secret of PGPASSWORD'])
  })

  test('in the name of a file, and only where it is', () => {
    const secrets = [{ from: 'PGPASSWORD', value: SECRET }]
    const files = new Map([
      [SECRET, ''],
      ['log.txt', 'nothing'],
    ])
    expect(findLeaks(files, secrets)).toEqual([{ member: SECRET, secret: 'a secret of PGPASSWORD' }])
  })

  test('by its look, where this process does not know it', () => {
    const text = 'Bearer 0123456789 whsec_0123456789abcdef postgres://mira:x@db phk_0123456789abcdefghij'
    expect(findLeaks(new Map([['log.txt', text]]), [])).toHaveLength(4)
  })
})

test.each(['posthorn', 'Postgres', 'x1', '12345678'])(
  'the password %s, which ordinary text may contain, is searched only in URLs',
  async (password) => {
    const environment = { POSTHORN_DATABASE_URL: `postgres://posthorn:${password}@db/posthorn` }
    expect(await found(environment, `posthorn Postgres x1 12345678`)).toEqual([])
    expect(await found(environment, `no-scheme:${password}@db`)).toEqual([
      'a secret of POSTHORN_DATABASE_URL',
    ])
  },
)
