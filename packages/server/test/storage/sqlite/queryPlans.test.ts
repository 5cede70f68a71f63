import { expect, test } from 'vitest'
import { attemptSql } from '../../../src/storage/sqlite/areas/attemptRows.ts'
import { auditSql } from '../../../src/storage/sqlite/areas/audit.ts'
import { cancelSql } from '../../../src/storage/sqlite/areas/cancel.ts'
import { claimSql } from '../../../src/storage/sqlite/areas/claim.ts'
import { recordSql } from '../../../src/storage/sqlite/areas/deliveryRecords.ts'
import { walkSql } from '../../../src/storage/sqlite/areas/deliveryWalk.ts'
import { describedSql } from '../../../src/storage/sqlite/areas/describedWebhooks.ts'
import { fanoutSql } from '../../../src/storage/sqlite/areas/fanoutRows.ts'
import { fanoutStepSql } from '../../../src/storage/sqlite/areas/fanoutSteps.ts'
import { feedSql } from '../../../src/storage/sqlite/areas/feed.ts'
import { figureSql } from '../../../src/storage/sqlite/areas/figures.ts'
import { matchSql } from '../../../src/storage/sqlite/areas/matching.ts'
import { membershipSql } from '../../../src/storage/sqlite/areas/memberships.ts'
import { nodeSql } from '../../../src/storage/sqlite/areas/nodes.ts'
import { notificationSql } from '../../../src/storage/sqlite/areas/notifications.ts'
import { overviewSql } from '../../../src/storage/sqlite/areas/overviews.ts'
import { pullInSql } from '../../../src/storage/sqlite/areas/pullIn.ts'
import { queueSql } from '../../../src/storage/sqlite/areas/queue.ts'
import { repeatSql } from '../../../src/storage/sqlite/areas/repeats.ts'
import { replayableSql } from '../../../src/storage/sqlite/areas/replayable.ts'
import { replayStepSql } from '../../../src/storage/sqlite/areas/replaySteps.ts'
import { replaySql } from '../../../src/storage/sqlite/areas/replays.ts'
import { retentionSql } from '../../../src/storage/sqlite/areas/retention.ts'
import { runSql } from '../../../src/storage/sqlite/areas/runs.ts'
import { searchSql } from '../../../src/storage/sqlite/areas/search.ts'
import { sentSql } from '../../../src/storage/sqlite/areas/sentRequests.ts'
import { sessionEnderSql } from '../../../src/storage/sqlite/areas/sessionEnder.ts'
import { linkSql } from '../../../src/storage/sqlite/areas/signInLinks.ts'
import { webhookSql } from '../../../src/storage/sqlite/areas/webhookRows.ts'
import { openDatabase } from './database.ts'

/** Its one index. */
const FIGURES = 'figures USING INDEX sqlite_autoindex_figures_1'

type Plan = readonly [name: string, statement: string, steps: readonly string[]]

