import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openMoveSource, viewMoveSource } from '../../../src/storage/move/source.ts'
import { backUp } from '../../../src/storage/sqlite/backup.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { checkBackup, putBack, whereMoved } from '../../../src/storage/sqlite/restore.ts'
import { StoreOpenError } from '../../../src/storage/storage.ts'

let parent: string
let dataDir: string
let database: string
let log: string
let backup: string

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'posthorn-lost-'))
  dataDir = path.join(parent, 'data')
  database = path.join(dataDir, 'posthorn.db')
  log = `${database}-wal`
  backup = path.join(parent, 'backup.db')
  mkdirSync(dataDir)
})
afterEach(() => rmSync(parent, { recursive: true }))

const open = (create = true) => openSqliteStorage({ dataDir, clock: systemClock, create })
const refusalOf = (create?: boolean) =>
  open(create).then(
    () => 'opened',
    (error: unknown) => (error instanceof StoreOpenError ? error.message : error),
  )

async function makeStore(): Promise<void> {
  await (await open()).close()
}

const restore = (force: boolean) => putBack({ file: backup, dataDir, force, now: 0 })

describe('a log whose database is empty or missing', () => {
  const LOG = Buffer.alloc(5000, 7)

  beforeEach(async () => {
    await makeStore()
    backUp(dataDir, backup)
    writeFileSync(log, LOG)
  })

  test.each(['empty', 'missing'])('is kept by everything that finds the database %s', async (state) => {
    if (state === 'empty') truncateSync(database)
    else rmSync(database)
    const refusal = /posthorn\.db is missing or empty, but its log posthorn\.db-wal contains data\. .*restore/
    for (const create of [true, false]) expect(await refusalOf(create)).toMatch(refusal)
    expect(() => backUp(dataDir, path.join(parent, 'another.db'))).toThrow(refusal)
    expect(() => openMoveSource(dataDir, 0)).toThrow(refusal)
    expect(() => viewMoveSource(dataDir)).toThrow(refusal)
    expect(whereMoved(dataDir)).toBe(null)
    expect(() => restore(false)).toThrow('there is already a store in')
    expect(readFileSync(log)).toEqual(LOG)

    const kept = restore(true)
    expect(kept).toMatch(/posthorn\.db\.replaced-\w+-wal$/)
    expect(readFileSync(kept!)).toEqual(LOG)
    await (await open(false)).close()
  })
})

describe('a database that is not a store', () => {
  async function expectUntouched(refusal: RegExp, create: boolean): Promise<void> {
    const before = readFileSync(database)
    expect(await refusalOf(create)).toMatch(refusal)
    expect(() => backUp(dataDir, backup)).toThrow(StoreOpenError)
    expect(() => openMoveSource(dataDir, 0)).toThrow(StoreOpenError)
    expect(() => viewMoveSource(dataDir)).toThrow(StoreOpenError)
    expect(readFileSync(database).equals(before)).toBe(true)
    expect(existsSync(backup)).toBe(false)
  }

  test('but of another program is not changed, even if a new store is requested', async () => {
    const other = new Database(database)
    other.exec('CREATE TABLE migrations (id); CREATE TABLE songs (title)')
    other.close()
    for (const create of [true, false])
      await expectUntouched(/posthorn\.db is a database of another program\. Move it away/, create)
  })

  test('and has no table is rejected, unless a new one is requested', async () => {
    const empty = new Database(database)
    empty.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL')
    empty.close()
    await expectUntouched(/posthorn\.db contains no store\. .*posthorn serve --new-store/, false)
    const storage = await open(true)
    expect(storage.isNew).toBe(true)
    await storage.close()
  })

  test('and empty is not backed up or moved, and a backup replaces it without force', async () => {
    await makeStore()
    backUp(dataDir, backup)
    truncateSync(database)
    const refusal = `there is no store in ${dataDir}: posthorn.db is empty`
    expect(() => backUp(dataDir, path.join(parent, 'another.db'))).toThrow(refusal)
    expect(() => openMoveSource(dataDir, 0)).toThrow(refusal)
    expect(restore(false)).toBe(null)
    await (await open(false)).close()
  })

  test('and is missing is not created unless allowed', async () => {
    expect(await refusalOf(false)).toMatch(/cannot be opened: SQLITE_CANTOPEN/)
    expect(readdirSync(dataDir)).not.toContain('posthorn.db')
  })
})

describe('a damaged database', () => {
  test.each([100, 5000, 16_384, -1])('cut to %i bytes is rejected with instructions', async (size) => {
    await makeStore()
    const whole = readFileSync(database)
    writeFileSync(database, whole.subarray(0, size))
    expect(await refusalOf()).toMatch(/posthorn restore --force <file>, which keeps the damaged file/)
    expect(readFileSync(database).equals(whole.subarray(0, size))).toBe(true)
  })

  test('whose last page is cut, which SQLite does not notice, is rejected', async () => {
    await makeStore()
    const db = new Database(database)
    db.prepare('UPDATE migrations SET name = ? WHERE version = 1').run('long'.repeat(10_000))
    db.close()
    truncateSync(database, statSync(database).size - 1)
    expect(await refusalOf()).toMatch(/posthorn\.db is truncated\. Restore a backup: /)
  })

  test('cut by a page that is still in its log is complete', async () => {
    const storage = await open()
    // As they are on disk while the store is open: nothing was merged into the database file yet.
    const copy = path.join(parent, 'copy')
    mkdirSync(copy)
    for (const name of ['posthorn.db', 'posthorn.db-wal'])
      copyFileSync(path.join(dataDir, name), path.join(copy, name))
    await storage.close()
    const copied = await openSqliteStorage({ dataDir: copy, clock: systemClock, create: false })
    expect(copied.isNew).toBe(false)
    await copied.close()
  })

  test('of zeros is rejected', async () => {
    writeFileSync(database, Buffer.alloc(16_384))
    expect(await refusalOf()).toMatch(/SQLITE_NOTADB.*posthorn restore --force <file>/)
  })
})

test('an empty backup is rejected', () => {
  writeFileSync(backup, '')
  expect(() => checkBackup(backup)).toThrow(`${backup} is empty`)
})
