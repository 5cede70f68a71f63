import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptSql } from '../../../src/storage/postgres/queries/attemptRows.ts'
import { claimSql, pullInSql } from '../../../src/storage/postgres/queries/claim.ts'
import { fanoutSql, lateSql } from '../../../src/storage/postgres/queries/fanouts.ts'
import { leaseSql } from '../../../src/storage/postgres/queries/leases.ts'
import { repeatSql } from '../../../src/storage/postgres/queries/newEvents.ts'
import { nodeSql } from '../../../src/storage/postgres/queries/nodes.ts'
import { publishSql } from '../../../src/storage/postgres/queries/publishRows.ts'
import { recentSql } from '../../../src/storage/postgres/queries/recentEvents.ts'
import { expiredDaySql, retentionSql } from '../../../src/storage/postgres/queries/retention.ts'
import { matchSql } from '../../../src/storage/postgres/webhookMatcher.ts'
import { cancelSql } from '../../../src/storage/queries/cancel.ts'
import { deliveriesOfEvent } from '../../../src/storage/queries/candidates.ts'
import { consumerSql } from '../../../src/storage/queries/consumers.ts'
import { deliverySql } from '../../../src/storage/queries/deliveries.ts'
import { walkSql } from '../../../src/storage/queries/deliveryWalk.ts'
import { expirySql } from '../../../src/storage/queries/expiry.ts'
import { fanoutStepSql } from '../../../src/storage/queries/fanouts.ts'
import { feedSql } from '../../../src/storage/queries/feed.ts'
import { dayOf } from '../../../src/storage/queries/layout.ts'
import { manualSendSql } from '../../../src/storage/queries/manualSends.ts'
import { notificationSql } from '../../../src/storage/queries/notifications.ts'
import { overviewSql } from '../../../src/storage/queries/overviews.ts'
import { queueSql } from '../../../src/storage/queries/queue.ts'
import { replaySql } from '../../../src/storage/queries/replays.ts'
import { retrySql } from '../../../src/storage/queries/retries.ts'
import { searchSql } from '../../../src/storage/queries/search.ts'
import { sentSql } from '../../../src/storage/queries/sentRequests.ts'
import { stopSql } from '../../../src/storage/queries/stops.ts'
import { type Database, openDatabase } from './database.ts'
import { DAYS, fill, makeDays, timeOf } from './million.ts'
import { planOf } from './plans.ts'

/** Tables that may grow by millions before they have statistics. */
const GROWING = new Set([
  'events',
  'deliveries',
  'attempts',
  'waiting',
  'brought_ids',
  'recent_events',
  'fanouts',
])

interface Expected {
  /** How growing tables are read; days of a table have an index each, and count as one here. */
  readonly by: readonly string[]
  /** How many days are read: fewer than all if the parameter values allow it. */
  readonly days?: number
  /** Whether rows are in order without sorting. */
  readonly ordered?: boolean
  /** Parameters by position, where their values matter. */
  readonly values?: Readonly<Record<number, number>>
}

const [FROM, TO] = [timeOf(2), timeOf(3)]
const WITHIN = FROM + 1000
const BY_ID = { deliveries: 'deliveries_pkey', events: 'events_pkey', attempts: 'attempts_pkey' }
const OF_WEBHOOK = 'deliveries_webhook_id_created_at_id_idx'
const UNHEALTHY = 'deliveries_webhook_id_ended_badly_created_at_id_idx'
const FEED = 'events_workspace_id_xact_id_idx'

const within = (first: number, last: number) => ({ days: 1, values: { [first]: WITHIN, [last]: WITHIN } })

