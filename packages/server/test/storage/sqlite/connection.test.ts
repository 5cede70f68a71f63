import { expect, test } from 'vitest'
import { refuseOldSqlite } from '../../../src/storage/sqlite/connection.ts'
import { StoreOpenError } from '../../../src/storage/storage.ts'
import { openDatabase } from './database.ts'

test.each([
  // 2 is FULL: a commit is on the disk before it is answered. The library's own default for this mode is
  // lower.
  ['synchronous', 2],
  ['journal_mode', 'wal'],
  ['page_size', 8192],
  ['wal_autocheckpoint', 40_000],
  ['foreign_keys', 1],
])('the writing connection has %s at %s', (pragma, value) => {
  expect(openDatabase().pragma(pragma, { simple: true })).toBe(value)
})

test.each(['3.51.3', '3.51.10', '3.53.2', '3.100.0', '4.0.0'])('SQLite %s is new enough', (version) => {
  expect(() => refuseOldSqlite(version)).not.toThrow()
})

test.each(['3.51.2', '3.51', '3.9.0', '3.50.4', '2.99.99'])(
  'SQLite %s is rejected: a checkpoint during a commit may damage the database',
  (version) => {
    expect(() => refuseOldSqlite(version)).toThrow(StoreOpenError)
    expect(() => refuseOldSqlite(version)).toThrow(`contains SQLite ${version},`)
  },
)
