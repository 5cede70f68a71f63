import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptSql } from '../../../src/storage/postgres/areas/attemptRows.ts'
import { auditSql } from '../../../src/storage/postgres/areas/audit.ts'
import { browserSessionSql } from '../../../src/storage/postgres/areas/browserSessions.ts'
import { cancelSql } from '../../../src/storage/postgres/areas/cancel.ts'
import { claimSql } from '../../../src/storage/postgres/areas/claim.ts'
import { recordSql } from '../../../src/storage/postgres/areas/deliveryRecords.ts'
import { walkSql } from '../../../src/storage/postgres/areas/deliveryWalk.ts'
import { describedSql } from '../../../src/storage/postgres/areas/describedWebhooks.ts'
import { expiredDaySql } from '../../../src/storage/postgres/areas/expiredDays.ts'
import { fanoutSql } from '../../../src/storage/postgres/areas/fanoutRows.ts'
import { fanoutStepSql } from '../../../src/storage/postgres/areas/fanoutSteps.ts'
import { feedSql } from '../../../src/storage/postgres/areas/feed.ts'
import { figureSql } from '../../../src/storage/postgres/areas/figures.ts'
import { healthSql } from '../../../src/storage/postgres/areas/health.ts'
import { keySql } from '../../../src/storage/postgres/areas/keys.ts'
import { leaseSql } from '../../../src/storage/postgres/areas/leases.ts'
import { manualSendSql } from '../../../src/storage/postgres/areas/manualSends.ts'
import { membershipSql } from '../../../src/storage/postgres/areas/memberships.ts'
import { nodeSql } from '../../../src/storage/postgres/areas/nodes.ts'
import { notificationSql } from '../../../src/storage/postgres/areas/notifications.ts'
import { overviewSql } from '../../../src/storage/postgres/areas/overviews.ts'
import { publishSql } from '../../../src/storage/postgres/areas/publishRows.ts'
import { pullInSql } from '../../../src/storage/postgres/areas/pullIn.ts'
import { queueSql } from '../../../src/storage/postgres/areas/queue.ts'
import { recentSql } from '../../../src/storage/postgres/areas/recentEvents.ts'
import { repeatSql } from '../../../src/storage/postgres/areas/repeats.ts'
import { replayableSql } from '../../../src/storage/postgres/areas/replayable.ts'
import { replayStepSql } from '../../../src/storage/postgres/areas/replaySteps.ts'
import { replaySql } from '../../../src/storage/postgres/areas/replays.ts'
import { retentionSql } from '../../../src/storage/postgres/areas/retention.ts'
import { runSql } from '../../../src/storage/postgres/areas/runs.ts'
import { searchSql } from '../../../src/storage/postgres/areas/search.ts'
import { sentSql } from '../../../src/storage/postgres/areas/sentRequests.ts'
import { sessionEnderSql } from '../../../src/storage/postgres/areas/sessionEnder.ts'
import { sessionSql } from '../../../src/storage/postgres/areas/sessions.ts'
import { linkSql } from '../../../src/storage/postgres/areas/signInLinks.ts'
import { targetSql } from '../../../src/storage/postgres/areas/targets.ts'
import { testEventSql } from '../../../src/storage/postgres/areas/testEvents.ts'
import { webhookSql } from '../../../src/storage/postgres/areas/webhookRows.ts'
import { workspaceSql } from '../../../src/storage/postgres/areas/workspaces.ts'
import { changeSql } from '../../../src/storage/postgres/changes.ts'
import { matchSql } from '../../../src/storage/postgres/matching.ts'
import { type Database, openDatabase } from './database.ts'
import { DAYS, fill, makeDays, timeOf } from './million.ts'
import { planOf } from './plans.ts'

/** Tables that may grow by millions before anybody takes statistics of them. */
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
  /** How growing tables are read; days of a table have an index each, and are one here. */
  readonly by: readonly string[]
  /** How many days are looked at: fewer than all where the values of parameters tell. */
  readonly days?: number
  /** Whether rows come in their order without being sorted. */
  readonly ordered?: boolean
  /** Parameters by their position, where it matters what they are. */
  readonly values?: Readonly<Record<number, number>>
}

