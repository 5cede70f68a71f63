import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../src/core/delivery.ts'
import type { StatusCodes } from '../../../src/core/statusCodes.ts'
import type { CallResult } from '../../../src/storage/callGroups.ts'
import { feedReader } from '../../../src/storage/queries/feed.ts'
import { replayQueries, stepReplays } from '../../../src/storage/queries/replays.ts'
import { searcher } from '../../../src/storage/queries/search.ts'
import type { Connection } from '../../../src/storage/sqlite/connection.ts'
import { createStore } from '../../../src/storage/sqlite/store.ts'
import { carryOutOn } from '../../../src/storage/sqlite/syncWork.ts'
import type { DeliveryPosition, EventPosition, ReplayPosition } from '../../../src/storage/storage.ts'
import { EVERYTHING } from '../../support/search.ts'
import { openDatabase } from './database.ts'

type Page = CallResult<'listEvents'>
type Found = CallResult<'searchDeliveries'>

// Calls with a limited number of rows, with limits so small that most calls meet them.

const TYPES = ['a', 'b'] as const

interface Row {
  readonly webhookId: number
  readonly status: DeliveryStatus
  readonly type: string
  readonly createdAt: number
  /** Of the latest attempt; `undefined`: there was none. */
  readonly code?: number | null | undefined
}

const webhookIds = fc.integer({ min: 1, max: 4 })
const FAILED = [null, 302, 404, 503]
const row = fc
  .record<Row>({
    webhookId: webhookIds,
    status: fc.constantFrom(...DELIVERY_STATUSES),
    type: fc.constantFrom(...TYPES),
    createdAt: fc.integer({ min: 1, max: 6 }),
  })
  .chain((one) => fc.constantFrom(...codesOf(one.status)).map((code) => ({ ...one, code })))
const rows = fc.array(row, { maxLength: 25 })
const bound = fc.integer({ min: 1, max: 6 })
/** Mostly `null`, so that most filters match something. */
const orNull = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

/** Codes of older attempts are not indexed. */
const CODES_SINCE = 4

/** A database with one workspace, four webhooks, and the rows that a test adds. */
function fill(db: Connection, canceledThrough: readonly (number | null)[]) {
  db.exec(`
    DELETE FROM search_codes; UPDATE store SET codes_since = ${CODES_SINCE};
    DELETE FROM attempts; DELETE FROM deliveries; DELETE FROM events; DELETE FROM webhooks; DELETE FROM workspaces;
    INSERT INTO workspaces (id, public_id, dialect, slug, name, created_at) VALUES (1, 'ws', 'toy', 'ws', '', 0)`)
  const insertWebhook = db.prepare(`
    INSERT INTO webhooks (id, public_id, workspace_id, url, event_types, description, status, created_by_type,
      created_by_public_id, created_at, updated_at, version, canceled_through, canceled_at)
    VALUES (@id, 'wh' || @id, 1, '', '[]', '', 'on', 'key', '', 0, 0, 1, @through, iif(@through, 7, NULL))`)
  for (const [index, through] of canceledThrough.entries()) insertWebhook.run({ id: index + 1, through })
  const insertEvent = db.prepare(`
    INSERT INTO events (id, workspace_id, type, body, created_at, first_delivery_id, delivery_count, seq)
    VALUES (@id, 1, @type, '', @createdAt, @id, 1, @id)`)
  const insertDelivery = db.prepare(`
    INSERT INTO deliveries (id, event_id, webhook_id, status, attempts, trigger, run_start, next_attempt_at,
      created_at, finished_at, first_started_at, first_status_code)
    VALUES (@id, @id, @webhookId, @status, @attempts, 'schedule', 0, iif(@status = 'pending', 1, NULL),
      @createdAt, iif(@status = 'pending', NULL, 1), iif(@status = 'delivered', 1, NULL),
      iif(@status = 'delivered', @code, NULL))`)
  const insertAttempt = db.prepare(`
    INSERT INTO attempts (delivery_id, number, trigger, started_at, duration_ms, status_code)
    VALUES (@id, 1, 'schedule', 1, 1, @code)`)
  const insertCode = db.prepare(`
    INSERT OR IGNORE INTO search_codes (webhook_id, code, created_at, delivery_id) VALUES (@webhookId, @code, @createdAt, @id)`)
  let id = 0
  return (added: readonly Row[]) => {
    for (const one of added) {
      id++
      insertEvent.run({ id, type: one.type, createdAt: one.createdAt })
      const tried = one.code !== undefined
      insertDelivery.run({ id, ...one, attempts: tried ? 1 : 0, code: one.code ?? null })
      if (!tried || one.status === 'delivered') continue
      insertAttempt.run({ id, code: one.code })
      if (one.createdAt < CODES_SINCE) continue
      const code = one.code ?? 0
      for (const under of [code, Math.floor(code / 100)]) insertCode.run({ ...one, id, code: under })
    }
  }
}

