import { expect, test } from 'vitest'
import type { EventToPublish } from '../../src/engine/engine.ts'
import { EventIds } from '../../src/engine/publish/eventIds.ts'
import { makeEventRows } from '../../src/engine/publish/eventRows.ts'
import type { Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { toyDialect } from '../support/toyDialect.ts'
import { away, openCalls, settled, storageOf } from './fakes.ts'

function setUp() {
  const { calls, call } = openCalls<{ count: number }, number>()
  return { calls, eventIds: new EventIds(storageOf({ idKey: [1, 2, 3, 4], reserveEventIds: call })) }
}

const workspace: Workspace = {
  id: 8,
  publicId: 'toy-ws-8',
  dialect: 'toy',
  slug: 'box',
  name: 'Box',
  suspendedAt: null,
  createdAt: 0,
}

function event(fields: Partial<EventToPublish> = {}): EventToPublish {
  return {
    type: 'brick.stacked',
    broughtId: null,
    fingerprint: null,
    compose: (id, at) => `${id} at ${at}`,
    ...fields,
  }
}

test('ids come from one reserved block, and no id is used twice across blocks', async () => {
  const { calls, eventIds } = setUp()
  expect(eventIds.take(1)).toBeNull()
  const waiting = Promise.all([eventIds.reserve(1000), eventIds.reserve(1000), eventIds.reserve(1)])
  expect(calls.map(({ params }) => params.count)).toEqual([10_000])
  calls[0]!.resolve(50_000)
  expect(await waiting).toEqual([50_000, 51_000, 52_000])
  expect(eventIds.take(7_999)).toBe(52_001)
  expect(eventIds.take(1)).toBeNull()
  const next = eventIds.reserve(1)
  calls[1]!.resolve(90_000)
  expect(await next).toBe(90_000)
})

test('an unavailable store fails the waiting callers and is called again by the next', async () => {
  const { calls, eventIds } = setUp()
  const first = eventIds.reserve(1)
  calls[0]!.reject(away())
  await expect(first).rejects.toThrow('away')
  const second = eventIds.reserve(1)
  calls[1]!.resolve(0)
  expect(await second).toBe(0)
})

test('events get ids that map back to their rows, and bodies that contain them', async () => {
  const { calls, eventIds } = setUp()
  const clock = new ManualClock(5_000)
  const made = makeEventRows({
    eventIds,
    clock,
    dialect: toyDialect,
    workspace,
    events: [event(), event()],
    trace: null,
  })
  calls[0]!.resolve(300)
  const { rows, ids } = await made
  expect(rows.map(({ id }) => id)).toEqual([300, 301])
  expect(ids.map((id) => eventIds.resolve(toyDialect, id))).toEqual([300, 301])
  expect(rows[1]).toMatchObject({
    workspaceId: 8,
    broughtId: null,
    broughtRowId: null,
    fingerprint: null,
    body: `${ids[1]} at 5000`,
    createdAt: 5_000,
  })
})

test('an id of the publisher is kept, with a fingerprint, and its row if it was once created here', async () => {
  const { calls, eventIds } = setUp()
  const clock = new ManualClock(5_000)
  const ours = eventIds.format(toyDialect, { rowId: 77, createdAt: 4_000 })
  const events = [
    event({ broughtId: 'toy-evt-brick-1', fingerprint: Uint8Array.of(5) }),
    event({ broughtId: 'toy-evt-brick-1', fingerprint: Uint8Array.of(7) }),
    event({ broughtId: ours }),
  ]
  const made = makeEventRows({ eventIds, clock, dialect: toyDialect, workspace, events, trace: null })
  await settled()
  calls[0]!.resolve(300)
  const { rows, ids } = await made
  expect(ids).toEqual(['toy-evt-brick-1', 'toy-evt-brick-1', ours])
  expect(rows.map(({ broughtRowId }) => broughtRowId)).toEqual([null, null, 77])
  expect(rows.map(({ fingerprint }) => fingerprint)).toEqual([Uint8Array.of(5), Uint8Array.of(7), null])
})
