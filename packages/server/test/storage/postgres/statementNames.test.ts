import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from './database.ts'

let database: Database
beforeEach(async () => {
  database = await openDatabase()
})
afterEach(() => database.close())

/** Of the hashes of their texts. */
const NAMES = {
  'SELECT 1 AS one': 'posthorn_70d501bdc85b04fc',
  'SELECT 2 AS two': 'posthorn_d27c1757464c3165',
}

test('a statement has the same prepared name on every node, and no other statement has it', async () => {
  const names = await database.write(async (tx) => {
    for (const sql of Object.keys(NAMES)) await tx.row(sql)
    const prepared = await tx.rows<{ name: string; statement: string }>(
      'SELECT name, statement FROM pg_prepared_statements',
    )
    return Object.fromEntries(prepared.map(({ name, statement }) => [statement, name]))
  })
  expect(names).toMatchObject(NAMES)
})
