import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { backUp } from '../../src/storage/sqlite/backup.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts'
import { checkBackup, putBack, whereMoved } from '../../src/storage/sqlite/restore.ts'
import { World } from '../storage/conformance/world.ts'
import { keptDataDirectory, releases } from '../storage/releases/kept.ts'
import { type FlatStorage, flat } from '../support/flatStorage.ts'
import { type Cast, makeHistory } from './move/history.ts'
import { readEverything } from './move/reading.ts'

let parent: string
let dataDir: string
let file: string
let open: FlatStorage[]

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'posthorn-backup-'))
  dataDir = path.join(parent, 'data')
  file = path.join(parent, 'backup.db')
  open = []
})

afterEach(async () => {
  for (const storage of open) await storage.close()
  rmSync(parent, { recursive: true })
})

async function openStore(directory = dataDir): Promise<FlatStorage> {
  const storage = flat(await openSqliteStorage({ dataDir: directory, clock: systemClock }))
  open.push(storage)
  return storage
}

async function storeWithHistory(): Promise<{ readonly storage: FlatStorage; readonly cast: Cast }> {
  const storage = await openStore()
  return { storage, cast: await makeHistory(storage) }
}

/** Restores the backup into its own directory and opens it. */
async function restored(): Promise<FlatStorage> {
  const elsewhere = path.join(parent, 'elsewhere')
  putBack({ file, dataDir: elsewhere, force: false, now: 0 })
  return openStore(elsewhere)
}

function change(name: string, statement: string): void {
  const db = new Database(name)
  db.prepare(statement).run()
  db.close()
}

/** Versions of webhooks continue at another number after a restore; everything else is as before. */
const withoutVersions = (read: unknown): unknown =>
  JSON.parse(JSON.stringify(read, (name, value) => (name === 'version' ? null : value)))

describe('a backup', () => {
  test('of an open store contains all of it, readable only by this user', async () => {
    const { storage } = await storeWithHistory()
    backUp(dataDir, file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(parent).sort()).toEqual(['backup.db', 'data'])
    expect(withoutVersions(await readEverything(await restored()))).toEqual(
      withoutVersions(await readEverything(storage)),
    )
  })

  test('is not created from a missing store, nor from a moved one', async () => {
    expect(() => backUp(dataDir, file)).toThrow(`there is no store in ${dataDir}`)
    await (await openStore()).close()
    change(path.join(dataDir, 'posthorn.db'), `INSERT INTO moved VALUES (1, 'db:5432/posthorn', 0)`)
    expect(() => backUp(dataDir, file)).toThrow('was moved to db:5432/posthorn')
    expect(existsSync(file)).toBe(false)
  })

  test('an unwritable one leaves nothing behind', async () => {
    await (await openStore()).close()
    const nowhere = path.join(parent, 'missing', 'backup.db')
    expect(() => backUp(dataDir, nowhere)).toThrow(/^copying .* to .*missing.* failed: .*ENOENT/)
    expect(readdirSync(parent)).toEqual(['data'])
  })
})

describe('a restored store', () => {
  test('reuses no id, feed position or version from after the backup', async () => {
    const { storage, cast } = await storeWithHistory()
    backUp(dataDir, file)
    const nodeId = await cast.w.node()
    const [lost] = await cast.w.leased(nodeId, cast.content)
    const lastEventId = await storage.reserveEventIds({ count: 1 })
    const { version } = (await cast.w.update(cast.steady, { description: 'after the backup' }))!
    const feed = { workspaceId: cast.content.id, eventTypes: null, limit: 1000 }
    const { next } = await storage.listEvents({ ...feed, after: null })

    const w = new World(await restored())
    w.now = cast.w.now
    const [event] = await w.events(1, cast.content)
    const { leased } = await w.publish(await w.node(), [event!])
    expect(event!.id).toBeGreaterThan(lastEventId)
    expect(leased[0]!.deliveryId).toBeGreaterThan(lost!.deliveryId)
    // A reader of the feed that reached its end after the backup misses none of the new events.
    expect(await w.storage.listEvents({ ...feed, after: next })).toMatchObject({
      events: [{ id: event!.id }],
    })
    expect((await w.update(cast.steady, { description: 'another' }))!.version).toBeGreaterThan(version)
  })

  test('has no leases from the time of the backup', async () => {
    const { cast } = await storeWithHistory()
    const leased = await cast.w.leased(await cast.w.node(), cast.content)
    backUp(dataDir, file)
    const w = new World(await restored())
    w.now = cast.w.now + 1_000_000
    const nodeId = await w.node()
    await w.untilDone(() => w.storage.rescueDeliveries({ byNodeId: nodeId }))
    expect(await w.claimedIds(nodeId)).toEqual(expect.arrayContaining(leased.map((ref) => ref.deliveryId)))
  })

  test.each(releases())('of release %s is migrated', async (release) => {
    cpSync(path.join(keptDataDirectory(release), 'posthorn.db'), file)
    await (await restored()).check()
  })
})