const plans: Readonly<Record<string, readonly [statement: string, expected: Expected]>> = {
  'matching webhooks': [matchSql.load, { by: [] }],
  'a repeat by its id': [repeatSql.byBroughtId, { by: ['brought_ids_pkey'] }],
  'a repeat by its row': [repeatSql.byRowId, { by: [BY_ID.events], days: DAYS }],
  'storing a batch': [publishSql.store, { by: [] }],
  'trimming lists of newest events': [recentSql.trim, { by: ['recent_events_pkey', 'their places'] }],
  'noting fan-outs': [fanoutSql.add, { by: [] }],
  'whose turn it is to fan out': [fanoutStepSql.turn.postgres, { by: ['fanouts_pkey'] }],
  'the oldest fan-outs of a workspace': [
    fanoutStepSql.oldest.postgres,
    { by: ['fanouts_pkey', BY_ID.events], days: DAYS, ordered: true },
  ],
  'making late deliveries': [lateSql.make, { by: [] }],
  'moving a fan-out on': [fanoutStepSql.move.postgres, { by: ['fanouts_pkey'] }],
  'the end of fan-outs': [fanoutStepSql.finish.postgres, { by: ['fanouts_pkey'] }],
  'dropping sets': [fanoutStepSql.dropSets.postgres, { by: ['fanouts_of_set'] }],
  'webhooks with due deliveries': [claimSql.webhooks, { by: ['waiting_pkey'] }],
  'picking due deliveries': [claimSql.pick, { by: ['waiting_pkey'] }],
  'taking deliveries': [claimSql.take, { by: [BY_ID.deliveries, BY_ID.events, 'their places'], days: DAYS }],
  'recording first successes': [attemptSql.succeedAtOnce, { by: [BY_ID.deliveries], days: DAYS }],
  'recording first successes on a condition': [attemptSql.succeedIf, { by: [BY_ID.deliveries], days: DAYS }],
  'locking what is recorded': [attemptSql.lock, { by: [BY_ID.deliveries], days: DAYS }],
  'recording any attempts': [attemptSql.record, { by: [BY_ID.deliveries], days: DAYS }],
  'giving deliveries back': [nodeSql.release, { by: [BY_ID.deliveries], days: DAYS }],
  'freeing leases': [leaseSql.free, { by: [BY_ID.deliveries], days: DAYS }],
  'what is held of some webhooks': [cancelSql.leased.postgres, { by: [BY_ID.deliveries], days: DAYS }],
  'canceling what is in flight': [cancelSql.cancelLeased.postgres, { by: [BY_ID.deliveries], days: DAYS }],
  'deliveries that are due too far off': [
    pullInSql.pullIn,
    { by: [BY_ID.deliveries, 'their places', 'waiting_pkey'], days: DAYS },
  ],
  'canceling what waits': [
    cancelSql.cancelWaiting.postgres,
    { by: [BY_ID.deliveries, 'their places', 'waiting_pkey'], days: DAYS },
  ],
  'the errors of a webhook': [
    notificationSql.lastErrors.postgres,
    { by: [BY_ID.attempts, OF_WEBHOOK], days: DAYS },
  ],
  'one delivery': [deliverySql.one.postgres, { by: [BY_ID.deliveries, BY_ID.events], days: DAYS }],
  'a page of deliveries': [
    deliverySql.page.postgres,
    { by: [BY_ID.deliveries, BY_ID.events], ...within(2, 3) },
  ],
  'the attempts of a page': [
    deliverySql.attempts.postgres,
    { by: [BY_ID.attempts, BY_ID.deliveries], ...within(2, 3) },
  ],
  'what a search must know': [
    searchSql.facts.postgres,
    { by: [BY_ID.deliveries, BY_ID.events], ...within(2, 3) },
  ],
  'what a search for codes must know': [
    searchSql.factsAndCodes.postgres,
    { by: [BY_ID.attempts, BY_ID.deliveries, BY_ID.events], ...within(2, 3) },
  ],
  'the deliveries of an event': [deliveriesOfEvent.postgres, { by: [OF_WEBHOOK], days: DAYS }],
  'what waits for webhooks that are searched': [searchSql.waiting.postgres, { by: ['waiting_pkey'] }],
  'what is leased of webhooks that are searched': [
    searchSql.leased.postgres,
    { by: [BY_ID.deliveries], days: DAYS },
  ],
  'the webhooks to search': [searchSql.webhooks.postgres, { by: [] }],
  'chunks of the log': [
    walkSql.all.earlier.postgres,
    { by: [OF_WEBHOOK], days: 1, ordered: true, values: { 3: FROM, 4: TO } },
  ],
  'chunks of the log within a millisecond': [
    walkSql.all.sameTime.postgres,
    { by: [OF_WEBHOOK], days: 1, ordered: true, values: { 3: FROM, 4: TO } },
  ],
  'chunks of what is unhealthy': [
    walkSql.dead.earlier.postgres,
    { by: [UNHEALTHY], days: 1, ordered: true, values: { 3: FROM, 4: TO } },
  ],
  'chunks of the log over all days': [
    walkSql.all.earlier.postgres,
    { by: [OF_WEBHOOK], days: DAYS, ordered: true, values: { 3: 0, 4: timeOf(DAYS) } },
  ],
  'the event of a delivery': [sentSql.event.postgres, { by: [BY_ID.events], days: 1, values: { 2: WITHIN } }],
  'events of a feed': [feedSql.after.postgres, { by: [FEED], days: DAYS, ordered: true }],
  'what a consumer has yet to acknowledge': [
    consumerSql.lags.postgres,
    { by: [FEED], days: DAYS, ordered: true },
  ],
  'times of events of a feed': [consumerSql.times.postgres, { by: [FEED], days: DAYS, ordered: true }],
  'a page of events': [feedSql.page.postgres, { by: [BY_ID.events], ...within(2, 3) }],
  'an event by its row': [feedSql.byId.postgres, { by: [BY_ID.events], days: DAYS }],
  'the newest events of a type': [
    feedSql.latest.postgres,
    { by: [BY_ID.events, FEED, 'recent_events_pkey'], days: DAYS },
  ],
  'the newest deliveries of webhooks': [
    overviewSql.latest.postgres,
    { by: [OF_WEBHOOK], days: DAYS, ordered: true },
  ],
  'the latest attempts of deliveries': [
    overviewSql.latestAttempts.postgres,
    { by: [BY_ID.attempts], ...within(3, 4), ordered: true },
  ],
  'what waits for webhooks': [overviewSql.waiting.postgres, { by: ['waiting_pkey'] }],
  'since when deliveries are to be created': [
    queueSql.beside.postgres,
    { by: ['fanouts_by_age', 'waiting_pkey'] },
  ],
  'a part of the queue': [queueSql.part.postgres, { by: ['waiting_pkey'] }],
  'what waits for a webhook behind a place': [queueSql.waitingOf.postgres, { by: ['waiting_pkey'] }],
  'the place of the last of these': [queueSql.lastOf.postgres, { by: ['waiting_pkey'] }],
  'what nodes hold': [overviewSql.leased.postgres, { by: [BY_ID.deliveries], days: DAYS }],
  'what a webhook missed': [stopSql.missed.postgres, { by: [FEED, OF_WEBHOOK], days: DAYS, ordered: true }],
  'a test': [manualSendSql.addDelivery.postgres, { by: [] }],
  'a delivery to send again': [
    deliverySql.lock.postgres,
    { by: [BY_ID.deliveries, BY_ID.events], days: DAYS },
  ],
  'new runs of deliveries': [manualSendSql.startRuns.postgres, { by: [BY_ID.deliveries], days: DAYS }],
  'a delivery to retry': [
    retrySql.one.postgres,
    { by: [BY_ID.deliveries, 'their places', 'waiting_pkey'], days: DAYS },
  ],
  'what to retry next': [
    retrySql.next.postgres,
    { by: [BY_ID.deliveries, 'their places', 'waiting_pkey'], days: DAYS },
  ],
  'what waits to be retried': [retrySql.pending.postgres, { by: ['waiting_pkey'] }],
  'what is due for a webhook': [replaySql.dueOf.postgres, { by: ['waiting_pkey'] }],
  'the dead of webhooks': [
    replaySql.dead.postgres,
    { by: [UNHEALTHY, BY_ID.events], days: DAYS, ordered: true, values: { 5: FROM, 3: TO } },
  ],
  'what waits of a day': [
    expiredDaySql.expireWaiting,
    { by: [BY_ID.deliveries, 'their places', 'waiting_by_age'], days: DAYS, values: { 1: FROM, 2: TO } },
  ],
  'what consumers lose with a day': [expiredDaySql.noteLost(dayOf(FROM)), { by: [FEED], days: 1 }],
  'whether a day is needed': [expiredDaySql.needed, { by: ['fanouts_by_age', 'waiting_by_age'] }],
  'old ids': [retentionSql.broughtIds, { by: ['brought_ids_by_age', 'their places'] }],
  'old lists of newest events': [retentionSql.recent, { by: ['recent_events_by_age', 'their places'] }],
  'deleted webhooks without deliveries': [expirySql.emptyWebhooks.postgres, { by: [OF_WEBHOOK], days: DAYS }],
}