/** Possible codes of the latest attempt. */
function codesOf(status: DeliveryStatus): readonly (number | null | undefined)[] {
  if (status === 'delivered') return [200, 204]
  // Waiting or canceled deliveries may have been delivered before, and be sent once more.
  return status === 'failed' || status === 'dead' ? FAILED : [undefined, 200, ...FAILED]
}

function hasCode({ code }: Row, codes: StatusCodes): boolean {
  if (code === undefined) return false
  if (codes === 'none' || code === null) return codes === 'none' && code === null
  return codes.from <= code && code <= codes.to
}

const filters = fc.record({
  statusCodes: orNull(
    fc.constantFrom<StatusCodes[]>(
      'none',
      { from: 200, to: 299 },
      { from: 400, to: 499 },
      { from: 503, to: 503 },
    ),
  ),
  /** Index of the first rows, each of a different event. */
  eventOf: orNull(fc.nat(25)),
  webhookId: orNull(webhookIds),
  status: orNull(fc.constantFrom(...DELIVERY_STATUSES)),
  eventTypes: orNull(fc.subarray([...TYPES], { minLength: 1 })),
  text: fc.constant(null),
  deliveryId: fc.constant(null),
  from: orNull(fc.nat(7)),
  to: orNull(fc.nat(7)),
  limit: bound,
})

test('a search reads a limited number of rows in a call, and over its calls skips and repeats nothing', () => {
  const db = openDatabase()
  const carryOut = carryOutOn(createStore(db))
  const marks = fc.array(orNull(fc.integer({ min: 1, max: 25 })), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(
      rows,
      rows,
      marks,
      filters,
      bound,
      (early, late, canceledThrough, { eventOf, ...wanted }, maxLooked) => {
        const of = eventOf === null ? undefined : early[eventOf]
        const event = of === undefined ? null : { id: eventOf! + 1, createdAt: of.createdAt }
        const add = fill(db, canceledThrough)
        add(early)
        const search = searcher({ maxLooked })
        const listed = (delivery: Row, index: number) => ({ ...delivery, id: index + 1 })
        const shown = ({ id, webhookId, status }: ReturnType<typeof listed>) =>
          status === 'pending' && id <= (canceledThrough[webhookId - 1] ?? 0) ? 'canceled' : status
        const matching = (all: readonly Row[]) =>
          all
            .map(listed)
            .filter(
              (delivery) =>
                (wanted.webhookId ?? delivery.webhookId) === delivery.webhookId &&
                (wanted.status ?? shown(delivery)) === shown(delivery) &&
                (wanted.eventTypes ?? [delivery.type]).includes(delivery.type) &&
                (wanted.statusCodes === null || hasCode(delivery, wanted.statusCodes)) &&
                (event ?? delivery).id === delivery.id &&
                delivery.createdAt >= (wanted.from ?? 0) &&
                delivery.createdAt < (wanted.to ?? 100),
            )
            .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
        const found: number[] = []
        let due = matching(early).map(({ id }) => id)
        let before: DeliveryPosition | null = null
        for (let calls = 1; ; calls++) {
          const page: Found = carryOut(search({ workspaceId: 1, ...wanted, event, before }))
          expect(page.deliveries.length).toBeLessThanOrEqual(Math.min(wanted.limit, maxLooked))
          found.push(...page.deliveries.map(({ id }) => id))
          const last: DeliveryPosition | null = page.next
          if (last === null) break
          // Every call makes progress, so that their number is limited by the rows.
          expect(calls).toBeLessThanOrEqual(early.length + late.length)
          before = last
          if (calls > 1) continue
          add(late)
          const known = new Set(due)
          due = matching([...early, ...late])
            .filter(({ id, createdAt }) => known.has(id) || isOlder({ id, createdAt }, last))
            .map(({ id }) => id)
        }
        expect(found).toEqual(due)
      },
    ),
    { numRuns: 300 },
  )
}, 120_000)

