import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeSql } from '../../../src/storage/postgres/changes.ts'
import { claimSql } from '../../../src/storage/postgres/queries/claim.ts'
import { fanoutSql } from '../../../src/storage/postgres/queries/fanouts.ts'
import { healthSql as heldHealthSql } from '../../../src/storage/postgres/queries/record.ts'
import { retentionSql } from '../../../src/storage/postgres/queries/retention.ts'
import { adminTokenSql } from '../../../src/storage/queries/adminTokens.ts'
import { auditSql } from '../../../src/storage/queries/audit.ts'
import { browserSessionSql } from '../../../src/storage/queries/browserSessions.ts'
import { consumerSql } from '../../../src/storage/queries/consumers.ts'
import { egressSql } from '../../../src/storage/queries/egress.ts'
import { expirySql } from '../../../src/storage/queries/expiry.ts'
import { fanoutStepSql } from '../../../src/storage/queries/fanouts.ts'
import { healthSql } from '../../../src/storage/queries/health.ts'
import { keySql } from '../../../src/storage/queries/keys.ts'
import { manualSendSql } from '../../../src/storage/queries/manualSends.ts'
import { notificationSql } from '../../../src/storage/queries/notifications.ts'
import { describedSql, overviewSql } from '../../../src/storage/queries/overviews.ts'
import { peopleSql } from '../../../src/storage/queries/people.ts'
import { queueSql } from '../../../src/storage/queries/queue.ts'
import { replaySql } from '../../../src/storage/queries/replays.ts'
import { retrySql } from '../../../src/storage/queries/retries.ts'
import { queueSampleSql } from '../../../src/storage/queries/samples.ts'
import { sentSql } from '../../../src/storage/queries/sentRequests.ts'
import { sessionSql } from '../../../src/storage/queries/sessions.ts'
import { linkSql } from '../../../src/storage/queries/signInLinks.ts'
import { statsSql } from '../../../src/storage/queries/stats.ts'
import { stopSql } from '../../../src/storage/queries/stops.ts'
import { targetSql } from '../../../src/storage/queries/targets.ts'
import { secretSql, webhookSql } from '../../../src/storage/queries/webhooks.ts'
import { workspaceSql } from '../../../src/storage/queries/workspaces.ts'
import { type Database, openDatabase } from './database.ts'
import { planOf } from './plans.ts'

const STATS = 'stats_unit_scope_at_bucket_key'

