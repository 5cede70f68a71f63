import { expect, test, vi } from 'vitest'
import { runGroup } from '../../../src/storage/sqlite/groupCommit.ts'
import type { Call, VerbName } from '../../../src/storage/sqlite/messages.ts'
import { createStore } from '../../../src/storage/sqlite/store.ts'
import { verbTable } from '../../../src/storage/sqlite/verbs.ts'
import { openDatabase } from './database.ts'

function setUp() {
  const db = openDatabase()
  const store = createStore(db)
  const verbs = verbTable(store)
  const reallyExec = db.exec.bind(db)
  const exec = vi.spyOn(db, 'exec')
  const run = (calls: readonly [VerbName, unknown][]) =>
    runGroup(
      store,
      verbs,
      calls.map(([verb, params], i): Call => ({ id: i, verb, params })),
    )
  const statements = () => exec.mock.calls.map(([statement]) => statement)
  return { db, run, statements, exec, reallyExec }
}

const workspace = (publicId: string): [VerbName, unknown] => [
  'createWorkspace',
  { publicId, dialect: 'd', slug: publicId, name: '', now: 0 },
]

test('calls that wait together share one commit and are answered in order', () => {
  const { run, statements } = setUp()
  const replies = run([workspace('a'), ['reserveEventIds', { count: 5 }], workspace('b')])
  expect(replies).toMatchObject([{ id: 0 }, { id: 1, result: 1 }, { id: 2 }])
  expect(statements()).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
})

test('a call that throws takes only itself down', () => {
  const { run, db } = setUp()
  const replies = run([workspace('a'), workspace('b'), workspace('a'), workspace('c')])
  // The third has the public id of the first, but not its slug: that is a mistake and not a refusal.
  expect(replies.map((reply) => 'result' in reply)).toEqual([true, true, true, true])
  const clash: [VerbName, unknown] = [
    'createWorkspace',
    { publicId: 'a', dialect: 'd', slug: 'other', name: '', now: 0 },
  ]
  const after = run([workspace('d'), clash, workspace('e')])
  expect(after).toMatchObject([
    { id: 0, result: { publicId: 'd' } },
    { id: 1, failure: { unavailable: false, message: expect.stringContaining('SQLITE_CONSTRAINT') } },
    { id: 2, result: { publicId: 'e' } },
  ])
  expect(db.prepare('SELECT count(*) FROM workspaces').pluck().get()).toBe(5)
})

test('a group of nothing but reads needs no commit', () => {
  const { run, statements } = setUp()
  run([
    ['getWorkspace', { ref: 'x', dialect: null }],
    ['findKey', { hash: Uint8Array.of(1) }],
  ])
  expect(statements()).toEqual([])
})

test('when the commit itself fails, nothing is kept and every call fails', () => {
  const { db, run, exec, reallyExec } = setUp()
  exec.mockImplementation((statement) => {
    if (statement === 'COMMIT') throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' })
    return reallyExec(statement)
  })
  const failure = { unavailable: true, message: 'SQLITE_FULL: disk full' }
  expect(run([workspace('a'), workspace('b')])).toEqual([
    { id: 0, failure },
    { id: 1, failure },
  ])
  expect(db.inTransaction).toBe(false)
  expect(db.prepare('SELECT count(*) FROM workspaces').pluck().get()).toBe(0)
})
