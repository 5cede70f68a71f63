import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../src/core/delivery.ts'
import { DAY_MS } from '../../../src/core/duration.ts'
import type { StatusCodes } from '../../../src/core/statusCodes.ts'
import { carryOutOn } from '../../../src/storage/postgres/asyncWork.ts'
import type { CallParams, CallResult } from '../../../src/storage/postgres/call.ts'
import { feedReader } from '../../../src/storage/queries/feed.ts'
import { replayQueries, stepReplays } from '../../../src/storage/queries/replays.ts'
import { searcher } from '../../../src/storage/queries/search.ts'
import type { DeliveryPosition, EventPosition, ReplayPosition } from '../../../src/storage/storage.ts'
import { EVERYTHING } from '../../support/search.ts'
import { type Database, openDatabase } from './database.ts'

type Page = CallResult<'listEvents'>
type Found = CallResult<'searchDeliveries'>

// Calls with a limited number of rows, with limits so small that most calls meet them, over several days.

const TYPES = ['a', 'b'] as const
const START = Date.UTC(2026, 0, 1)
/** Two of these times are in each day. */
const LAST_TIME = 6
const timeOf = (half: number): number => START + (half * DAY_MS) / 2

interface Row {
  readonly webhookId: number
  readonly status: DeliveryStatus
  readonly type: string
  readonly createdAt: number
  /** Of the latest attempt; `undefined`: there was none. */
  readonly code?: number | null | undefined
}

const webhookIds = fc.integer({ min: 1, max: 4 })
const time = fc.nat(LAST_TIME).map(timeOf)
const FAILED = [null, 302, 404, 503]
const row = fc
  .record<Row>({
    webhookId: webhookIds,
    status: fc.constantFrom(...DELIVERY_STATUSES),
    type: fc.constantFrom(...TYPES),
    createdAt: time,
  })
  .chain((one) => fc.constantFrom(...codesOf(one.status)).map((code) => ({ ...one, code })))
const rows = fc.array(row, { maxLength: 25 })
const bound = fc.integer({ min: 1, max: 6 })
/** Mostly `null`, so that most searches find something. */
const orNull = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

const NO_MARKS = [null, null, null, null]

/** Codes of older attempts are not indexed. */
const CODES_SINCE = timeOf(2)

/**
 * A store with one workspace, four webhooks, and the rows that a test adds. @returns a function that adds
 * some
 */
async function fill({ client }: Database, canceledThrough: readonly (number | null)[]) {
  await client.query(`
    DELETE FROM search_codes; UPDATE store SET codes_since = ${CODES_SINCE};
    DELETE FROM attempts; DELETE FROM waiting; DELETE FROM deliveries; DELETE FROM events; DELETE FROM webhooks; DELETE FROM workspaces;
    INSERT INTO workspaces (id, public_id, dialect, slug, name, created_at) VALUES (1, 'ws', 'toy', 'ws', '', 0)`)
  await client.query(
    `INSERT INTO webhooks (id, public_id, workspace_id, url, event_types, description, status, created_by_type,
       created_by_public_id, created_at, updated_at, version, canceled_through, canceled_at)
     SELECT n, 'wh' || n, 1, '', '[]', '', 'on', 'key', '', 0, 0, 1, through, CASE WHEN through > 0 THEN 7 END
     FROM unnest($1::bigint[]) WITH ORDINALITY AS x (through, n)`,
    [canceledThrough],
  )
  let known = 0
  return async (added: readonly Row[]) => {
    await client.query(
      `WITH x AS (
         SELECT $1::bigint + n AS id, webhook_id, status, type, created_at, tried, code
         FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::boolean[], $7::int[]) WITH ORDINALITY
           AS x (webhook_id, status, type, created_at, tried, code, n)),
       event AS (
         INSERT INTO events (id, workspace_id, type, body, created_at, xact) SELECT id, 1, type, '', created_at, 1 FROM x),
       attempt AS (
         INSERT INTO attempts (delivery_id, created_at, number, trigger, started_at, duration_ms, status_code)
         SELECT id, created_at, 1, 'schedule', 1, 1, code FROM x WHERE tried AND status <> 'delivered')
       INSERT INTO deliveries (id, created_at, event_id, webhook_id, next_attempt_at, finished_at, attempts, run_start,
         status, trigger, first_started_at, first_status_code, ended_badly)
       SELECT id, created_at, id, webhook_id, CASE status WHEN 'pending' THEN 1 END,
         CASE status WHEN 'pending' THEN NULL ELSE 1 END, tried::int, 0, status, 'schedule',
         CASE status WHEN 'delivered' THEN 1 END, CASE status WHEN 'delivered' THEN code END,
         CASE WHEN status IN ('failed', 'dead', 'canceled') THEN status
           WHEN status = 'pending' AND tried THEN 'retrying' END
       FROM x`,
      [
        known,
        added.map(({ webhookId }) => webhookId),
        added.map(({ status }) => status),
        added.map(({ type }) => type),
        added.map(({ createdAt }) => createdAt),
        added.map(({ code }) => code !== undefined),
        added.map(({ code }) => code ?? null),
      ],
    )
    await client.query(
      `INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
       SELECT webhook_id, next_attempt_at, id, created_at FROM deliveries WHERE status = 'pending' AND id > $1`,
      [known],
    )
    await client.query(
      `INSERT INTO search_codes (webhook_id, code, created_at, delivery_id)
       SELECT DISTINCT d.webhook_id, under, d.created_at, d.id
       FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
         CROSS JOIN unnest(ARRAY[coalesce(a.status_code, 0), coalesce(a.status_code, 0) / 100]) under
       WHERE d.id > $1 AND d.created_at >= ${CODES_SINCE}`,
      [known],
    )
    known += added.length
  }
}

