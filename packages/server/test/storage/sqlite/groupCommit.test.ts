import { expect, test, vi } from 'vitest'
import { callTable } from '../../../src/storage/sqlite/callTable.ts'
import { runGroup } from '../../../src/storage/sqlite/groupCommit.ts'
import type { Call, CallName } from '../../../src/storage/sqlite/messages.ts'
import { createStore } from '../../../src/storage/sqlite/store.ts'
import { openDatabase } from './database.ts'

function setUp() {
  const db = openDatabase()
  const store = createStore(db)
  const table = callTable(store)
  const reallyExec = db.exec.bind(db)
  const exec = vi.spyOn(db, 'exec')
  const run = (calls: readonly [CallName, unknown][], hasTime?: () => boolean) => {
    const waiting = calls.map(([name, params], i): Call => ({ id: i, name, params }))
    const group = () => runGroup(store, table, () => waiting.shift(), hasTime)
    if (hasTime !== undefined) return group()
    const replies = [...group()]
    // Those after a failed one are left to the next group.
    while (waiting.length > 0) replies.push(...group())
    return replies
  }
  const statements = () => exec.mock.calls.map(([statement]) => statement)
  return { db, run, statements, exec, reallyExec }
}

const workspace = (publicId: string): [CallName, unknown] => [
  'createWorkspace',
  { publicId, dialect: 'd', slug: publicId, name: '', now: 0 },
]

const webhook = {
  publicId: 'h',
  workspaceId: 1,
  url: '',
  createdBy: { type: 'key', publicId: 'k' },
  sealedSecret: Uint8Array.of(1),
  maxWebhooks: null,
  now: 0,
}

const event = {
  workspaceId: 1,
  type: 't',
  broughtId: null,
  broughtRowId: null,
  fingerprint: null,
  body: '{}',
  createdAt: 0,
  traceparent: null,
}

test('calls that wait together share one commit and are answered in order', () => {
  const { run, statements } = setUp()
  const replies = run([workspace('a'), ['reserveEventIds', { count: 5 }], workspace('b')])
  expect(replies).toMatchObject([{ id: 0 }, { id: 1, result: 1 }, { id: 2 }])
  expect(statements()).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
})

test('a group ends when its time is over, and the rest is not part of its commit', () => {
  const { run, statements, db } = setUp()
  let calls = 0
  const replies = run([workspace('a'), workspace('b'), workspace('c')], () => ++calls < 2)
  expect(replies).toMatchObject([{ id: 0 }, { id: 1 }])
  expect(statements()).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
  expect(db.prepare('SELECT public_id FROM workspaces').pluck().all()).toEqual(['a', 'b'])
})

test('a call that throws does not affect others', () => {
  const { run, db } = setUp()
  const replies = run([workspace('a'), workspace('b'), workspace('a'), workspace('c')])
  // The third has the public id of the first, but not its slug: that is a mistake and not a conflict.
  expect(replies.map((reply) => 'result' in reply)).toEqual([true, true, true, true])
  const clash: [CallName, unknown] = [
    'createWorkspace',
    { publicId: 'a', dialect: 'd', slug: 'other', name: '', now: 0 },
  ]
  const after = run([workspace('d'), clash, workspace('e')])
  expect(after).toMatchObject([
    { id: 0, result: { publicId: 'd' } },
    { id: 1, failure: { kind: 'wrong', message: expect.stringContaining('SQLITE_CONSTRAINT') } },
    { id: 2, result: { publicId: 'e' } },
  ])
  expect(db.prepare('SELECT count(*) FROM workspaces').pluck().get()).toBe(5)
})

test('a group of only reads needs no commit', () => {
  const { run, statements } = setUp()
  run([
    ['getWorkspace', { ref: 'x', dialects: null }],
    ['findKey', { hash: Uint8Array.of(1) }],
  ])
  expect(statements()).toEqual([])
})

test('when the commit itself fails, nothing is stored and every call fails', () => {
  const { db, run, exec, reallyExec } = setUp()
  exec.mockImplementation((statement) => {
    if (statement === 'COMMIT') throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' })
    return reallyExec(statement)
  })
  const failure = { kind: 'unavailable', message: 'SQLITE_FULL: disk full' }
  expect(run([workspace('a'), workspace('b')])).toEqual([
    { id: 0, failure },
    { id: 1, failure },
  ])
  expect(db.inTransaction).toBe(false)
  expect(db.prepare('SELECT count(*) FROM workspaces').pluck().get()).toBe(0)
})

test('a failed rollback is repeated before the next commit', () => {
  const { db, run, exec, reallyExec } = setUp()
  exec.mockImplementation((statement) => {
    if (statement !== 'BEGIN IMMEDIATE') throw Object.assign(new Error('no disk'), { code: 'SQLITE_IOERR' })
    return reallyExec(statement)
  })
  expect(run([workspace('a')])).toMatchObject([{ failure: { kind: 'unavailable' } }])
  expect(db.inTransaction).toBe(true)
  exec.mockImplementation(reallyExec)
  expect(run([workspace('b')])).toMatchObject([{ result: { publicId: 'b' } }])
  expect(db.prepare('SELECT public_id FROM workspaces').pluck().all()).toEqual(['b'])
})

test('reads of calls in a failed commit are discarded', () => {
  const { run, exec, reallyExec } = setUp()
  run([workspace('a')])
  run([['createWebhook', webhook]])
  const [registered] = run([['registerNode', { leaseMs: 1000 }]])
  const { nodeId } = (registered as { result: { nodeId: number } }).result
  const publish = (id: number): [CallName, unknown] => [
    'publish',
    { nodeId, batches: [[{ ...event, id }]], room: 10, keepInStore: [], maxFanout: 1_000_000 },
  ]
  exec.mockImplementationOnce(reallyExec).mockImplementationOnce(() => {
    throw new Error('this commit fails, and each call is repeated')
  })
  const disable = { workspaceId: 1, webhookId: 1, ifVersions: null, changes: { enabled: false }, now: 0 }
  expect(run([publish(1), ['updateWebhook', disable], publish(2)])).toMatchObject([
    { result: [{ leased: [{ webhookId: 1 }] }] },
    { result: { webhook: { status: 'off' } } },
    { result: [{ leased: [] }] },
  ])
})

test('a change rejected for its key does not affect the others of its commit', () => {
  const { run, statements } = setUp()
  const change = (publicId: string, fingerprint: number): [CallName, unknown] => {
    const [call, params] = workspace(publicId)
    const idempotency = {
      scope: 's',
      key: 'k',
      fingerprint: Uint8Array.of(fingerprint),
      responseData: null,
      responseDataUntil: null,
      since: 0,
    }
    return ['change', { call, params, audit: null, idempotency, now: 0 }]
  }
  const replies = run([change('a', 1), change('b', 2), workspace('c'), change('d', 1)])
  expect(replies).toMatchObject([
    { result: { repeated: false, result: { publicId: 'a' } } },
    { failure: { kind: 'key_reused' } },
    { result: { publicId: 'c' } },
    { result: { repeated: true, result: { publicId: 'a' } } },
  ])
  expect(statements()).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
})