const [FROM, TO] = [timeOf(2), timeOf(3)]
const WITHIN = FROM + 1000
const BY_ID = { deliveries: 'deliveries_pkey', events: 'events_pkey', attempts: 'attempts_pkey' }
const OF_WEBHOOK = 'deliveries_webhook_id_created_at_id_idx'
const UNHEALTHY = 'deliveries_webhook_id_ended_badly_created_at_id_idx'
const FIGURES = 'figures_unit_scope_at_sheet_key'
const FEED = 'events_workspace_id_xact_id_idx'

const within = (first: number, last: number) => ({ days: 1, values: { [first]: WITHIN, [last]: WITHIN } })

const plans: Readonly<Record<string, readonly [statement: string, expected: Expected]>> = {
  'matching webhooks': [matchSql.load, { by: [] }],
  'a repeat by its id': [repeatSql.byBroughtId, { by: ['brought_ids_pkey'] }],
  'a repeat by its row': [repeatSql.byRowId, { by: [BY_ID.events], days: DAYS }],
  'storing a batch': [publishSql.store, { by: [] }],
  'trimming lists of newest events': [recentSql.trim, { by: ['recent_events_pkey', 'their places'] }],
  'noting fan-outs': [fanoutSql.add, { by: [] }],
  'whose turn it is to fan out': [fanoutStepSql.turn, { by: ['fanouts_pkey'] }],
  'the oldest fan-outs of a workspace': [fanoutStepSql.oldest, { by: ['fanouts_pkey'], ordered: true }],
  'making late deliveries': [fanoutStepSql.make, { by: [] }],
  'moving a fan-out on': [fanoutStepSql.move, { by: ['fanouts_pkey'] }],
  'the end of fan-outs': [fanoutStepSql.finish, { by: ['fanouts_pkey'] }],
  'dropping sets': [fanoutStepSql.dropSets, { by: ['fanouts_of_set'] }],
  'webhooks with due deliveries': [claimSql.webhooks, { by: ['waiting_pkey'] }],
  'picking due deliveries': [claimSql.pick, { by: ['waiting_pkey'] }],
  'taking deliveries': [claimSql.take, { by: [BY_ID.deliveries, BY_ID.events, 'their places'], days: DAYS }],
  'recording first successes': [attemptSql.succeedAtOnce, { by: [BY_ID.deliveries], days: DAYS }],
  'recording first successes on a condition': [attemptSql.succeedIf, { by: [BY_ID.deliveries], days: DAYS }],
  'locking what is recorded': [attemptSql.lock, { by: [BY_ID.deliveries], days: DAYS }],
  'recording any attempts': [attemptSql.record, { by: [BY_ID.deliveries], days: DAYS }],
  'giving deliveries back': [nodeSql.release, { by: [BY_ID.deliveries], days: DAYS }],
  'freeing leases': [leaseSql.free, { by: [BY_ID.deliveries], days: DAYS }],
  'what is held of some webhooks': [cancelSql.held, { by: [BY_ID.deliveries], days: DAYS }],
  'canceling what is in flight': [cancelSql.cancelHeld, { by: [BY_ID.deliveries], days: DAYS }],
  'deliveries that are due too far off': [
    pullInSql.pullIn,
    { by: [BY_ID.deliveries, 'their places', 'waiting_pkey'], days: DAYS },
  ],
  'canceling what waits': [
    cancelSql.cancelWaiting,
    { by: [BY_ID.deliveries, 'their places', 'waiting_pkey'], days: DAYS },
  ],
  'the errors of a webhook': [notificationSql.lastErrors, { by: [BY_ID.attempts, OF_WEBHOOK], days: DAYS }],
  'one delivery': [recordSql.one, { by: [BY_ID.deliveries, BY_ID.events], days: DAYS }],
  'a page of deliveries': [recordSql.page, { by: [BY_ID.deliveries, BY_ID.events], ...within(3, 4) }],
  'the attempts of a page': [recordSql.attempts, { by: [BY_ID.attempts], ...within(3, 4) }],
  'what a search must know': [searchSql.facts, { by: [BY_ID.deliveries, BY_ID.events], ...within(3, 4) }],
  'what a search for codes must know': [
    searchSql.factsAndCodes,
    { by: [BY_ID.attempts, BY_ID.deliveries, BY_ID.events], ...within(3, 4) },
  ],
  'the deliveries of an event': [
    searchSql.ofEvent,
    { by: [OF_WEBHOOK], days: 1, values: { 4: WITHIN, 5: Number.MAX_SAFE_INTEGER } },
  ],
  'what waits for webhooks that are searched': [searchSql.waiting, { by: ['waiting_pkey'] }],
  'what nodes hold of webhooks that are searched': [searchSql.held, { by: [BY_ID.deliveries], days: DAYS }],
  'the webhooks to search': [searchSql.webhooks, { by: [] }],
  'chunks of the log': [
    walkSql.all,
    { by: [OF_WEBHOOK], days: 1, ordered: true, values: { 5: FROM, 6: TO } },
  ],
  'chunks of what is unhealthy': [
    walkSql.unhealthy,
    { by: [UNHEALTHY], days: 1, ordered: true, values: { 5: FROM, 6: TO } },
  ],
  'chunks of the log over all days': [
    walkSql.all,
    { by: [OF_WEBHOOK], days: DAYS, ordered: true, values: { 5: 0, 6: timeOf(DAYS) } },
  ],
  'the event of a delivery': [sentSql.event, { by: [BY_ID.events], days: 1, values: { 2: WITHIN } }],
  'events of a feed': [feedSql.after, { by: [FEED], days: DAYS, ordered: true }],
  'a page of events': [feedSql.page, { by: [BY_ID.events], ...within(3, 4) }],
  'an event by its row': [feedSql.byId, { by: [BY_ID.events], days: DAYS }],
  'the newest events of a type': [
    feedSql.latest,
    { by: [BY_ID.events, FEED, 'recent_events_pkey'], days: DAYS },
  ],
  'the newest deliveries of webhooks': [overviewSql.latest, { by: [OF_WEBHOOK], days: DAYS, ordered: true }],
  'the latest attempts of deliveries': [
    overviewSql.latestAttempts,
    { by: [BY_ID.attempts], ...within(3, 4), ordered: true },
  ],
  'what waits for webhooks': [overviewSql.waiting, { by: ['waiting_pkey'] }],
  'where the queues of webhooks begin': [queueSql.first, { by: ['fanouts_by_age', 'waiting_pkey'] }],
  'a part of the queue': [queueSql.part, { by: ['waiting_pkey'] }],
  'a part of what waits for a webhook': [queueSql.counted, { by: ['waiting_pkey'] }],
  'what nodes hold': [overviewSql.held, { by: [BY_ID.deliveries], days: DAYS }],
  'the newest events since a time': [
    overviewSql.events,
    { by: [FEED], days: 1, ordered: true, values: { 3: timeOf(DAYS - 1), 4: timeOf(DAYS - 1) } },
  ],
  'a test': [testEventSql.insert, { by: [] }],
  'a delivery to send again': [manualSendSql.delivery, { by: [BY_ID.deliveries, BY_ID.events], days: DAYS }],
  'new runs of deliveries': [runSql.start, { by: [BY_ID.deliveries], days: DAYS }],
  'the dead of webhooks': [
    replayStepSql.dead,
    { by: [UNHEALTHY, BY_ID.events], days: DAYS, ordered: true, values: { 7: FROM, 8: TO } },
  ],
  'counting the dead': [
    replayableSql.count,
    { by: [UNHEALTHY, BY_ID.events], days: DAYS, values: { 4: FROM, 5: TO } },
  ],
  'what waits of a day': [
    expiredDaySql.expireWaiting,
    { by: [BY_ID.deliveries, 'their places', 'waiting_by_age'], days: DAYS, values: { 1: FROM, 2: TO } },
  ],
  'whether a day is needed': [expiredDaySql.needed, { by: ['fanouts_by_age', 'waiting_by_age'] }],
  'old ids': [retentionSql.deleteBroughtIds, { by: ['brought_ids_by_age', 'their places'] }],
  'old lists of newest events': [retentionSql.deleteRecent, { by: ['recent_events_by_age', 'their places'] }],
  'deleted webhooks without deliveries': [retentionSql.emptyWebhooks, { by: [OF_WEBHOOK], days: DAYS }],
}

