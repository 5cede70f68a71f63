import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { openPostgresStorage } from '../../src/storage/postgres/open.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts'
import { type FlatStorage, flat } from './flatStorage.ts'
import { makeStoreDirectory } from './storeDirectory.ts'
import { storeSchema } from './storeSchema.ts'
import type { TestSchema } from './testSchema.ts'

export interface TestStore {
  readonly storage: FlatStorage
  /** Removes its files; it must be closed. */
  remove(): Promise<void>
}

export interface ReadableStore extends TestStore {
  /** All its data, as a thief would read it; bytes unchanged or in hex. */
  dump(): Promise<string>
}

/**
 * A fresh store for tests of its callers: the embedded one, and one on PostgreSQL when they run again on
 * that.
 */
export function openTestStore(clock: Clock): Promise<ReadableStore> {
  return process.env.POSTHORN_TEST_STORE === 'postgres' ? openOnPostgres() : openEmbedded(clock)
}

/** Both stores, by name, for tests that must pass on either in one run. */
export const TEST_STORES: readonly (readonly [name: string, open: (clock: Clock) => Promise<TestStore>])[] = [
  ['SQLite', openEmbedded],
  ['PostgreSQL', openOnPostgres],
]

async function openEmbedded(clock: Clock): Promise<ReadableStore> {
  const dataDir = makeStoreDirectory()
  const storage = await openSqliteStorage({ dataDir, clock })
  return {
    storage: flat(storage),
    dump: async () => {
      const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      const texts = files.flatMap((file) =>
        file.isFile() ? [readFileSync(path.join(file.parentPath, file.name), 'latin1')] : [],
      )
      return texts.join()
    },
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

/** The machine's clock: a test that moves its own by a day must not make connections look dead. */
async function openOnPostgres(): Promise<ReadableStore> {
  const schema = await storeSchema()
  const storage = await openPostgresStorage({ url: schema.url, schema: schema.name, clock: systemClock })
  return { storage: flat(storage), dump: () => dumpOf(schema), remove: schema.drop }
}

async function dumpOf({ name, connect }: TestSchema): Promise<string> {
  const client = await connect()
  const tables = await client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [name])
  const texts: string[] = []
  for (const { tablename } of tables.rows) {
    const { rows } = await client.query(`SELECT t::text AS text FROM ${tablename} t`)
    texts.push(...rows.map(({ text }) => text))
  }
  await client.end()
  return texts.join()
}