/** Statements that name rows by id and time, and the positions of these parameters. */
const byPlace: Readonly<Record<string, readonly [statement: string, ids: number, times: number]>> = {
  'taking deliveries': [claimSql.take, 2, 3],
  'recording first successes': [attemptSql.succeedAtOnce, 3, 4],
  'locking what is recorded': [attemptSql.lock, 1, 2],
  'recording any attempts': [attemptSql.record, 2, 3],
  'giving deliveries back': [nodeSql.release, 1, 2],
  'canceling what is in flight': [cancelSql.cancelLeased.postgres, 1, 2],
  'new runs of deliveries': [manualSendSql.startRuns.postgres, 1, 2],
}

let database: Database
/** With the settings of the driver's connections. */
let client: pg.Client

beforeAll(async () => {
  database = await openDatabase()
  await makeDays(database)
  client = await database.connections.dedicated()
})
afterAll(async () => {
  await client.end()
  await database.close()
})

async function check(statement: string, { by, days, ordered, values = {} }: Expected): Promise<void> {
  const { scans, steps } = await planOf(client, statement, values)
  const growing = scans.filter(({ table }) => GROWING.has(table))
  const ways = growing.map(({ day, index, type }) => {
    if (type === 'Tid Scan') return 'their places'
    return (index ?? type).replace(`_${day}`, '')
  })
  expect([...new Set(ways)].sort()).toEqual([...by].sort())
  for (const scan of growing) if (scan.type !== 'Tid Scan') expect(scan.condition).not.toBeNull()
  expect(new Set(growing.flatMap(({ day }) => day ?? [])).size).toBe(days ?? 0)
  if (ordered) for (const step of steps) expect(step).not.toContain('Sort')
}

