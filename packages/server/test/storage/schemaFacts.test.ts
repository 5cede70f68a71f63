import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { migrations } from '../../src/storage/migrations/index.ts'
import { readDatabaseSchema } from '../../src/storage/postgres/schemaFacts.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts'
import { readEmbeddedSchema } from '../../src/storage/sqlite/schemaFacts.ts'
import { makeStoreDirectory } from '../support/storeDirectory.ts'
import { storeSchema } from '../support/storeSchema.ts'

const versions = migrations.map(({ version, name }) => ({ version, name, appliedAt: expect.any(Number) }))

test('the schema of an embedded store is read while it is in use, and after', async () => {
  const dataDir = makeStoreDirectory()
  try {
    expect(() => readEmbeddedSchema(dataDir)).toThrow(`there is no store in ${dataDir}`)
    const storage = await openSqliteStorage({ dataDir, clock: systemClock })
    const served = readEmbeddedSchema(dataDir)
    expect(served).toEqual({ engine: expect.stringMatching(/^SQLite 3\./), applied: versions })
    await storage.close()
    expect(readEmbeddedSchema(dataDir)).toEqual(served)
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})

test('the schema of a database is read, also if it has none', async () => {
  const schema = await storeSchema()
  try {
    const engine = expect.stringMatching(/^PostgreSQL \d+/)
    const read = (name: string) => readDatabaseSchema(schema.url, systemClock, name)
    expect(await read(schema.name)).toEqual({ engine, applied: versions })
    expect(await read('no_such_schema')).toEqual({ engine, applied: [] })
  } finally {
    await schema.drop()
  }
})

test('an unreachable database is named without its password', async () => {
  const url = 'postgres://mira:hunter2@127.0.0.1:1/posthorn'
  await expect(readDatabaseSchema(url, systemClock)).rejects.toThrow(
    /^the database cannot be used: 127\.0\.0\.1:1\/posthorn: (?!.*hunter2)/,
  )
})
