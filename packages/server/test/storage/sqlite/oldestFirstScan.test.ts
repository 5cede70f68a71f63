import { expect, test } from 'vitest'
import { OldestFirstScan } from '../../../src/storage/sqlite/queries/retention.ts'
import { openDatabase } from './database.ts'

interface Row {
  readonly id: number
  readonly created_at: number
  readonly needed: 0 | 1
}

/** A scan of at most three rows a step over rows given as `[created_at, needed]`. */
function walkOver(rows: readonly (readonly [number, 0 | 1])[]) {
  const db = openDatabase()
  db.exec('CREATE TABLE aged (id INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, needed INTEGER NOT NULL)')
  const insert = db.prepare('INSERT INTO aged (created_at, needed) VALUES (?, ?)')
  for (const row of rows) insert.run(...row)
  const remove = db.prepare<[number]>('DELETE FROM aged WHERE id = ?')
  const walk = new OldestFirstScan<Row>(db, 'SELECT * FROM aged WHERE id > @after ORDER BY id', 3)
  return {
    step: () =>
      walk.step(
        { before: 100, now: 200, expiredBefore: 0, limit: 2 },
        (row) => remove.run(row.id).changes > 0,
      ),
    release: () => db.exec('UPDATE aged SET needed = 0'),
    left: () => db.prepare<[], number>('SELECT id FROM aged ORDER BY id').pluck().all(),
  }
}

test('old rows that must stay do not delay later ones', () => {
  const { step, left } = walkOver([...Array(7).fill([1, 1]), [1, 0], [1, 0], [1, 0], [150, 0], [1, 0]])
  const handled = Array.from({ length: 6 }, step)
  expect(left()).toEqual([1, 2, 3, 4, 5, 6, 7, 11, 12])
  // Steps that only read say that there is more, the last that there is not.
  expect(handled).toEqual([1, 1, 2, 1, 1, 1])
  expect(step()).toBe(0)
})

test('a row that must stay at first is deleted by a later scan', () => {
  const { step, left, release } = walkOver([
    [250, 0],
    [1, 1],
    [1, 0],
    [1, 0],
  ])
  expect([step(), step(), step()]).toEqual([1, 1, 0])
  expect(left()).toEqual([1, 2])
  release()
  expect([step(), step()]).toEqual([1, 0])
  expect(left()).toEqual([1])
})