/** Of tables that grow slowly: how they are read while there are no statistics of them. */
const slow: Readonly<Record<string, readonly [statement: string, by: readonly string[]]>> = {
  'the audit log': [auditSql.all, ['audit_log_pkey']],
  'the audit log of a workspace': [auditSql.ofWorkspace, ['audit_log_of_workspace']],
  'the audit log of a target': [auditSql.ofTarget, ['audit_log_of_target']],
  'names by id': [
    auditSql.names,
    ['workspaces', 'members', 'keys', 'operators', 'webhooks'].map((table) => `${table}_public_id_key`),
  ],
  'webhooks of sets': [fanoutStepSql.targets, ['webhooks_pkey']],
  'sets of webhooks': [fanoutStepSql.readSets, ['match_sets_pkey']],
  'what workspaces have to be made': [fanoutSql.lockQueues, ['fanout_queues_pkey']],
  'the health of webhooks': [healthSql.load, ['webhooks_pkey']],
  'saving the health of webhooks': [healthSql.save, ['webhooks_pkey']],
  'a key by its hash': [keySql.byHash, ['keys_hash_key', 'members_pkey', 'workspaces_pkey']],
  'the keys of a workspace': [keySql.list, ['keys_of_workspace', 'members_pkey', 'workspaces_pkey']],
  'claiming notifications': [notificationSql.claim, ['notifications_pkey', 'notifications_waiting']],
  'notifications that are due too far off': [
    notificationSql.pullIn,
    ['notifications_pkey', 'notifications_waiting'],
  ],
  'when keys were used': [keySql.touch, ['keys_pkey']],
  'a session by its hash': [sessionSql.byHash, ['members_pkey', 'sessions_hash_key', 'workspaces_pkey']],
  'what senders must know': [targetSql.load, ['secrets_of_webhook', 'webhooks_pkey', 'workspaces_pkey']],
  'a page of webhooks': [webhookSql.page, ['webhooks_of_workspace', 'workspaces_pkey']],
  'a workspace by its name': [workspaceSql.find, ['workspaces_public_id_key', 'workspaces_slug']],
  'webhooks that changed': [changeSql.changed, ['webhooks_changed']],
  'a replay': [replaySql.get, ['replays_public_id_key', 'webhooks_pkey']],
  'the URLs of versions': [sentSql.urls, ['webhook_urls_pkey']],
  'the secrets of versions': [sentSql.secrets, ['secrets_of_webhook']],
  'sends that count': [manualSendSql.sends, ['manual_sends_of_workspace']],
  'webhooks by their ids': [webhookSql.some, ['webhooks_of_workspace', 'workspaces_pkey']],
  'the webhooks of an overview': [overviewSql.webhooks, ['webhooks_of_workspace']],
  'the secrets of a webhook': [overviewSql.secrets, ['secrets_of_webhook']],
  'sends that count, to look at': [overviewSql.sends, ['manual_sends_of_workspace']],
  'memos whose time is over': [retentionSql.deleteMemos, ['idempotency_keys', 'idempotency_keys_by_memo']],
  'old keys of calls': [retentionSql.deleteOnce, ['idempotency_keys', 'idempotency_keys_by_age']],
  'old sessions of browsers': [
    retentionSql.deleteBrowserSessions,
    ['browser_sessions', 'browser_sessions_expiring'],
  ],
  'old links': [retentionSql.deleteLinks, ['sign_in_links', 'sign_in_links_expiring']],
  'a session of a browser by its hash': [browserSessionSql.byHash, ['browser_sessions_hash_key']],
  'the members with an address': [membershipSql.ofEmail, ['members_of_email', 'workspaces_pkey']],
  'addresses that are nobody': [
    membershipSql.nobody,
    ['members_of_email', 'operators_email', 'workspaces_pkey'],
  ],
  'ending the sessions of addresses': [sessionEnderSql.removeOfEmails, ['browser_sessions_of_email']],
  'using up the links of addresses': [sessionEnderSql.useUpOfEmails, ['sign_in_links_of_email']],
  'an operator by the address': [membershipSql.operator, ['operators_email']],
  'a link by its hash': [linkSql.byHash, ['sign_in_links_hash_key']],
  'the links of an address': [linkSql.counted, ['sign_in_links_of_email']],
  'old sessions': [retentionSql.deleteSessions, ['sessions', 'sessions_expiring']],
  'old secrets': [retentionSql.deleteSecrets, ['secrets', 'secrets_expiring']],
  'what is told of webhooks': [describedSql.webhooks, ['webhooks_pkey', 'workspaces_pkey']],
  'the next deltas of figures': [figureSql.step, ['figures_deltas_pkey']],
  'deltas of figures': [figureSql.deltas, ['figures_deltas_pkey']],
  'deltas that were folded': [figureSql.remove, ['figures_deltas_pkey']],
  'the workspaces of webhooks': [figureSql.workspacesOf, ['webhooks_pkey']],
  'sheets of figures by their keys': [figureSql.found, [FIGURES]],
  'sheets of figures at some times': [figureSql.sheets, [FIGURES]],
  'some sheets of figures at some times': [figureSql.ranked, [FIGURES]],
  'old figures': [retentionSql.deleteFigures, ['figures', FIGURES]],
  'old samples of the queue': [retentionSql.deleteQueueSamples, ['queue_samples', 'queue_samples_pkey']],
  'the next webhook of a workspace to count': [queueSql.webhook, ['webhooks_of_workspace']],
  'what is to be made for a workspace': [queueSql.unmadeOf, ['fanout_queues_pkey']],
  'replays of a workspace that are not finished': [replaySql.unfinished, ['replays_unfinished']],
  'peaks of the queue': [queueSql.peaks, ['queue_samples_pkey']],
  'old entries of the audit log': [retentionSql.deleteAudit, ['audit_log', 'audit_log_by_age']],
}

