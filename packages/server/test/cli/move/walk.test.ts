import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { TableWithColumns } from '../../../src/storage/move/tables.ts'
import { type Chunk, FIRST_PLACE, LAST_PLACE, TableWalk } from '../../../src/storage/move/walk.ts'
import type { Connection } from '../../../src/storage/sqlite/connection.ts'
import { openDatabase } from '../../storage/sqlite/database.ts'

const AUDIT_LOG: TableWithColumns = {
  name: 'audit_log',
  walk: ['id'],
  columns: { id: 'integer', at: 'integer', action: 'text', actor_id: 'text', details: 'text' },
}
const IDEMPOTENCY_KEYS: TableWithColumns = {
  name: 'idempotency_keys',
  walk: ['created_at', 'scope', 'key'],
  columns: { scope: 'text', key: 'text', created_at: 'integer' },
}

/** The given number of entries, each with `length` characters of details. */
function auditLog(db: Connection, entries: number, length = 2): void {
  db.prepare(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO audit_log (id, at, action, actor_type, workspace_public_id, target_type, target_id, details)
    SELECT 2 * i, 0, 'a', 'operator', 'w', 'workspace', 'w', '{"a":"' || printf('%.*c', ?, 'x') || '"}' FROM n`).run(
    entries,
    length,
  )
}

/** Keys that were all stored at one of two instants. */
function idempotencyKeys(db: Connection, early: number, late: number): void {
  db.prepare(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO idempotency_keys SELECT 's', i, x'00', 'v', '{}', NULL, CASE WHEN i <= ? THEN 1000 ELSE 2000 END, NULL FROM n`).run(
    early + late,
    early,
  )
}

function chunksOf(walk: TableWalk): Chunk[] {
  const chunks: Chunk[] = []
  let chunk = walk.chunk(FIRST_PLACE)
  while (chunk !== null) {
    chunks.push(chunk)
    chunk = walk.chunk(chunk.through)
  }
  return chunks
}

test('chunks contain every row once, in order, up to a limit', () => {
  const db = openDatabase()
  auditLog(db, 12_345)
  const chunks = chunksOf(new TableWalk(db, AUDIT_LOG))
  expect(chunks.map(({ rows }) => rows)).toEqual([5_000, 5_000, 2_345])
  const ids = chunks.flatMap(({ columns }) => columns[0]!)
  expect(ids).toEqual(Array.from({ length: 12_345 }, (_, at) => 2 * (at + 1)))
})

test('a chunk of long rows ends by its bytes', () => {
  const db = openDatabase()
  auditLog(db, 10, 1_000_000)
  const chunks = chunksOf(new TableWalk(db, AUDIT_LOG))
  expect(chunks.map(({ rows }) => rows)).toEqual([5, 5])
})

test('rows with one position stay together, however many they are', () => {
  const db = openDatabase()
  idempotencyKeys(db, 7_000, 12_000)
  const walk = new TableWalk(db, IDEMPOTENCY_KEYS)
  expect(chunksOf(walk).map(({ rows, through }) => [rows, through])).toEqual([
    [7_000, 1000],
    [12_000, 2000],
  ])
  expect([...walk.ranges()].map(({ rows, after, through }) => [rows, after, through])).toEqual([
    [19_000, FIRST_PLACE, LAST_PLACE],
  ])
})

test('ranges cover every position, and each has its own digest', () => {
  const db = openDatabase()
  auditLog(db, 25_000)
  const ranges = [...new TableWalk(db, AUDIT_LOG).ranges()]
  expect(ranges.map(({ after, through, rows }) => [after, through, rows])).toEqual([
    [FIRST_PLACE, 20_000, 10_000],
    [20_000, 40_000, 10_000],
    [40_000, LAST_PLACE, 5_000],
  ])
  expect(new Set(ranges.map(({ digest }) => digest!.toString('hex'))).size).toBe(3)
})

test('a table without rows is one range without a digest', () => {
  const ranges = [...new TableWalk(openDatabase(), AUDIT_LOG).ranges()]
  expect(ranges).toEqual([{ after: FIRST_PLACE, through: LAST_PLACE, rows: 0, digest: null }])
})

test('a digest is of the text form of each row', () => {
  const db = openDatabase()
  auditLog(db, 1)
  const [range] = [...new TableWalk(db, AUDIT_LOG).ranges()]
  const words = '2 0 1:a - 10:{"a":"xx"}'
  const row = createHash('sha256').update(words).digest()
  expect(range!.digest).toEqual(createHash('sha256').update(row).digest())
})