describe('in days that have just begun, whatever they will contain', () => {
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))
})

describe('among a million deliveries without statistics', () => {
  beforeAll(() => fill(database), 120_000)
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))
})

describe('among a million deliveries', () => {
  // Each webhook has canceled deliveries, for which its time is used.
  beforeAll(() => database.client.query('UPDATE webhooks SET canceled_through = 1, canceled_at = 1; ANALYZE'))
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))

  test('with very many', async () => {
    const { rows } = await database.client.query('SELECT count(*)::int AS count FROM deliveries')
    expect(rows).toEqual([{ count: 1_000_000 }])
  })

  test.each(Object.entries(byPlace))('%s: only in the day of a row', async (_, [statement, ids, times]) => {
    const { rows } = await database.client.query<{ id: string; created_at: string; day: string }>(
      `SELECT id, created_at, right(tableoid::regclass::text, 8) AS day FROM deliveries WHERE id = 600000`,
    )
    const { id, created_at: time, day } = rows[0]!
    const row = { [ids]: `array[${id}]::bigint[]`, [times]: `array[${time}]::bigint[]` }
    // Execution writes a trigger that a row may have.
    const values = statement.includes('ELSE $3 END') ? { ...row, 3: `'replay'`, 4: '2' } : row
    const { scans } = await planOf(client, statement, values, true)
    const begun = scans.filter((scan) => scan.table === 'deliveries' && scan.loops! > 0)
    expect(begun.map((scan) => scan.day)).toEqual([day])
  })
})

describe("when statistics were created before there were waiting deliveries and publishers' ids", () => {
  const queues = ['waiting', 'leases', 'brought_ids', 'recent_events']
  beforeAll(async () => {
    await database.client.query(`TRUNCATE ${queues.join()}`)
    for (const table of queues) await database.client.query(`ANALYZE ${table}`)
  })
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))
})
