import { describe, expect, test } from 'vitest'
import { MOVED_TABLES } from '../../../src/storage/move/tables.ts'
import { StoreOpenError } from '../../../src/storage/storage.ts'
import { World } from '../../storage/conformance/world.ts'
import { makeHistory } from './history.ts'
import { Moving } from './moving.ts'
import { readEverything } from './reading.ts'

const withHistory = () => Moving.prepare(async (storage) => void (await makeHistory(storage)))

/** Reports that this table has been copied. */
const copied = (table: string) => `copied ${table}:`

async function stopAt(moving: Moving, text: string): Promise<void> {
  await expect(moving.run({ stopAt: text })).rejects.toThrow(`stopped at ${text}`)
}

test('stopped after each table in turn, it continues there and ends as if it had never stopped', async () => {
  const moving = await withHistory()
  const before = await moving.copyOpen()
  for (const { name } of MOVED_TABLES) await stopAt(moving, copied(name))
  await stopAt(moving, 'compared waiting')
  await moving.run()
  expect(await readEverything(await moving.openMoved())).toEqual(await readEverything(before))
})

test('stopped between its last two steps, it leaves a store that cannot be served in either place', async () => {
  const moving = await withHistory()
  const before = await moving.copyOpen()
  await stopAt(moving, 'compared waiting')
  // The changes of the last run of a process that was killed there.
  moving.sqlite((db) => db.prepare(`INSERT INTO moved VALUES (1, 'somewhere', 0)`).run())
  await expect(moving.openMoved()).rejects.toThrow('is not finished: run posthorn move again')
  await expect(moving.serve(async () => {})).rejects.toThrow('was moved to somewhere on 1970-01-01')
  await moving.run()
  expect(await readEverything(await moving.openMoved())).toEqual(await readEverything(before))
})

test('a store served in between is copied again', async () => {
  const moving = await withHistory()
  await stopAt(moving, copied('deliveries'))
  await moving.serve(async (storage) => {
    const w = new World(storage)
    const nodeId = await w.node()
    await storage.rescueDeliveries({ byNodeId: nodeId })
    w.now = Date.now()
    const { deliveries } = await w.claim(nodeId)
    await w.record(
      nodeId,
      deliveries.map(({ id: deliveryId, webhookId, attempts, trigger }) =>
        w.success({ deliveryId, webhookId }, { number: attempts + 1, trigger }),
      ),
    )
  })
  const before = await moving.copyOpen()
  await moving.run()
  expect(await readEverything(await moving.openMoved())).toEqual(await readEverything(before))
})

describe('while a move is unfinished', () => {
  test('the database cannot be opened, and a node that had it open can neither begin to serve nor continue', async () => {
    const moving = await withHistory()
    const early = await moving.openMoved()
    await stopAt(moving, copied('keys'))
    await expect(moving.openMoved()).rejects.toThrow(StoreOpenError)
    await expect(early.registerNode({ leaseMs: 1000 })).rejects.toThrow('a store is being moved')
  })

  test('no other store is moved to the same place', async () => {
    const [moving, other] = [await withHistory(), await withHistory()]
    await stopAt(moving, copied('keys'))
    await expect(other.run({ into: moving.schema })).rejects.toThrow('the move of another store')
    await moving.run()
    await expect(other.run({ into: moving.schema })).rejects.toThrow(
      'already has a store (rows in workspaces, members, keys,',
    )
  })
})

describe('differences at the end are reported by table and position', () => {
  const inDatabase = (statement: string) => (moving: Moving) => moving.postgres(statement)
  const inFile = (statement: string) => (moving: Moving) => moving.sqlite((db) => db.prepare(statement).run())

  const tampered: readonly [table: string, change: (moving: Moving) => unknown][] = [
    ['events', inDatabase(`UPDATE events SET body = body || ' ' WHERE id = (SELECT max(id) FROM events)`)],
    ['deliveries', inDatabase('UPDATE deliveries SET attempts = attempts + 1')],
    ['waiting', inDatabase('UPDATE waiting SET due_at = due_at + 1')],
    ['brought_ids', inDatabase('DELETE FROM brought_ids')],
    [
      'secrets',
      inDatabase('UPDATE secrets SET sealed = sealed || sealed WHERE id = (SELECT max(id) FROM secrets)'),
    ],
    ['manual_sends', inDatabase('INSERT INTO manual_sends (id, workspace_id, sent_at) VALUES (77, 1, 0)')],
    ['attempts', inFile(`UPDATE attempts SET error_message = 'No.'`)],
    ['webhooks', inFile('UPDATE webhooks SET version = 9')],
    ['keys', inFile(`UPDATE keys SET hash = x'00' WHERE id = 1`)],
  ]

  test.each(tampered)('%s', async (table, change) => {
    const moving = await withHistory()
    await stopAt(moving, copied('idempotency_keys'))
    await change(moving)
    await expect(moving.run()).rejects.toThrow(`${table} differ`)
    await expect(moving.openMoved()).rejects.toThrow('is not finished')
    const before = await moving.copyOpen()
    await moving.run({ startOver: true })
    expect(await readEverything(await moving.openMoved())).toEqual(await readEverything(before))
  })
})
