import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { openPostgresStorage } from '../../src/storage/postgres/open.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { newTestSchema } from './testSchema.ts'

export interface TestStore {
  readonly storage: Storage
  /** Removes what it kept; it is closed by then. */
  remove(): Promise<void>
}

/** A fresh store for tests of what stands above it: the embedded one, and one on PostgreSQL when they run again on that. */
export function openTestStore(clock: Clock): Promise<TestStore> {
  return process.env.POSTHORN_TEST_STORE === 'postgres' ? openOnPostgres() : openEmbedded(clock)
}

async function openEmbedded(clock: Clock): Promise<TestStore> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-test-'))
  const storage = await openSqliteStorage({ dataDir, clock })
  return { storage, remove: async () => rmSync(dataDir, { recursive: true, force: true }) }
}

/** The machine's clock: a test that puts its own forward by a day must not make connections look dead. */
async function openOnPostgres(): Promise<TestStore> {
  const schema = await newTestSchema()
  const storage = await openPostgresStorage({ url: schema.url, schema: schema.name, clock: systemClock })
  return { storage, remove: schema.drop }
}
