import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'

test.each([
  // 2 is FULL: a commit is on the disk before it is answered. The library's own default for this mode is less.
  ['synchronous', 2],
  ['journal_mode', 'wal'],
  ['page_size', 8192],
  ['wal_autocheckpoint', 40_000],
  ['foreign_keys', 1],
])('the connection that writes has %s at %s', (pragma, value) => {
  expect(openDatabase().pragma(pragma, { simple: true })).toBe(value)
})
