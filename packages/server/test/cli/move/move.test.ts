import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { MOVED_TABLES } from '../../../src/storage/move/tables.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { LENIENT, World } from '../../storage/conformance/world.ts'
import { type Cast, makeHistory } from './history.ts'
import { Moving, PLACE } from './moving.ts'
import { readEverything } from './reading.ts'

async function withHistory(): Promise<{ readonly moving: Moving; readonly cast: Cast }> {
  let cast: Cast | undefined
  const moving = await Moving.prepare(async (storage) => {
    cast = await makeHistory(storage)
  })
  return { moving, cast: cast! }
}

interface Counters {
  readonly next_event_id: number
  readonly next_delivery_id: number
}

/** The moved store, with continued names and time. */
async function goneOn(moving: Moving, cast: Cast): Promise<World> {
  const w = new World(await moving.openMoved())
  w.now = cast.w.now
  // Names used by the history are taken.
  for (let used = 0; used < 100; used++) w.name('')
  return w
}

test('the history has rows of every table and deliveries of every kind', async () => {
  const { moving } = await withHistory()
  const [empty, statuses] = moving.sqlite((db) => [
    MOVED_TABLES.filter(({ name }) => db.prepare(`SELECT 1 FROM ${name}`).get() === undefined),
    db.prepare('SELECT DISTINCT status, lease IS NULL FROM deliveries ORDER BY 1, 2').raw().all(),
  ])
  expect(empty).toEqual([])
  expect(statuses).toEqual([
    ['canceled', 1],
    ['dead', 1],
    ['delivered', 1],
    ['failed', 1],
    ['pending', 0],
    ['pending', 1],
  ])
})

test('every column of either store is moved, except those that a store keeps for itself', async () => {
  const { moving } = await withHistory()
  await moving.run()
  const stays = { embedded: [] as string[], database: [] as string[] }
  for (const { name, sources = {}, from = name } of MOVED_TABLES) {
    const here = moving.sqlite((db) => db.prepare(`SELECT * FROM ${name}`).columns())
    const around = moving.sqlite((db) => db.prepare(`SELECT * FROM ${from}`).columns())
    const there = (await moving.postgres(`SELECT * FROM ${name} LIMIT 0`)).fields.map((field) => field.name)
    const filled = new Set([...around.map((column) => column.name), ...Object.keys(sources)])
    const taken = new Set([...there, ...Object.values(sources)])
    stays.embedded.push(
      ...here.map((column) => `${name}.${column.name}`).filter((full) => !taken.has(full.split('.')[1]!)),
    )
    stays.database.push(...there.filter((column) => !filled.has(column)).map((column) => `${name}.${column}`))
  }
  expect(stays).toEqual({
    embedded: ['events.first_delivery_id', 'events.delivery_count'],
    database: ['workspaces.webhooks_version', 'webhooks.changed_xact'],
  })
})

test('everything readable in a store reads the same after the move', async () => {
  const { moving } = await withHistory()
  const before = await moving.copyOpen()
  expect(await moving.run()).toBeGreaterThan(100)
  expect(await readEverything(await moving.openMoved())).toEqual(await readEverything(before))
})

describe('after the move', () => {
  test('pending deliveries continue, whichever node leased them, and ids continue after the last one', async () => {
    const { moving, cast } = await withHistory()
    const pending = moving.sqlite((db) =>
      db
        .prepare<[], number>(`
          SELECT d.id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
          WHERE d.status = 'pending' AND w.status = 'on' ORDER BY d.id`)
        .pluck()
        .all(),
    )
    const counters = moving.sqlite((db) => db.prepare<[], Counters>('SELECT * FROM store').get()!)
    await moving.run()
    const w = await goneOn(moving, cast)
    w.now += 1_000_000
    const nodeId = await w.node()
    expect((await w.claimedIds(nodeId)).sort((a, b) => a - b)).toEqual(pending)
    expect(await w.storage.reserveEventIds({ count: 1 })).toBe(counters.next_event_id)
    const [ref] = await w.leased(nodeId, cast.content)
    expect(ref!.deliveryId).toBe(counters.next_delivery_id)
    const result = await w.record(nodeId, [w.success(ref!)], LENIENT)
    expect(result.lost).toEqual([])
  })

  test('an unfinished fan-out continues', async () => {
    const { moving, cast } = await withHistory()
    await moving.run()
    const w = await goneOn(moving, cast)
    expect(await w.finishFanouts(500)).toBe(3)
    const made = await Promise.all(cast.crowd.map(async (webhook) => (await w.statuses(webhook)).length))
    expect(made).toEqual([667, 667, 667])
  })

  test('rows of every table get unused ids', async () => {
    const { moving, cast } = await withHistory()
    const largest = moving.sqlite((db) => ({
      webhook: db
        .prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'webhooks'`)
        .pluck()
        .get()!,
      member: db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'members'`).pluck().get()!,
    }))
    await moving.run()
    const w = await goneOn(moving, cast)
    expect((await w.webhook(cast.content)).id).toBe(largest.webhook + 1)
    expect((await w.member(cast.content)).id).toBe(largest.member + 1)
  })

  test('feeds continue: old positions keep their meaning, and new events come last', async () => {
    const { moving, cast } = await withHistory()
    const before = await moving.copyOpen()
    const feed = { workspaceId: cast.content.id, eventTypes: null, limit: 1000 }
    const { events: old, next } = await before.listEvents({ ...feed, after: null })
    await moving.run()
    const w = await goneOn(moving, cast)
    const [event] = await w.events(1, cast.content)
    await w.publish(await w.node(), [event!])
    await w.settled()
    for (const [at, { position }] of [...old.entries(), [old.length - 1, { position: next! }] as const]) {
      const { events } = await w.storage.listEvents({ ...feed, after: position })
      const expected = [...old.slice(at + 1).map(({ id }) => id), event!.id]
      expect(events.map(({ id }) => id)).toEqual(expected)
    }
  })

  test('the embedded store is not opened again, and says where it was moved to', async () => {
    const { moving } = await withHistory()
    await moving.run()
    const { dataDir } = moving
    await expect(openSqliteStorage({ dataDir, clock: systemClock })).rejects.toThrow(
      `the store in ${dataDir} was moved to ${PLACE} on `,
    )
  })

  test('a second move does nothing', async () => {
    const { moving } = await withHistory()
    await moving.run()
    const before = await moving.openMoved()
    const read = await readEverything(before)
    expect(await moving.run()).toBeNull()
    expect(await readEverything(before)).toEqual(read)
  })
})
