import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase, dropDatabase } from '../../../../harness/src/postgres/databases.ts'
import { query } from '../../../../harness/src/postgres/query.ts'
import { parseConfig } from '../../src/cli/config/parseConfig.ts'
import { openStore } from '../../src/cli/openStore.ts'
import { SettingError, type SettingName } from '../../src/cli/settings.ts'
import { StoreOpenError } from '../../src/storage/storage.ts'
import { postgresUrl } from '../support/postgresUrl.ts'

const MASTER_KEY = randomBytes(32).toString('base64')

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-lost-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

type Given = Partial<Record<SettingName, string>>
const NEW = { newStore: 'true' }
const file = (name: string) => path.join(dataDir, name)

/** Opens the store as `posthorn serve` does. @returns whether it was just created, or the error */
async function start(given: Given = {}): Promise<boolean | string> {
  try {
    const { storage, isNew } = await openStore(parseConfig({ dataDir, ...given }))
    await storage.close()
    return isNew
  } catch (error) {
    if (error instanceof StoreOpenError || error instanceof SettingError) return error.message
    throw error
  }
}

describe('an embedded store', () => {
  test('is created once, and leaves no trace of its creation', async () => {
    expect(await start()).toBe(true)
    expect(readdirSync(dataDir)).not.toContain('first-start')
    expect(await start()).toBe(false)
  })

  test('with keys but an empty database is lost, not new', async () => {
    await start()
    truncateSync(file('posthorn.db'))
    const key = readFileSync(file('master-key'), 'utf8')
    const refusal = await start()
    expect(refusal).toMatch(
      /^the store in \S+ is gone: posthorn\.db is empty, but there are traces of a store: lock\.db, lock\.pid, master-key\. Restore a backup \(posthorn restore <file>\), .+ or start with an empty store \(--new-store\)$/,
    )
    expect(await start()).toBe(refusal)
    expect(await start(NEW)).toBe(true)
    expect(await start()).toBe(false)
    expect(readFileSync(file('master-key'), 'utf8')).toBe(key)
  })

  test.each([
    'master-key',
    'admin-token',
    'posthorn.db-wal',
    'posthorn.db-shm',
    'lock.db',
    'posthorn.db.replaced-1',
  ])('of which only %s is left is lost', async (name) => {
    writeFileSync(file(name), name === 'master-key' ? MASTER_KEY : '')
    const given = { masterKey: MASTER_KEY }
    expect(await start(given)).toContain(`posthorn.db is missing, but there are traces of a store: ${name}.`)
    expect(readdirSync(dataDir)).toEqual([name])
    expect(await start({ ...given, ...NEW })).toBe(true)
  })

  test('is not replaced where a new one is requested, and none is created next to its log', async () => {
    await start()
    expect(await start(NEW)).toBe(false)
    truncateSync(file('posthorn.db'))
    writeFileSync(file('posthorn.db-wal'), 'commits')
    expect(await start(NEW)).toMatch(/its log posthorn\.db-wal contains data/)
    expect(readFileSync(file('posthorn.db-wal'), 'utf8')).toBe('commits')
  })

  test('with a lost key does not get another, whether a new store is requested or not', async () => {
    await start()
    for (const given of [{}, NEW]) {
      writeFileSync(file('master-key'), '')
      expect(await start(given)).toMatch(
        /master-key does not contain master keys \(use 32 bytes in base64, .+\); restore it$/,
      )
      rmSync(file('master-key'))
      expect(await start(given)).toMatch(/^POSTHORN_MASTER_KEY: not set, and \S+master-key does not exist/)
    }
  })

  test.each([[{}], [NEW], [{ masterKey: MASTER_KEY }]])(
    'is rejected if its file belongs to another program, with or without a key: %j',
    async (given) => {
      writeFileSync(file('posthorn.db'), 'hi')
      expect(await start(given)).toMatch(
        /^the store in \S+ cannot be opened: SQLITE_NOTADB: file is not a database\. Restore a backup: /,
      )
      rmSync(file('posthorn.db'))
      new Database(file('posthorn.db')).exec('CREATE TABLE theirs (id INTEGER)').close()
      expect(await start(given)).toMatch(/posthorn\.db is a database of another program\. Move it away/)
      if (!('masterKey' in given)) expect(readdirSync(dataDir)).toEqual(['posthorn.db'])
    },
  )

  test('with a database without tables is created without an earlier key only on request', async () => {
    new Database(file('posthorn.db')).exec('PRAGMA user_version = 1').close()
    expect(await start()).toMatch(/posthorn\.db contains no store\. Restore a backup/)
    expect(await start(NEW)).toBe(true)
  })

  test.each([
    ['nothing yet', []],
    ['the key', ['master-key']],
    ['the key and an empty database', ['master-key', 'lock.db', 'posthorn.db']],
  ])('whose first start was killed when %s existed is created by the next start', async (_when, names) => {
    writeFileSync(file('first-start'), '')
    for (const name of names) writeFileSync(file(name), name === 'master-key' ? MASTER_KEY : '')
    expect(await start()).toBe(true)
    expect(readdirSync(dataDir)).not.toContain('first-start')
    truncateSync(file('posthorn.db'))
    expect(await start()).toMatch(/is gone/)
  })

  test('completed by a killed first start is served', async () => {
    await start()
    writeFileSync(file('first-start'), '')
    expect(await start()).toBe(false)
    expect(readdirSync(dataDir)).not.toContain('first-start')
  })

  test('may be created next to other files', async () => {
    mkdirSync(file('lost+found'))
    expect(await start()).toBe(true)
  })
})

describe('a store in a database', () => {
  let server: string
  let name: string
  let databaseUrl: string
  beforeEach(async () => {
    server = await postgresUrl()
    name = `test_${randomBytes(6).toString('hex')}`
    databaseUrl = await createDatabase(server, name)
  })
  afterEach(() => dropDatabase(server, name))

  test('is created by the first node, whose key may be set, and opened by all others', async () => {
    const given = { databaseUrl, masterKey: MASTER_KEY }
    expect(await start(given)).toBe(true)
    expect(await start(given)).toBe(false)
    writeFileSync(file('master-key'), MASTER_KEY)
    expect(await start({ databaseUrl })).toBe(false)
  })

  test('is not created for the keys of another store, unless a new one is requested', async () => {
    await start({ databaseUrl })
    await query(databaseUrl, 'DROP SCHEMA posthorn CASCADE')
    const refusal = await start({ databaseUrl })
    expect(refusal).toMatch(
      /^\S+ has no store, but master-key in \S+ belongs to a store that is not there\. Restore the database, correct POSTHORN_DATABASE_URL, or start with an empty store \(--new-store\)$/,
    )
    expect(await query(databaseUrl, `SELECT 1 FROM pg_namespace WHERE nspname = 'posthorn'`)).toEqual([])
    expect(await start({ databaseUrl, ...NEW })).toBe(true)
    expect(await start({ databaseUrl, ...NEW })).toBe(false)
  })

  test('is not created next to an embedded one that was not moved', async () => {
    await start({ masterKey: MASTER_KEY })
    expect(await start({ databaseUrl, masterKey: MASTER_KEY })).toMatch(
      /has no store, but there is an embedded store in \S+\. Move it with posthorn move, /,
    )
  })

  test('is no reason to create an embedded one once its URL is removed', async () => {
    await start({ databaseUrl })
    expect(await start()).toMatch(
      /traces of a store: master-key\. .+set POSTHORN_DATABASE_URL if the store is in PostgreSQL/,
    )
  })
})
