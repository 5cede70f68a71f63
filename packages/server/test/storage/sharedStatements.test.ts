import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { carryOutOn as carryOutAsync } from '../../src/storage/postgres/asyncWork.ts'
import { idempotencySql } from '../../src/storage/queries/changes.ts'
import { egressSql } from '../../src/storage/queries/egress.ts'
import { memberSql, operatorSql } from '../../src/storage/queries/members.ts'
import { profileSql } from '../../src/storage/queries/profiles.ts'
import { clockSql } from '../../src/storage/queries/samples.ts'
import { sessionSql } from '../../src/storage/queries/sessions.ts'
import type { EachStatement, Statement } from '../../src/storage/queries/sql.ts'
import { nextIdSql } from '../../src/storage/queries/stats.ts'
import { row } from '../../src/storage/queries/work.ts'
import { createStore } from '../../src/storage/sqlite/store.ts'
import { carryOutOn as carryOutSync } from '../../src/storage/sqlite/syncWork.ts'
import { type Database, openDatabase as openPostgres } from './postgres/database.ts'
import { openDatabase as openSqlite } from './sqlite/database.ts'

const QUERIES = new URL('../../src/storage/queries/', import.meta.url)

type Shared = Statement | EachStatement

const isStatement = (value: unknown): value is Shared =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ['statement', 'each'].includes(String(value.kind))

/** Exports with a name like `webhookSql`, and those named here. */
async function sharedStatements(): Promise<[name: string, statement: Shared][]> {
  const groups: [string, object][] = Object.entries({
    idempotencySql,
    nextIdSql,
    memberSql,
    operatorSql,
    profileSql,
    clockSql,
    egressSql,
  })
  for (const file of readdirSync(QUERIES).filter((name) => name.endsWith('.ts'))) {
    const module = (await import(new URL(file, QUERIES).href)) as Record<string, object>
    groups.push(...Object.entries(module).filter(([name]) => name.endsWith('Sql')))
  }
  return groups.flatMap(([group, statements]) =>
    Object.entries(statements).flatMap(([name, statement]): [string, Shared][] =>
      isStatement(statement) ? [[`${group}.${name}`, statement]] : [],
    ),
  )
}

const statements = await sharedStatements()
let database: Database

beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

/** PostgreSQL returns the columns of executed statements, so a reading statement is executed for no rows. */
async function postgresColumns({ postgres }: Shared): Promise<string[] | null> {
  const { client } = database
  await client.query(`BEGIN; DEALLOCATE ALL; PREPARE statement AS ${postgres}`)
  try {
    if (!/^\s*(SELECT|WITH)/.test(withoutParts(postgres))) return null
    const { rows } = await client.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'statement'`,
    )
    const nothing = postgres.replaceAll(/\$(\d+)/g, (_, n) => `(NULL::${rows[0]!.types[Number(n) - 1]})`)
    const { fields } = await client.query(`SELECT * FROM (${nothing}) s LIMIT 0`)
    return fields.map(({ name }) => name).filter((name) => name !== 'place')
  } finally {
    await client.query('ROLLBACK')
  }
}

test('both databases accept every shared statement, and its rows have the same columns', async () => {
  expect(statements.length).toBeGreaterThan(100)
  const db = openSqlite()
  for (const [name, shared] of statements) {
    const sqlite = db.prepare(shared.sqlite)
    const columns = await postgresColumns(shared)
    if (columns === null) expect([name, returned(shared.postgres)]).toEqual([name, returned(shared.sqlite)])
    else expect([name, ...columns]).toEqual([name, ...sqlite.columns().map((column) => column.name)])
  }
})

test('a missing value is rejected, and not stored as NULL', async () => {
  const work = () => row(sessionSql.byHash, [undefined as never])
  expect(() => carryOutSync(createStore(openSqlite()))(work())).toThrow(TypeError)
  await expect(database.snapshot((tx) => carryOutAsync(database)(tx, work()))).rejects.toThrow(TypeError)
  await expect(database.snapshot((tx) => tx.rows('SELECT $1::text', [undefined]))).rejects.toThrow(TypeError)
})

/** The returned columns of a writing statement. */
const returned = (text: string): string | undefined => /RETURNING.*/s.exec(withoutParts(text))?.[0]

/** A writing statement without its leading parts. */
const withoutParts = (text: string): string =>
  text.replace(/^\s*WITH\b.*\)\s*(?=(INSERT|UPDATE|DELETE)\b)/s, '')
