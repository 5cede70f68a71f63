import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openConnection } from '../../../src/storage/sqlite/connection.ts'
import { runGroup } from '../../../src/storage/sqlite/groupCommit.ts'
import type { CallTable } from '../../../src/storage/sqlite/messages.ts'
import { createStore } from '../../../src/storage/sqlite/store.ts'
import { openDatabase } from './database.ts'

/** A reader whose listing of workspaces counts nodes before and after another thread has added one. */
function setUp() {
  const writer = openDatabase()
  const dataDir = path.dirname(writer.name)
  const reader = openConnection({ role: 'reader', dataDir, now: 0, maxPages: null, create: true })
  onTestFinished(() => {
    reader.close()
  })
  const count = reader.prepare<[], number>('SELECT count(*) FROM nodes').pluck()
  const list = (): unknown => {
    const before = count.get()
    writer.exec('INSERT INTO nodes (lease_until) VALUES (0)')
    return [before, count.get()]
  }
  const fail = () => {
    count.get()
    throw new Error('a listing that fails')
  }
  const table = { listWorkspaces: list, listKeys: fail } as unknown as CallTable
  return (...names: ('listWorkspaces' | 'listKeys')[]) => {
    const calls = names.map((name, id) => ({ id, name, params: null }))
    return runGroup(createStore(reader), table, () => calls.shift())
  }
}

test('a listing sees one state of the store, though another thread commits in between', () => {
  const run = setUp()
  expect(run('listWorkspaces')).toEqual([{ id: 0, result: [0, 0] }])
  expect(run('listWorkspaces')).toEqual([{ id: 0, result: [1, 1] }])
})

test('a failed listing leaves the next one the newest state', () => {
  const run = setUp()
  expect(run('listWorkspaces', 'listKeys')).toMatchObject([{ result: [1, 1] }, { failure: {} }])
  expect(run('listWorkspaces')).toEqual([{ id: 0, result: [2, 2] }])
})