async function openWithDays(): Promise<Database> {
  const database = await openDatabase()
  onTestFinished(() => database.close())
  await database.partitions.ensure(Array.from({ length: LAST_TIME + 1 }, (_, half) => timeOf(half)))
  return database
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

const search = fc.record({
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
  from: orNull(time),
  to: orNull(time),
  limit: bound,
})

test('a search reads a limited number of rows in a call, and over its calls skips and repeats nothing', async () => {
  const database = await openWithDays()
  const carryOut = carryOutOn(database)
  const marks = fc.array(orNull(fc.integer({ min: 1, max: 25 })), { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(rows, rows, marks, search, fc.record({ maxLooked: bound, firstSteps: bound })),
      async ([early, late, canceledThrough, { eventOf, ...wanted }, { maxLooked, firstSteps }]) => {
        const of = eventOf === null ? undefined : early[eventOf]
        const event = of === undefined ? null : { id: eventOf! + 1, createdAt: of.createdAt }
        const add = await fill(database, canceledThrough)
        await add(early)
        const find = searcher({ maxLooked, firstSteps })
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
                delivery.createdAt < (wanted.to ?? Number.MAX_SAFE_INTEGER),
            )
            .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
        const found: number[] = []
        let due = matching(early).map(({ id }) => id)
        let before: DeliveryPosition | null = null
        for (let calls = 1; ; calls++) {
          const params = { workspaceId: 1, ...wanted, event, before }
          const page: Found = await database.snapshot((tx) => carryOut(tx, find(params)))
          expect(page.deliveries.length).toBeLessThanOrEqual(Math.min(wanted.limit, maxLooked))
          found.push(...page.deliveries.map(({ id }) => id))
          const last: DeliveryPosition | null = page.next
          if (last === null) break
          // Every call makes progress, so that their number is limited by the rows.
          expect(calls).toBeLessThanOrEqual(early.length + late.length)
          before = last
          if (calls > 1) continue
          await add(late)
          const known = new Set(due)
          due = matching([...early, ...late])
            .filter(({ id, createdAt }) => known.has(id) || isOlder({ id, createdAt }, last))
            .map(({ id }) => id)
        }
        expect(found).toEqual(due)
      },
    ),
    { numRuns: 200 },
  )
}, 120_000)