/** Statements that name rows by their ids and times, and which parameters these are. */
const byPlace: Readonly<Record<string, readonly [statement: string, ids: number, times: number]>> = {
  'taking deliveries': [claimSql.take, 2, 3],
  'recording first successes': [attemptSql.succeedAtOnce, 3, 4],
  'locking what is recorded': [attemptSql.lock, 1, 2],
  'recording any attempts': [attemptSql.record, 2, 3],
  'giving deliveries back': [nodeSql.release, 1, 2],
  'canceling what is in flight': [cancelSql.cancelHeld, 1, 2],
  'new runs of deliveries': [runSql.start, 1, 2],
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

describe('in days that have just begun, whatever they will hold', () => {
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))
})

describe('in tables that have just been made', () => {
  test.each(Object.entries(slow))('%s: found by a key', async (_, [statement, by]) => {
    const { scans } = await planOf(client, statement, {})
    expect([...new Set(scans.map(({ index, table }) => index ?? table))].sort()).toEqual([...by].sort())
    for (const scan of scans) if (scan.type !== 'Tid Scan') expect(scan.condition).not.toBeNull()
  })
})

describe('among a million deliveries of which there are no statistics', () => {
  beforeAll(() => fill(database), 120_000)
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))
})

describe('among a million deliveries', () => {
  beforeAll(() => database.client.query('ANALYZE'))
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))

  test('there are so many', async () => {
    const { rows } = await database.client.query('SELECT count(*)::int AS count FROM deliveries')
    expect(rows).toEqual([{ count: 1_000_000 }])
  })

  test.each(Object.entries(byPlace))('%s: in the day of a row alone', async (_, [statement, ids, times]) => {
    const { rows } = await database.client.query<{ id: string; created_at: string; day: string }>(
      `SELECT id, created_at, right(tableoid::regclass::text, 8) AS day FROM deliveries WHERE id = 600000`,
    )
    const { id, created_at: time, day } = rows[0]!
    const values = { [ids]: `array[${id}]::bigint[]`, [times]: `array[${time}]::bigint[]` }
    const { scans } = await planOf(client, statement, values, true)
    const begun = scans.filter((scan) => scan.table === 'deliveries' && scan.loops! > 0)
    expect(begun.map((scan) => scan.day)).toEqual([day])
  })
})

describe('when what waits, and what was brought, was nothing as statistics were taken', () => {
  const queues = ['waiting', 'leases', 'brought_ids', 'recent_events']
  beforeAll(async () => {
    await database.client.query(`TRUNCATE ${queues.join()}`)
    for (const table of queues) await database.client.query(`ANALYZE ${table}`)
  })
  test.each(Object.entries(plans))('%s: found by a key', (_, plan) => check(...plan))
})
