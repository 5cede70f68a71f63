import path from 'node:path'
import Database from 'better-sqlite3'
import type pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readMasterKeyFile } from '../../../src/cli/generatedKeys.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { checkOf, createSecretBox, SealError } from '../../../src/engine/secretBox.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { type FlatStorage, flat } from '../../support/flatStorage.ts'
import { World } from '../conformance/world.ts'
import { openDatabase as openEmptyPostgres } from '../postgres/database.ts'
import { describeSchema as describePostgres } from '../postgres/schema.ts'
import { openDatabase as openEmptySqlite } from '../sqlite/database.ts'
import { describeSchema as describeSqlite } from '../sqlite/schema.ts'
import { keepRelease } from './keep.ts'
import { DATABASE, directoryOf, keptDataDirectory, keptSchema, MASTER_KEY, releases } from './kept.ts'
import { summaryOf } from './reading.ts'

const toKeep = process.env.POSTHORN_TEST_KEEP_RELEASE
if (toKeep !== undefined) test('the current stores are kept', () => keepRelease(toKeep))

async function openSqlite(dataDir: string) {
  const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock, create: false }))
  onTestFinished(() => storage.close())
  return storage
}

async function openPostgres({ url, name: schema }: { readonly url: string; readonly name: string }) {
  const whyNotNew = 'a store was kept'
  const storage = flat(await openPostgresStorage({ url, schema, clock: systemClock, whyNotNew }))
  onTestFinished(() => storage.close())
  return storage
}

describe.each(releases())('stores of release %s, opened by this program,', (release) => {
  const keyOf = () => readMasterKeyFile(path.join(directoryOf(release), MASTER_KEY))!
  const stores: readonly [name: string, open: () => Promise<FlatStorage>][] = [
    ['SQLite', () => openSqlite(keptDataDirectory(release))],
    ['PostgreSQL', async () => openPostgres(await keptSchema(release))],
  ]

  test.each(stores)('have all their content: %s', async (_, open) => {
    const storage = await open()
    // On another server than the dumped one, a node detects that transactions are counted differently.
    await storage.registerNode({ leaseMs: 1000 })
    const summary = `${JSON.stringify(await summaryOf(storage), null, 2)}\n`
    await expect(summary).toMatchFileSnapshot(path.join(directoryOf(release), 'summary.txt'))
  })

  test.each(stores)(
    'continue: pending deliveries are sent, and events are published: %s',
    async (_, open) => {
      const w = new World(await open())
      w.now = Date.now()
      const nodeId = await w.node()
      await w.untilDone(() => w.storage.rescueDeliveries({ byNodeId: nodeId }))
      const { deliveries } = await w.claim(nodeId)
      expect(deliveries.length).toBeGreaterThan(5)
      await w.record(
        nodeId,
        deliveries.map(({ id: deliveryId, webhookId, attempts, trigger }) =>
          w.success({ deliveryId, webhookId }, { number: attempts + 1, trigger }),
        ),
      )
      const leased = await w.leased(nodeId, (await w.storage.getWorkspace({ ref: 'ws_1', dialects: null }))!)
      const last = Math.max(...deliveries.map(({ id }) => id))
      expect(leased.length).toBeGreaterThan(0)
      expect(Math.min(...leased.map(({ deliveryId }) => deliveryId))).toBeGreaterThan(last)
    },
  )

  test('have the schema of a new store on SQLite, and secrets that the key decrypts', async () => {
    const dataDir = keptDataDirectory(release)
    const storage = await openSqlite(dataDir)
    const { sealed, owner } = storage.newestSecret!
    expect(createSecretBox(keyOf()).open(sealed, owner)).toBe('whsec_kept')
    expect(() => createSecretBox([new Uint8Array(32)]).open(sealed, owner)).toThrow(SealError)
    await storage.close()
    const db = new Database(path.join(dataDir, DATABASE))
    onTestFinished(() => void db.close())
    expect(describeSqlite(db)).toBe(describeSqlite(openEmptySqlite()))
  })

  test('have the schema of a new store on PostgreSQL, and know the key of their secrets', async () => {
    const schema = await keptSchema(release)
    const storage = await openPostgres(schema)
    expect([...(await storage.readKeyCheck({}))!]).toEqual([...checkOf(keyOf()[0])])
    const empty = await openEmptyPostgres()
    const client = await schema.connect()
    onTestFinished(async () => {
      await client.end()
      await empty.close()
    })
    // A dump that is read again has fewer parentheses around joined ANDs and ORs.
    const described = async (of: pg.Client) => (await describePostgres(of)).replaceAll(/[()]/g, '')
    expect(await described(client)).toBe(await described(empty.client))
  })
})