test('a search that stops at its limit says where', async () => {
  const database = await openWithDays()
  const carryOut = carryOutOn(database)
  const add = await fill(database, NO_MARKS)
  const deliveries = Array.from({ length: 9 }, (_, i) => ({ type: 'a', createdAt: START + i }))
  await add(deliveries.map((delivery) => ({ ...delivery, webhookId: 1, status: 'delivered', code: 200 })))
  const find = searcher({ maxLooked: 4 })
  const filter = { ...EVERYTHING, webhookId: 1, statusCodes: { from: 204, to: 204 }, limit: 10 }
  const nexts = []
  let before: DeliveryPosition | null = null
  do {
    const params: CallParams<'searchDeliveries'> = { workspaceId: 1, ...filter, before }
    const page = await database.snapshot((tx) => carryOut(tx, find(params)))
    before = page.next
    nexts.push(before)
  } while (before !== null)
  expect(nexts).toEqual([{ createdAt: START + 5, id: 6 }, { createdAt: START + 1, id: 2 }, null])
})

test('a reader of one type reads a limited number of events in a call, and over its calls misses none', async () => {
  const database = await openWithDays()
  const carryOut = carryOutOn(database)
  await fc.assert(
    fc.asyncProperty(rows, bound, bound, async (all, limit, maxLooked) => {
      await (await fill(database, NO_MARKS))(all)
      const read = feedReader(maxLooked)
      const seen: number[] = []
      let after: EventPosition | null = null
      for (let more = true; more; ) {
        const params = { workspaceId: 1, eventTypes: ['a'], after, limit }
        const page: Page = await database.snapshot((tx) => carryOut(tx, read(params)))
        // All are of one transaction, so that only the rows show its progress.
        expect((page.next?.[1] ?? 0) - (after?.[1] ?? 0)).toBeLessThanOrEqual(maxLooked)
        expect(page.events.length).toBeLessThanOrEqual(limit)
        seen.push(...page.events.map(({ id }) => id))
        after = page.next
        more = page.more
      }
      expect(seen).toEqual(all.flatMap(({ type }, index) => (type === 'a' ? [index + 1] : [])))
      expect(after).toEqual(all.length === 0 ? null : [1, all.length])
    }),
  )
}, 60_000)

const dead = (webhookId: number, type: string): Row => ({
  webhookId,
  type,
  status: 'dead',
  createdAt: START,
})

test('a count reads a limited number of rows in each part', async () => {
  const database = await openWithDays()
  const carryOut = carryOutOn(database)
  const add = await fill(database, NO_MARKS)
  await add([dead(1, 'a'), dead(1, 'b'), dead(1, 'b'), dead(2, 'b'), dead(2, 'a')])
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
  const parts = async (limit: number) => {
    const counts: number[] = []
    let after: ReplayPosition | null = null
    do {
      const part: CallResult<'countReplayable'> = await database.snapshot((tx) =>
        carryOut(tx, work({ ...filter, limit, after })),
      )
      counts.push(part.count)
      after = part.next
    } while (after !== null)
    return counts
  }
  // Three deliveries, their webhook and the end.
  expect(await parts(5)).toEqual([1])
  expect(await parts(4)).toEqual([1, 0])
  expect(await parts(2)).toEqual([1, 0, 0])
})

test('a step of a replay visits a limited number of webhooks, which count among its rows', async () => {
  const database = await openWithDays()
  const carryOut = carryOutOn(database)
  await (await fill(database, NO_MARKS))([dead(4, 'a')])
  await database.client.query(
    `INSERT INTO replays (public_id, workspace_id, max, total, created_at) VALUES ('replay', 1, 5, 1, 1)`,
  )
  const step = async (limit: number) =>
    (await database.write((tx) => carryOut(tx, stepReplays({ now: 9, limit })))).looked
  const position = async () => {
    const text = 'SELECT at_webhook_id::int, replayed::int, finished_at::int FROM replays'
    return (await database.client.query({ text, rowMode: 'array' })).rows[0]
  }
  expect([await step(2), await position()]).toEqual([2, [3, 0, null]])
  expect([await step(2), await position()]).toEqual([2, [4, 1, null]])
  expect([await step(9), await position()]).toEqual([2, [5, 1, 9]])
  expect(await step(9)).toBe(0)
})

function isOlder(a: DeliveryPosition, b: DeliveryPosition): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt
}