/** Slowly growing tables: how they are read without statistics. */
const slow: Readonly<Record<string, readonly [statement: string, by: readonly string[]]>> = {
  'the audit log': [auditSql.all.postgres, ['audit_log_pkey']],
  'the audit log of a workspace': [auditSql.ofWorkspace.postgres, ['audit_log_of_workspace']],
  'the audit log of a target': [auditSql.ofTarget.postgres, ['audit_log_of_target']],
  'names by id': [
    auditSql.names.postgres,
    ['workspaces', 'members', 'keys', 'operators', 'admin_tokens', 'webhooks'].map(
      (table) => `${table}_public_id_key`,
    ),
  ],
  'webhooks of sets': [fanoutStepSql.targets.postgres, ['webhooks_pkey']],
  'sets of webhooks': [fanoutStepSql.readSets.postgres, ['match_sets_pkey']],
  'what workspaces have to be made': [fanoutSql.lockQueues, ['fanout_queues_pkey']],
  'the health of webhooks': [heldHealthSql.load, ['webhooks_pkey']],
  'saving the health of webhooks': [healthSql.save.postgres, ['webhooks_pkey']],
  'a key by its hash': [keySql.byHash.postgres, ['keys_hash_key', 'members_pkey', 'workspaces_pkey']],
  'an admin token by its hash': [adminTokenSql.byHash.postgres, ['admin_tokens_hash_key']],
  'when admin tokens were used': [adminTokenSql.touch.postgres, ['admin_tokens_pkey']],
  'the keys of a workspace': [keySql.list.postgres, ['keys_of_workspace', 'members_pkey', 'workspaces_pkey']],
  'notifications that are due': [notificationSql.due.postgres, ['notifications_waiting']],
  'notifications that are due too far off': [notificationSql.far.postgres, ['notifications_waiting']],
  'claiming notifications': [notificationSql.claim.postgres, ['notifications_pkey']],
  'pulling in notifications': [notificationSql.pullIn.postgres, ['notifications_pkey']],
  'when keys were used': [keySql.touch.postgres, ['keys_pkey']],
  'a session by its hash': [
    sessionSql.byHash.postgres,
    ['members_pkey', 'sessions_hash_key', 'workspaces_pkey'],
  ],
  'what senders must know': [
    targetSql.load.postgres,
    ['secrets_of_webhook', 'webhooks_pkey', 'workspaces_pkey'],
  ],
  'who sends to limited webhooks': [claimSql.owned, ['limit_owners_pkey']],
  'a page of webhooks': [webhookSql.page.postgres, ['webhooks_of_workspace', 'workspaces_pkey']],
  'a workspace by its name': [workspaceSql.find.postgres, ['workspaces_public_id_key', 'workspaces_slug']],
  'webhooks that changed': [changeSql.changed, ['webhooks_changed']],
  'a replay': [replaySql.get.postgres, ['replays_public_id_key', 'webhooks_pkey']],
  'whose turn it is to replay': [replaySql.turn.postgres, ['replays_unfinished']],
  'the replays of a workspace that go on': [replaySql.unfinished.postgres, ['replays_unfinished']],
  'a replay that goes on': [replaySql.hold.postgres, ['replays_unfinished']],
  'the last recovery of a webhook': [replaySql.latestRecovery.postgres, ['recoveries_of_webhook']],
  'retries that go on': [retrySql.running.postgres, ['retries_running', 'webhooks_pkey', 'workspaces_pkey']],
  'the retry of a webhook': [retrySql.get.postgres, ['retries_pkey']],
  'when a webhook was off': [stopSql.ofWebhook.postgres, ['stops_of_webhook']],
  'when a workspace was suspended': [stopSql.ofWorkspace.postgres, ['stops_of_workspace']],
  'a consumer by its name': [consumerSql.get.postgres, ['consumers_workspace_id_name_key']],
  'a consumer that is acknowledged for': [consumerSql.lock.postgres, ['consumers_pkey']],
  'the webhooks to replay': [replaySql.webhooks.postgres, ['webhooks_of_workspace']],
  'the URLs of versions': [sentSql.urls.postgres, ['webhook_urls_pkey']],
  'the secrets of versions': [sentSql.secrets.postgres, ['secrets_of_webhook']],
  'sends that count': [manualSendSql.sends.postgres, ['manual_sends_of_workspace']],
  'webhooks by their ids': [webhookSql.some.postgres, ['webhooks_of_workspace', 'workspaces_pkey']],
  'the webhooks of an overview': [overviewSql.webhooks.postgres, ['webhooks_of_workspace']],
  'the secrets of a webhook': [secretSql.list.postgres, ['secrets_of_webhook']],
  'the secrets that sign': [secretSql.signing.postgres, ['secrets_of_webhook']],
  'a webhook by its id alone': [
    webhookSql.byPublicIdAlone.postgres,
    ['webhooks_public_id_key', 'workspaces_pkey'],
  ],
  'sends that count, to look at': [manualSendSql.recentSends.postgres, ['manual_sends_of_workspace']],
  'response data whose time is over': [
    expirySql.responseData.postgres,
    ['idempotency_keys', 'idempotency_keys_by_memo'],
  ],
  'old idempotency keys': [
    expirySql.idempotencyKeys.postgres,
    ['idempotency_keys', 'idempotency_keys_by_age'],
  ],
  'old sessions of browsers': [
    expirySql.browserSessions.postgres,
    ['browser_sessions', 'browser_sessions_expiring'],
  ],
  'old links': [expirySql.links.postgres, ['sign_in_links', 'sign_in_links_expiring']],
  'a session of a browser by its hash': [browserSessionSql.byHash.postgres, ['browser_sessions_hash_key']],
  'the members with an address': [peopleSql.ofEmail.postgres, ['members_of_email', 'workspaces_pkey']],
  'addresses that are no one': [
    peopleSql.withoutRights.postgres,
    ['members_of_email', 'operators_email', 'workspaces_pkey'],
  ],
  'ending the sessions of addresses': [peopleSql.removeOfEmails.postgres, ['browser_sessions_of_email']],
  'ending the sessions of addresses that began with links': [
    peopleSql.removeByLink.postgres,
    ['browser_sessions_of_email'],
  ],
  'using up the links of addresses': [peopleSql.useUpOfEmails.postgres, ['sign_in_links_of_email']],
  'an operator by the address': [peopleSql.operator.postgres, ['operators_email']],
  'a link by its hash': [linkSql.byHash.postgres, ['sign_in_links_hash_key']],
  'the links of an address': [linkSql.counted.postgres, ['sign_in_links_of_email']],
  'old sessions': [expirySql.sessions.postgres, ['sessions', 'sessions_expiring']],
  'old secrets': [expirySql.secrets.postgres, ['secrets', 'secrets_expiring']],
  'descriptions of webhooks': [describedSql.webhooks.postgres, ['webhooks_pkey', 'workspaces_pkey']],
  'the next pending counts of stats': [statsSql.step.postgres, ['pending_counts_pkey']],
  'pending counts of stats': [statsSql.pendingCounts.postgres, ['pending_counts_pkey']],
  'pending counts that were rolled up': [statsSql.remove.postgres, ['pending_counts_pkey']],
  'the workspaces of webhooks': [statsSql.workspacesOf.postgres, ['webhooks_pkey']],
  'buckets of stats by their keys': [statsSql.found.postgres, [STATS]],
  'buckets of stats at some times': [statsSql.buckets.postgres, [STATS]],
  'some buckets of stats at some times': [statsSql.ranked.postgres, [STATS]],
  'the last hour with stats': [egressSql.lastHour.postgres, [STATS]],
  'the newest buckets of an hour': [egressSql.newestOfHour.postgres, [STATS]],
  'the oldest buckets of an hour': [egressSql.oldestOfHour.postgres, [STATS]],
  'receivers by their ids': [egressSql.receivers.postgres, ['webhooks_pkey']],
  'old stats': [expirySql.stats.postgres, ['stats', STATS]],
  'old samples of the queue': [expirySql.queueSamples.postgres, ['queue_samples', 'queue_samples_pkey']],
  'the next webhooks of a workspace to count': [queueSql.webhooks.postgres, ['webhooks_of_workspace']],
  'deliveries that a workspace has waiting to be created': [
    queueSql.unmadeOf.postgres,
    ['fanout_queues_pkey'],
  ],
  'counting the replays of a workspace that go on': [
    replaySql.unfinishedCount.postgres,
    ['replays_unfinished'],
  ],
  'peaks of the queue': [queueSampleSql.peaks.postgres, ['queue_samples_pkey']],
  'old entries of the audit log': [retentionSql.audit, ['audit_log', 'audit_log_by_age']],
}

let database: Database
/** With the settings of the driver's connections. */
let client: pg.Client

beforeAll(async () => {
  database = await openDatabase()
  client = await database.connections.dedicated()
})
afterAll(async () => {
  await client.end()
  await database.close()
})

describe('in tables that have just been created', () => {
  test.each(Object.entries(slow))('%s: found by a key', async (_, [statement, by]) => {
    const { scans } = await planOf(client, statement, {})
    expect([...new Set(scans.map(({ index, table }) => index ?? table))].sort()).toEqual([...by].sort())
    for (const scan of scans) if (scan.type !== 'Tid Scan') expect(scan.condition).not.toBeNull()
  })
})