describe('a restore', () => {
  const put = (force = false) => putBack({ file, dataDir, force, now: Date.UTC(2026, 0, 31) })
  const database = () => path.join(dataDir, 'posthorn.db')
  const KEPT = 'posthorn.db.replaced-20260131T000000000Z'

  beforeEach(async () => {
    const { storage } = await storeWithHistory()
    backUp(dataDir, file)
    await storage.close()
  })

  test('is rejected where a store exists, even if only its log is left', () => {
    expect(() => put()).toThrow(
      `there is already a store in ${dataDir}; to replace it with the backup, add --force`,
    )
    rmSync(database())
    writeFileSync(`${database()}-wal`, 'left over')
    expect(() => put()).toThrow('there is already a store')
  })

  test('is rejected while a process uses the store', async () => {
    await openStore()
    expect(() => put(true)).toThrow('is in use by another posthorn process')
    expect(readdirSync(dataDir).filter((name) => name.includes('partial'))).toEqual([])
  })

  test('keeps the store that it replaces, including its log', async () => {
    const storage = await openStore()
    const added = await storage.createWorkspace({
      publicId: 'ws_new',
      dialect: 'content',
      slug: 'new',
      name: '',
      now: 0,
    })
    // As after a kill: the log was not merged into the database.
    const killed = path.join(parent, 'killed')
    cpSync(dataDir, killed, { recursive: true })
    expect(statSync(path.join(killed, 'posthorn.db-wal')).size).toBeGreaterThan(0)
    expect(putBack({ file, dataDir: killed, force: true, now: Date.UTC(2026, 0, 31) })).toBe(
      path.join(killed, KEPT),
    )
    const ask = { ref: added!.publicId, dialects: null }
    const now = await openStore(killed)
    expect(await now.getWorkspace(ask)).toBeNull()
    await now.check()
    await now.close()
    cpSync(path.join(killed, KEPT), path.join(killed, 'posthorn.db'))
    expect(await (await openStore(killed)).getWorkspace(ask)).not.toBeNull()
  })

  test('replaces a store that is damaged, or of which only the log is left', async () => {
    writeFileSync(database(), 'not a database'.repeat(1000))
    writeFileSync(`${database()}-wal`, 'nor is this a log')
    put(true)
    expect(readFileSync(path.join(dataDir, KEPT), 'utf8')).toContain('not a database')
    rmSync(database())
    writeFileSync(`${database()}-wal`, 'left over')
    put(true)
    expect(readFileSync(path.join(dataDir, `${KEPT}-wal`), 'utf8')).toBe('left over')
    await (await openStore()).check()
  })

  test('of a file that is damaged, foreign, too new or of a moved store is rejected', () => {
    const bytes = readFileSync(file)
    const damaged = Buffer.from(bytes)
    damaged.fill(0x5a, 8192 * 9, 8192 * 12)
    const cases: [content: Uint8Array | null, statement: string | null, message: RegExp][] = [
      [damaged, null, /is damaged: |cannot be read: SQLITE_CORRUPT/],
      [bytes.subarray(0, bytes.length - 8192), null, /is damaged: |cannot be read: SQLITE_CORRUPT/],
      [
        Buffer.from('anything'.repeat(1000)),
        null,
        /^\S+ is not a Posthorn backup\. Name a file that `posthorn backup` wrote$/,
      ],
      [bytes, 'DROP TABLE store', /^\S+ is not a Posthorn backup\./],
      [
        bytes,
        `INSERT INTO migrations VALUES (99, 'next', '', 0)`,
        /it was last used by a newer posthorn\. Run that one, or restore a backup from before the upgrade$/,
      ],
      [bytes, `INSERT INTO moved VALUES (1, 'db', 0)`, /is a backup of a store that was moved to db/],
    ]
    for (const [content, statement, message] of cases) {
      writeFileSync(file, content!)
      if (statement !== null) change(file, statement)
      expect(() => checkBackup(file)).toThrow(message)
    }
    rmSync(file)
    expect(() => checkBackup(file)).toThrow(`there is no file ${file}`)
    expect(() => checkBackup(dataDir)).toThrow(`${dataDir} is a directory; name the backup in it`)
  })

  test('reports where the replaced store was moved to, as long as that can be read', () => {
    expect(whereMoved(path.join(parent, 'none'))).toBeNull()
    expect(whereMoved(dataDir)).toBeNull()
    change(database(), `INSERT INTO moved VALUES (1, 'db:5432/posthorn', 0)`)
    expect(whereMoved(dataDir)).toEqual({ place: 'db:5432/posthorn', at: 0 })
    writeFileSync(database(), 'not a database'.repeat(1000))
    expect(whereMoved(dataDir)).toBeNull()
  })

  test('reports the content of the backup', () => {
    expect(checkBackup(file)).toMatchObject({ events: expect.any(Number), pending: expect.any(Number) })
    expect(checkBackup(file).keys.newestSecret!.sealed).toHaveLength(1)
  })
})
