import { expect, test } from 'vitest'
import { migrations } from '../../../src/storage/migrations/index.ts'
import type { Migration } from '../../../src/storage/migrations/migration.ts'
import { migrate } from '../../../src/storage/sqlite/migrate.ts'
import { StoreOpenError } from '../../../src/storage/storage.ts'
import { openDatabase } from './database.ts'
import { describeSchema } from './schema.ts'

const next: Migration = {
  version: migrations.length + 1,
  name: 'next',
  does: 'is for a test',
  goesThrough: { sqlite: [], postgres: [] },
  sqlite: 'CREATE TABLE next (id INTEGER) STRICT',
  postgres: '',
  worksFrom: migrations.length,
  whyBreaking: null,
}

function tables(db: ReturnType<typeof openDatabase>): string[] {
  return db.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
}

test('the migrations together create the recorded schema', async () => {
  await expect(describeSchema(openDatabase())).toMatchFileSnapshot('./schema.txt')
})

test('a current store is not changed', () => {
  const db = openDatabase()
  const applied = () => db.prepare('SELECT * FROM migrations').all()
  const before = applied()
  migrate(db, 1000)
  expect(applied()).toEqual(before)
})

test('an older store is migrated', () => {
  const db = openDatabase()
  migrate(db, 1000, [...migrations, next])
  expect(tables(db)).toContain('next')
})

test('a failed migration leaves the store unchanged', () => {
  const db = openDatabase()
  const broken = { ...next, sqlite: 'CREATE TABLE half (id INTEGER); CREATE TABLE half (id INTEGER)' }
  expect(() => migrate(db, 1000, [...migrations, broken])).toThrow('half')
  expect(tables(db)).not.toContain('half')
  migrate(db, 1000, [...migrations, next])
  expect(tables(db)).toContain('next')
})

test('a store newer than the program is rejected', () => {
  const db = openDatabase()
  migrate(db, 1000, [...migrations, next])
  expect(() => migrate(db, 2000)).toThrow(StoreOpenError)
  expect(() => migrate(db, 2000)).toThrow('last used by a newer posthorn')
})

test('a migration edited after it was applied is detected', () => {
  const db = openDatabase()
  const edited = migrations.map((migration) => ({ ...migration, sqlite: `${migration.sqlite} -- edited` }))
  expect(() => migrate(db, 1000, edited)).toThrow('a different migration 1 (initial)')
})
