import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_TOKEN, type Settings } from '../../src/support/posthorn.ts'
import { type History, makeHistory } from './history.ts'
import { SHORT, Stage } from './stage.ts'

let stage: Stage
let history: History

beforeAll(async () => {
  stage = await Stage.set()
  await stage.serveEmbedded(SHORT)
  history = await makeHistory(stage.api, stage.receiver)
  await stage.stopService()
})

afterAll(() => stage.strike())

const there = (more: Settings = {}): Settings => ({ POSTHORN_DATABASE_URL: stage.databaseUrl, ...more })

async function expectRefusal(settings: Settings, message: RegExp | string): Promise<void> {
  const { code, stdout, stderr } = await stage.run(['move'], settings)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^posthorn: [^\n]+\n$/)
  expect(stderr).toMatch(message)
}

/** The content of the data directory and the database. */
async function state(): Promise<unknown> {
  const files = readdirSync(stage.dataDir, { withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => name).filter((name) => !/-(shm|wal)$/.test(name))
  const sums = names.map((name) =>
    createHash('sha256')
      .update(readFileSync(path.join(stage.dataDir, name)))
      .digest('hex'),
  )
  return [
    names,
    sums,
    await stage.query(`SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1`),
  ]
}

describe('a dry run', () => {
  test('lists what would be moved and changes nothing, on either side', async () => {
    const before = await state()
    const { code, stdout, stderr } = await stage.move('--dry-run')
    expect([code, stderr]).toEqual([0, ''])
    for (const line of [
      /^ {2}workspaces +3 rows/m,
      /^ {2}events +11 rows +\d+\.\d KB$/m,
      /^ {2}all .* about 1 s$/m,
    ])
      expect(stdout).toMatch(line)
    expect(stdout).toContain('Nothing prevents the move.')
    expect(await state()).toEqual(before)
  })

  test('names the stop of the service as a step, not as an obstacle', async () => {
    await stage.serveEmbedded(SHORT)
    const { code, stdout } = await stage.move('--dry-run')
    expect(stdout).toMatch(
      /^Do first:\n {2}- stop the service: data directory \S+ is in use by another posthorn process \(pid \d+\)\nNothing else prevents the move\.\n$/m,
    )
    expect(code).toBe(0)
    await stage.stopService()
  })

  test('names all obstacles', async () => {
    await stage.serveEmbedded()
    const masterKey = Buffer.alloc(32, 7).toString('base64')
    const { code, stdout } = await stage.run(['move', '--dry-run'], {
      POSTHORN_DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/nowhere',
      POSTHORN_MASTER_KEY: masterKey,
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^ {2}- stop the service: data directory \S+ is in use by another posthorn process \(pid \d+\)$/m,
    )
    expect(stdout).toMatch(/^ {2}- POSTHORN_MASTER_KEY: the key does not decrypt the signing secrets/m)
    expect(stdout).toMatch(/^ {2}- the database cannot be used: 127\.0\.0\.1:1\/nowhere: /m)
    expect(stdout).not.toContain('Nothing ')
    await stage.stopService()
  })
})

describe('a move reports in one line that it needs', () => {
  test('where to', () => expectRefusal({}, /POSTHORN_DATABASE_URL: set the URL/))

  test('a store', () =>
    expectRefusal(there({ POSTHORN_DATA_DIR: stage.path('empty') }), /there is no store in /))

  test('exclusive use of the store', async () => {
    await stage.serveEmbedded()
    await expectRefusal(
      there(),
      new RegExp(`is in use by another posthorn process \\(pid ${stage.service.pid}\\)`),
    )
    await stage.stopService()
  })

  test('the master key, and the right one', async () => {
    const wrong = Buffer.alloc(32, 7).toString('base64')
    await expectRefusal(
      there({ POSTHORN_MASTER_KEY: wrong }),
      /POSTHORN_MASTER_KEY: the key does not decrypt/,
    )
    const file = path.join(stage.dataDir, 'master-key')
    renameSync(file, `${file}.away`)
    await expectRefusal(there(), /POSTHORN_MASTER_KEY: not set, and \S+master-key does not exist/)
    renameSync(`${file}.away`, file)
  })

  test('a reachable database', () =>
    expectRefusal(
      { POSTHORN_DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/x' },
      /the database cannot be used: .*ECONNREFUSED/,
    ))

  test('a database that accepts every text', async () => {
    const name = `${new URL(stage.databaseUrl).pathname.slice(1)}_latin1`
    await stage.query(
      `CREATE DATABASE "${name}" ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    )
    const url = new URL(stage.databaseUrl)
    url.pathname = `/${name}`
    await expectRefusal({ POSTHORN_DATABASE_URL: url.href }, /has the encoding LATIN1/)
    await stage.query(`DROP DATABASE "${name}"`)
  })

  test('a database that is empty and not in use', async () => {
    const url = await stage.anotherDatabase()
    const settings = { POSTHORN_DATABASE_URL: url, POSTHORN_NEW_STORE: '1' }
    await stage.serveEmbedded(settings)
    await expectRefusal(settings, /is in use, or was a moment ago/)
    await stage.api.post('/admin/v1/workspaces', ADMIN_TOKEN, {
      dialect: 'content',
      slug: 'first',
      name: 'First',
    })
    await stage.stopService()
    await expectRefusal(settings, /already has a store \(rows in workspaces, audit_log\)/)
  })

  test('a database with the same key', async () => {
    const settings = { POSTHORN_DATABASE_URL: await stage.anotherDatabase(), POSTHORN_NEW_STORE: '1' }
    const other = { ...settings, POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
    await stage.serveEmbedded(other)
    await stage.stopService()
    await expectRefusal(settings, /POSTHORN_MASTER_KEY: .* was used with another key/)
  })
})

test('after all rejected moves, the store is served as before', async () => {
  await stage.serveEmbedded(SHORT)
  const { key, ws } = history.content
  const { data } = await stage.api.get<{ data: object[] }>(`/v1/workspaces/${ws}/events?limit=100`, key)
  expect(data.length).toBeGreaterThan(5)
})