test('a search that stops at its limit says where', () => {
  const db = openDatabase()
  const carryOut = carryOutOn(createStore(db))
  const add = fill(db, [null])
  add(
    Array.from({ length: 9 }, (_, i) => ({
      webhookId: 1,
      status: 'delivered',
      type: 'a',
      createdAt: i,
      code: 200,
    })),
  )
  const search = searcher({ maxLooked: 4 })
  const filter = { ...EVERYTHING, webhookId: 1, statusCodes: { from: 204, to: 204 }, limit: 10 }
  const nexts = []
  let before: DeliveryPosition | null = null
  do {
    before = carryOut(search({ workspaceId: 1, ...filter, before })).next
    nexts.push(before)
  } while (before !== null)
  expect(nexts).toEqual([{ createdAt: 5, id: 6 }, { createdAt: 1, id: 2 }, null])
})

test('a reader of one type reads a limited number of events in a call, and over its calls misses none', () => {
  const db = openDatabase()
  const carryOut = carryOutOn(createStore(db))
  fc.assert(
    fc.property(rows, bound, bound, (all, limit, maxLooked) => {
      fill(db, [null, null, null, null])(all)
      const read = feedReader(maxLooked)
      const seen: number[] = []
      let after: EventPosition | null = null
      for (let more = true; more; ) {
        const page: Page = carryOut(read({ workspaceId: 1, eventTypes: ['a'], after, limit }))
        expect((page.next?.[0] ?? 0) - (after?.[0] ?? 0)).toBeLessThanOrEqual(maxLooked)
        expect(page.events.length).toBeLessThanOrEqual(limit)
        seen.push(...page.events.map(({ id }) => id))
        after = page.next
        more = page.more
      }
      expect(seen).toEqual(all.flatMap(({ type }, index) => (type === 'a' ? [index + 1] : [])))
      expect(after).toEqual(all.length === 0 ? null : [all.length])
    }),
  )
})

test('a count reads a limited number of rows in each part', () => {
  const db = openDatabase()
  const carryOut = carryOutOn(createStore(db))
  const add = fill(db, [null, null])
  const dead = (webhookId: number, type: string) => ({
    webhookId,
    type,
    status: 'dead' as const,
    createdAt: 1,
  })
  add([dead(1, 'a'), dead(1, 'b'), dead(1, 'b'), dead(2, 'b'), dead(2, 'a')])
  const filter = {
    workspaceId: 1,
    webhookId: 1,
    statuses: ['dead'],
    eventTypes: ['a'],
    from: null,
    to: null,
    now: Number.MAX_SAFE_INTEGER,
  } as const
  const { work } = replayQueries.countReplayable
  const parts = (limit: number) => {
    const counts: number[] = []
    let after: ReplayPosition | null = null
    do {
      const part: CallResult<'countReplayable'> = carryOut(work({ ...filter, limit, after }))
      counts.push(part.count)
      after = part.next
    } while (after !== null)
    return counts
  }
  // Three deliveries, their webhook and the end.
  expect(parts(5)).toEqual([1])
  expect(parts(4)).toEqual([1, 0])
  expect(parts(2)).toEqual([1, 0, 0])
})

test('a step of a replay visits a limited number of webhooks, which count among its rows', () => {
  const db = openDatabase()
  const carryOut = carryOutOn(createStore(db))
  const add = fill(db, [null, null, null, null])
  add([{ webhookId: 4, status: 'dead', type: 'a', createdAt: 1 }])
  db.exec(
    `INSERT INTO replays (public_id, workspace_id, max, total, created_at) VALUES ('replay', 1, 5, 1, 1)`,
  )
  const position = db.prepare('SELECT at_webhook_id, replayed, finished_at FROM replays').raw()
  const step = (limit: number) => carryOut(stepReplays({ now: 9, limit })).looked
  expect([step(2), position.get()]).toEqual([2, [3, 0, null]])
  expect([step(2), position.get()]).toEqual([2, [4, 1, null]])
  expect([step(9), position.get()]).toEqual([2, [5, 1, 9]])
  expect(step(9)).toBe(0)
})

function isOlder(a: DeliveryPosition, b: DeliveryPosition): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt
}