// Each must find its rows by a key: on a table of millions, anything else stalls every commit behind it.
const plans: readonly Plan[] = [
  [
    'skipping to the next webhook with due deliveries',
    claimSql.nextWaiting,
    ['deliveries_waiting (webhook_id>?)'],
  ],
  ['the due deliveries of one webhook', claimSql.waitingOf, ['deliveries_waiting (webhook_id=?)']],
  ['taking a delivery', claimSql.take, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  [
    'matching webhooks',
    matchSql.onWebhooks,
    ['webhooks_of_workspace (workspace_id=?)', 'PRIMARY KEY (rowid=?)'],
  ],
  ['whose turn it is to fan out', fanoutStepSql.turn, ['SEARCH fanout_queues', 'SCAN CONSTANT ROW']],
  [
    'the oldest fan-out of a workspace',
    fanoutStepSql.oldest,
    ['f USING INDEX fanouts_of_workspace (workspace_id=?)', 'e USING INTEGER PRIMARY KEY (rowid=?)'],
  ],
  ['a set of webhooks', fanoutStepSql.readSet, ['match_sets USING INTEGER PRIMARY KEY (rowid=?)']],
  ['a webhook of a set', fanoutStepSql.target, ['webhooks USING INTEGER PRIMARY KEY (rowid=?)']],
  ['the end of a fan-out', fanoutStepSql.finish, ['fanouts USING INTEGER PRIMARY KEY (rowid=?)']],
  [
    'dropping a set',
    fanoutStepSql.dropSet,
    ['match_sets USING INTEGER PRIMARY KEY (rowid=?)', 'fanouts_of_set (set_id=?)'],
  ],
  [
    'what a workspace has to be made',
    fanoutSql.waiting,
    ['fanout_queues USING INTEGER PRIMARY KEY (rowid=?)'],
  ],
  ['a repeat by its id', repeatSql.byBroughtId, ['events_brought (workspace_id=? AND brought_id=?)']],
  ['recording a first success', attemptSql.succeedAtOnce, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  ['recording a success', attemptSql.succeed, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  ['recording a failure', attemptSql.fail, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  [
    'a chunk of the log of a webhook, from the same time on',
    walkSql.all.sameTime,
    ['COVERING INDEX deliveries_of_webhook (webhook_id=? AND created_at=? AND rowid<?)'],
  ],
  [
    'a chunk of the log of a webhook, from earlier on',
    walkSql.all.earlier,
    ['COVERING INDEX deliveries_of_webhook (webhook_id=? AND created_at>? AND created_at<?)'],
  ],
  ...(['failed', 'dead', 'canceled'] as const).flatMap((status): Plan[] => [
    [
      `a chunk of what is ${status}, from the same time on`,
      walkSql[status].sameTime,
      ['COVERING INDEX deliveries_unhealthy (webhook_id=? AND status=? AND created_at=? AND rowid<?)'],
    ],
    [
      `a chunk of what is ${status}, from earlier on`,
      walkSql[status].earlier,
      ['COVERING INDEX deliveries_unhealthy (webhook_id=? AND status=? AND created_at>? AND created_at<?)'],
    ],
  ]),
  [
    'a chunk of what is tried again, from the same time on',
    walkSql.retrying.sameTime,
    ['INDEX deliveries_retrying (webhook_id=? AND created_at=? AND rowid<?)'],
  ],
  [
    'a chunk of what is tried again, from earlier on',
    walkSql.retrying.earlier,
    ['INDEX deliveries_retrying (webhook_id=? AND created_at>? AND created_at<?)'],
  ],
  [
    'what a search must know of a delivery',
    searchSql.facts,
    ['d USING INTEGER PRIMARY KEY', 'w USING INTEGER PRIMARY KEY', 'e USING INTEGER PRIMARY KEY'],
  ],
  [
    'the type of the event of a delivery',
    searchSql.type,
    ['d USING INTEGER PRIMARY KEY', 'e USING INTEGER PRIMARY KEY'],
  ],
  [
    'the code of the latest attempt',
    searchSql.latestCode,
    ['d USING INTEGER PRIMARY KEY', 'a USING PRIMARY KEY (delivery_id=? AND number=?)'],
  ],
  [
    'the deliveries of an event',
    searchSql.ofEvent,
    [
      'e USING INTEGER PRIMARY KEY (rowid=?)',
      'd USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
      'w USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  ],
  ['notifications that are due', notificationSql.due, ['notifications_waiting (<expr>=? AND due_at<?)']],
  [
    'a notification that is claimed',
    notificationSql.claimed,
    [
      'n USING INTEGER PRIMARY KEY',
      's USING INTEGER PRIMARY KEY',
      'm USING INTEGER PRIMARY KEY',
      'w USING INTEGER PRIMARY KEY',
      'o USING INDEX notifications_of_webhook (webhook_id=? AND created_at>? AND created_at<?)',
      'SCAN told',
    ],
  ],
  ['notifications that wait', notificationSql.waiting, ['notifications_waiting']],
  [
    'counting what nodes hold, up to a number',
    searchSql.heldCount,
    ['COVERING INDEX deliveries_leased', 'SCAN (subquery-1)'],
  ],
  ['what waits for a webhook that is searched', searchSql.waiting, ['deliveries_waiting (webhook_id=?)']],
  ['what nodes hold', searchSql.held, ['deliveries_leased']],
  ['the webhooks to search', searchSql.webhooks, ['webhooks_of_workspace (workspace_id=?)']],
  ['the webhook to search', searchSql.webhook, ['webhooks USING INTEGER PRIMARY KEY (rowid=?)']],
  [
    'a page of webhooks',
    webhookSql.page,
    ['webhooks_of_workspace (workspace_id=? AND rowid<?)', 'SCAN (subquery-1)'],
  ],
  ['events of a feed', feedSql.after, ['events_feed (workspace_id=? AND seq>?)']],
  ['an event by its row', feedSql.byId, ['e USING INTEGER PRIMARY KEY (rowid=?)']],
  ['an event by its id', feedSql.byBroughtId, ['events_brought (workspace_id=? AND brought_id=?)']],
  ['the newest events of a type', feedSql.latest, ['r USING PRIMARY KEY (workspace_id=? AND type=?)']],
  ['the URL of a version', sentSql.url, ['webhook_urls USING PRIMARY KEY (webhook_id=? AND from_version<?)']],
  ['the secrets of a version', sentSql.secrets, ['secrets_of_webhook (webhook_id=?)']],
  [
    'the next webhook to replay',
    replayableSql.nextWebhook,
    ['webhooks_of_workspace (workspace_id=? AND rowid>? AND rowid<?)'],
  ],
  ['whose turn it is to replay', replayStepSql.turn, ['replays_unfinished']],
  ['the oldest replay', replayStepSql.oldest, ['replays_unfinished']],
  ['one replay', replaySql.get, ['r USING INDEX sqlite_autoindex_replays_1 (public_id=?)']],
  [
    'the dead of a webhook, from the same time on',
    replayStepSql.sameTime,
    ['deliveries_unhealthy (webhook_id=? AND status=? AND created_at=? AND rowid>?)'],
  ],
  [
    'the dead of a webhook, from later on',
    replayStepSql.later,
    ['deliveries_unhealthy (webhook_id=? AND status=? AND created_at>? AND created_at<?)'],
  ],
  [
    'counting the dead of a webhook',
    replayableSql.count,
    ['deliveries_unhealthy (webhook_id=? AND status=? AND created_at>? AND created_at<?)'],
  ],
  ['a new run of a delivery', runSql.start, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  [
    'the newest deliveries of a webhook',
    notificationSql.newestDeliveries,
    ['COVERING INDEX deliveries_of_webhook (webhook_id=?)'],
  ],
  [
    'the newest delivery of a webhook',
    overviewSql.latest,
    ['d USING INDEX deliveries_of_webhook (webhook_id=?)'],
  ],
  [
    'the latest attempt of a delivery',
    overviewSql.latestAttempt,
    ['attempts USING PRIMARY KEY (delivery_id=?)'],
  ],
  [
    'what waits for a webhook',
    overviewSql.waiting,
    ['deliveries_waiting (webhook_id=?)', 'SCAN (subquery-1)'],
  ],
  ['what nodes hold', overviewSql.held, ['deliveries USING INDEX deliveries_leased']],
  ['the newest events', overviewSql.newest, ['events_feed (workspace_id=? AND seq>?)']],
  ['when an event was made', overviewSql.createdAt, ['events USING INTEGER PRIMARY KEY (rowid=?)']],
  ['the secrets of a webhook', overviewSql.secrets, ['secrets_of_webhook (webhook_id=?)']],
  [
    'sends that count',
    overviewSql.sends,
    ['manual_sends_of_workspace (workspace_id=? AND sent_at>? AND sent_at<?)'],
  ],
  ['one delivery', recordSql.one, ['d USING INTEGER PRIMARY KEY (rowid=?)']],
  ['the attempts of a delivery', recordSql.attempts, ['attempts USING PRIMARY KEY (delivery_id=?)']],
  ['freeing the leases of a node', nodeSql.free, ['deliveries_leased (lease=?)']],
  [
    'deliveries that are due too far off',
    pullInSql.pullIn,
    [
      'deliveries USING INTEGER PRIMARY KEY (rowid=?)',
      'deliveries_waiting (webhook_id=? AND next_attempt_at>?)',
    ],
  ],
  ['canceling what waits', cancelSql.cancelWaiting, ['deliveries_waiting (webhook_id=?)']],
  ['canceling what is in flight', cancelSql.cancelLeased, ['d USING INDEX deliveries_leased']],
  ['webhooks that are being canceled', cancelSql.canceling, ['webhooks_canceling']],
  [
    'the oldest deliveries',
    retentionSql.oldestDeliveries,
    ['deliveries USING INTEGER PRIMARY KEY (rowid>?)'],
  ],
  [
    'the oldest events',
    retentionSql.oldestEvents,
    ['e USING INTEGER PRIMARY KEY (rowid>?)', 'd USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ],
  [
    'expiring a delivery',
    retentionSql.expireDelivery,
    ['deliveries USING INTEGER PRIMARY KEY (rowid=?)', 'webhooks USING INTEGER PRIMARY KEY (rowid=?)'],
  ],
  [
    'deleted webhooks without deliveries',
    retentionSql.emptyWebhooks,
    ['webhooks_deleted', 'deliveries_of_webhook'],
  ],
  [
    'old idempotency keys',
    retentionSql.deleteOnce,
    ['PRIMARY KEY (scope=? AND key=?)', 'idempotency_keys_by_age (created_at<?)'],
  ],
  [
    'memos whose time is over',
    retentionSql.deleteMemos,
    ['PRIMARY KEY (scope=? AND key=?)', 'idempotency_keys_by_memo (memo_until<?)'],
  ],
  ['sessions that have run out', retentionSql.deleteSessions, ['sessions_expiring (expires_at<?)']],
  [
    'sessions of browsers that have run out',
    retentionSql.deleteBrowserSessions,
    ['browser_sessions_expiring (expires_at<?)'],
  ],
  ['links that have run out', retentionSql.deleteLinks, ['sign_in_links_expiring (expires_at<?)']],
  [
    'addresses that are nobody',
    membershipSql.nobody,
    ['SCAN x', 'members_of_email (email=?)', 's USING INTEGER PRIMARY KEY', 'o USING COVERING INDEX'],
  ],
  [
    'ending the sessions of addresses',
    sessionEnderSql.removeOfEmails,
    ['browser_sessions_of_email (email=?)', 'SCAN json_each'],
  ],
  ['ending the sessions of members', sessionEnderSql.removeOfMembers, ['(member_id=?)', 'SCAN json_each']],
  [
    'using up the links of addresses',
    sessionEnderSql.useUpOfEmails,
    ['sign_in_links_of_email (email=?)', 'SCAN json_each'],
  ],
  [
    'using up the links of members',
    sessionEnderSql.useUpOfMembers,
    ['sign_in_links_of_member (member_id=?)', 'SCAN json_each'],
  ],
  ['the members with an address', membershipSql.ofEmail, ['members_of_email (email=?)']],
  [
    'the links of an address',
    linkSql.counted,
    ['sign_in_links_of_email (email=? AND created_at>? AND created_at<?)'],
  ],
  ['old secrets', retentionSql.deleteSecrets, ['secrets_expiring (expires_at>? AND expires_at<?)']],
  [
    'what is told of a webhook',
    describedSql.webhook,
    ['w USING INTEGER PRIMARY KEY', 's USING INTEGER PRIMARY KEY'],
  ],
  ['a sheet of figures', figureSql.sheet, [`${FIGURES} (unit=? AND scope=? AND at=? AND sheet=?)`]],
  [
    'sheets of figures at some times',
    figureSql.sheets,
    [`${FIGURES} (unit=? AND scope=? AND at=? AND sheet=?)`, 'SCAN json_each'],
  ],
  [
    'some sheets of figures at some times',
    figureSql.ranked,
    [`${FIGURES} (unit=? AND scope=? AND at=? AND sheet>? AND sheet<?)`, 'SCAN json_each'],
  ],
  [
    'old figures',
    retentionSql.deleteFigures,
    ['COVERING INDEX sqlite_autoindex_figures_1 (unit=? AND scope=? AND at<?)'],
  ],
  ['old samples of the queue', retentionSql.deleteQueueSamples, ['PRIMARY KEY (rowid<?)']],
  [
    'counting what waits for a webhook, from the same time on',
    queueSql.sameTime,
    ['deliveries_waiting (webhook_id=? AND next_attempt_at=? AND rowid>?)'],
  ],
  [
    'counting what waits for a webhook, from later on',
    queueSql.later,
    ['deliveries_waiting (webhook_id=? AND next_attempt_at>?)'],
  ],
  [
    'the next webhook of a workspace to count',
    queueSql.webhook,
    ['webhooks USING INDEX webhooks_of_workspace (workspace_id=? AND rowid>?)'],
  ],
  [
    'how far a count of a webhook goes',
    queueSql.countedTo,
    ['deliveries_waiting (webhook_id=? AND next_attempt_at>?)'],
  ],
  [
    'counting what waits for a webhook, up to a time',
    queueSql.counted,
    ['deliveries_waiting (webhook_id=? AND next_attempt_at>? AND next_attempt_at<?)'],
  ],
  [
    'what is to be made for a workspace',
    queueSql.unmadeOf,
    ['fanout_queues USING INTEGER PRIMARY KEY (rowid=?)'],
  ],
  [
    'replays of a workspace that are not finished',
    replaySql.unfinished,
    ['replays USING INDEX replays_unfinished'],
  ],
  ['counting what nodes hold', queueSql.held, ['COVERING INDEX deliveries_leased']],
  ['the audit log', auditSql.all, ['audit_log USING INTEGER PRIMARY KEY (rowid<?)']],
  [
    'the audit log of a workspace',
    auditSql.ofWorkspace,
    ['audit_log_of_workspace (workspace_public_id=? AND rowid<?)'],
  ],
  ['the audit log of a target', auditSql.ofTarget, ['audit_log_of_target (target_id=? AND rowid<?)']],
  [
    'names by id',
    auditSql.names,
    [
      'json_each VIRTUAL TABLE INDEX',
      ...['workspaces', 'members', 'keys', 'operators', 'webhooks'].map(
        (table) => `${table} USING INDEX sqlite_autoindex_${table}_1 (public_id=?)`,
      ),
    ],
  ],
]

test.each(plans)('%s: found by a key, in order, without sorting', (_, statement, steps) => {
  const plan = openDatabase()
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
    .all(...bindingsOf(statement))
    .map(({ detail }) => detail)
  for (const step of steps) expect(plan.join('\n')).toContain(step)
  expect(plan.join('\n')).not.toContain('TEMP B-TREE')
  const scans = plan.filter((line) => line.startsWith('SCAN ') && !line.startsWith('SCAN ('))
  for (const scan of scans) expect(steps.filter((step) => scan.includes(step))).not.toEqual([])
})

function bindingsOf(statement: string): unknown[] {
  const named = [...statement.matchAll(/@(\w+)/g)].map(([, name]) => [name!, 1] as const)
  if (named.length > 0) return [Object.fromEntries(named)]
  return Array.from(statement.matchAll(/\?/g), () => 1)
}
