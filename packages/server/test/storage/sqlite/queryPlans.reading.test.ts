import { describe } from 'vitest'
import { auditSql } from '../../../src/storage/queries/audit.ts'
import { deliveriesOfEvent } from '../../../src/storage/queries/candidates.ts'
import { consumerSql } from '../../../src/storage/queries/consumers.ts'
import { currentStateSql } from '../../../src/storage/queries/currentState.ts'
import { deliverySql } from '../../../src/storage/queries/deliveries.ts'
import { walkSql } from '../../../src/storage/queries/deliveryWalk.ts'
import { egressSql } from '../../../src/storage/queries/egress.ts'
import { feedSql } from '../../../src/storage/queries/feed.ts'
import { manualSendSql } from '../../../src/storage/queries/manualSends.ts'
import { describedSql, overviewSql } from '../../../src/storage/queries/overviews.ts'
import { peopleSql } from '../../../src/storage/queries/people.ts'
import { queueSql } from '../../../src/storage/queries/queue.ts'
import { searchSql } from '../../../src/storage/queries/search.ts'
import { sentSql } from '../../../src/storage/queries/sentRequests.ts'
import { linkSql } from '../../../src/storage/queries/signInLinks.ts'
import { statsSql } from '../../../src/storage/queries/stats.ts'
import { stopSql } from '../../../src/storage/queries/stops.ts'
import { secretSql, webhookSql } from '../../../src/storage/queries/webhooks.ts'
import { type Plan, testPlans } from './plans.ts'

/** Its only index. */
const STATS = 's USING INDEX sqlite_autoindex_stats_1'

/** Parts of the queue, in memory. */
const PART = ['SCAN CONSTANT ROW', 'SCAN looked', 'SCAN ended']

const chunksOf = (entries: keyof typeof walkSql, index: string): Plan[] => [
  [
    `a chunk of ${entries} within a millisecond`,
    walkSql[entries].sameTime.sqlite,
    [`${index} AND created_at=? AND rowid<?)`],
  ],
  [`a chunk of ${entries}`, walkSql[entries].earlier.sqlite, [`${index} AND created_at>? AND created_at<?)`]],
]

describe('for lists, pages and metrics, rows are', () => {
  testPlans([
    ...chunksOf('all', 'COVERING INDEX deliveries_of_webhook (webhook_id=?'),
    ...chunksOf('failed', 'COVERING INDEX deliveries_unhealthy (webhook_id=? AND status=?'),
    ...chunksOf('dead', 'COVERING INDEX deliveries_unhealthy (webhook_id=? AND status=?'),
    ...chunksOf('canceled', 'COVERING INDEX deliveries_unhealthy (webhook_id=? AND status=?'),
    ...chunksOf('retrying', 'INDEX deliveries_retrying (webhook_id=?'),
    [
      'what a search must know of deliveries',
      searchSql.facts.sqlite,
      ['d USING INTEGER PRIMARY KEY', 'w USING INTEGER PRIMARY KEY', 'e USING INTEGER PRIMARY KEY'],
    ],
    [
      'what a search for codes must know of deliveries',
      searchSql.factsAndCodes.sqlite,
      ['d USING INTEGER PRIMARY KEY', 'a USING PRIMARY KEY (delivery_id=? AND number=?)'],
    ],
    [
      'the deliveries of an event',
      deliveriesOfEvent.sqlite,
      [
        'e USING INTEGER PRIMARY KEY (rowid=?)',
        'd USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
        'w USING INTEGER PRIMARY KEY (rowid=?)',
        'a USING PRIMARY KEY (event_id=? AND delivery_id<?)',
        'd USING INTEGER PRIMARY KEY (rowid=?)',
      ],
    ],
    [
      'counting what is leased, up to a number',
      searchSql.leasedCount.sqlite,
      ['COVERING INDEX deliveries_leased', 'SCAN (subquery-1)'],
    ],
    [
      'what waits for a webhook that is searched',
      searchSql.waiting.sqlite,
      ['deliveries_waiting (webhook_id=?)'],
    ],
    ['what is leased', searchSql.leased.sqlite, ['deliveries_leased']],
    [
      'the webhooks to search',
      searchSql.webhooks.sqlite,
      ['webhooks_of_workspace (workspace_id=? AND rowid>? AND rowid<?)'],
    ],
    ['a page of webhooks', webhookSql.page.sqlite, ['webhooks_of_workspace (workspace_id=? AND rowid<?)']],
    ['events of a feed', feedSql.after.sqlite, ['events_feed (workspace_id=? AND seq>?)']],
    [
      'what a consumer has yet to acknowledge',
      consumerSql.lags.sqlite,
      ['events_feed (workspace_id=? AND seq>?)', 'SCAN first', 'SCAN behind'],
    ],
    ['times of events of a feed', consumerSql.times.sqlite, ['events_feed (workspace_id=? AND seq>?)']],
    [
      'a consumer by its name',
      consumerSql.get.sqlite,
      ['sqlite_autoindex_consumers_1 (workspace_id=? AND name=?)'],
    ],
    ['an event by its row', feedSql.byId.sqlite, ['e USING INTEGER PRIMARY KEY (rowid=?)']],
    ['an event by its id', feedSql.byBroughtId.sqlite, ['events_brought (workspace_id=? AND brought_id=?)']],
    [
      'the newest events of a type',
      feedSql.latest.sqlite,
      ['r USING PRIMARY KEY (workspace_id=? AND type=?)'],
    ],
    [
      'the URL of a version',
      sentSql.urls.sqlite,
      ['webhook_urls USING PRIMARY KEY (webhook_id=? AND from_version<?)'],
    ],
    ['the secrets of a version', sentSql.secrets.sqlite, ['secrets_of_webhook (webhook_id=?)']],
    [
      'the newest delivery of a webhook',
      overviewSql.latest.sqlite,
      ['deliveries USING INDEX deliveries_of_webhook (webhook_id=?)'],
    ],
    [
      'the latest attempt of a delivery',
      overviewSql.latestAttempts.sqlite,
      ['attempts USING PRIMARY KEY (delivery_id=?)'],
    ],
    [
      'what waits for a webhook',
      overviewSql.waiting.sqlite,
      ['deliveries_waiting (webhook_id=?)', 'SCAN looked'],
    ],
    [
      'what is leased of webhooks',
      overviewSql.leased.sqlite,
      ['deliveries USING INDEX deliveries_leased', 'd USING INTEGER PRIMARY KEY', 'SCAN h'],
    ],
    [
      'the webhooks that fail now',
      currentStateSql.failingOfAll.sqlite,
      ['webhooks_failing (failing_since>?)', 's USING INTEGER PRIMARY KEY (rowid=?)'],
    ],
    [
      'the oldest delivery of a webhook that was attempted',
      currentStateSql.retrying.sqlite,
      ['deliveries USING INDEX deliveries_retrying (webhook_id=?)'],
    ],
    [
      'the oldest delivery of a webhook that was not attempted',
      currentStateSql.waiting.sqlite,
      ['deliveries_waiting (webhook_id=?)'],
    ],
    [
      'what a webhook missed',
      stopSql.missed.sqlite,
      [
        'events_feed (workspace_id=? AND seq>? AND seq<?)',
        'deliveries_of_webhook (webhook_id=? AND created_at=?)',
      ],
    ],
    ['when a webhook was off', stopSql.ofWebhook.sqlite, ['stops_of_webhook (webhook_id=?)']],
    ['when a workspace was suspended', stopSql.ofWorkspace.sqlite, ['stops_of_workspace (workspace_id=?)']],
    ['the secrets of a webhook', secretSql.list.sqlite, ['secrets_of_webhook (webhook_id=?)']],
    ['the secrets that sign', secretSql.signing.sqlite, ['secrets_of_webhook (webhook_id=?)']],
    [
      'a webhook by its id alone',
      webhookSql.byPublicIdAlone.sqlite,
      ['w USING INDEX sqlite_autoindex_webhooks_1 (public_id=?)', 's USING INTEGER PRIMARY KEY (rowid=?)'],
    ],
    [
      'sends that count',
      manualSendSql.recentSends.sqlite,
      ['manual_sends_of_workspace (workspace_id=? AND sent_at>? AND sent_at<?)'],
    ],
    ['one delivery', deliverySql.one.sqlite, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
    [
      'the attempts of deliveries',
      deliverySql.attempts.sqlite,
      ['d USING INTEGER PRIMARY KEY', 'a USING PRIMARY KEY (delivery_id=? AND number>?)'],
    ],
    ['the members with an address', peopleSql.ofEmail.sqlite, ['members_of_email (email=?)']],
    [
      'the links of an address',
      linkSql.counted.sqlite,
      ['sign_in_links_of_email (email=? AND created_at>? AND created_at<?)'],
    ],
    [
      'description of a webhook',
      describedSql.webhooks.sqlite,
      ['w USING INTEGER PRIMARY KEY', 's USING INTEGER PRIMARY KEY'],
    ],
    ['a bucket of stats', statsSql.found.sqlite, [`${STATS} (unit=? AND scope=? AND at=? AND bucket=?)`]],
    [
      'buckets of stats at some times',
      statsSql.buckets.sqlite,
      [`${STATS} (unit=? AND scope=? AND at=? AND bucket=?)`],
    ],
    [
      'some buckets of stats at some times',
      statsSql.ranked.sqlite,
      [`${STATS} (unit=? AND scope=? AND at=? AND bucket>? AND bucket<?)`],
    ],
    [
      'the last hour with stats',
      egressSql.lastHour.sqlite,
      ['INDEX sqlite_autoindex_stats_1 (unit=? AND scope=? AND at<?)'],
    ],
    [
      'the newest buckets of an hour',
      egressSql.newestOfHour.sqlite,
      ['INDEX sqlite_autoindex_stats_1 (unit=? AND scope=? AND at=?)'],
    ],
    [
      'the oldest buckets of an hour',
      egressSql.oldestOfHour.sqlite,
      ['INDEX sqlite_autoindex_stats_1 (unit=? AND scope=? AND at=?)'],
    ],
    [
      'a part of the queue',
      queueSql.part.sqlite,
      [
        'deliveries_waiting ((webhook_id,next_attempt_at)>(?,?))',
        'w USING INTEGER PRIMARY KEY (rowid=?)',
        's USING INTEGER PRIMARY KEY (rowid=?)',
        'SCAN c',
        ...PART,
      ],
    ],
    [
      'what waits for a webhook behind a place',
      queueSql.waitingOf.sqlite,
      ['deliveries_waiting (webhook_id=? AND next_attempt_at>?)', 'SCAN looked'],
    ],
    [
      'the place of the last of these',
      queueSql.lastOf.sqlite,
      ['deliveries_waiting (webhook_id=? AND next_attempt_at>?)'],
    ],
    [
      'the next webhooks of a workspace to count',
      queueSql.webhooks.sqlite,
      ['webhooks USING INDEX webhooks_of_workspace (workspace_id=? AND rowid>?)'],
    ],
    [
      'deliveries that a workspace has waiting to be created',
      queueSql.unmadeOf.sqlite,
      ['fanout_queues USING INTEGER PRIMARY KEY (rowid=?)'],
    ],
    [
      'leased deliveries and deliveries still to create',
      queueSql.beside.sqlite,
      [
        'COVERING INDEX deliveries_leased',
        'SCAN f',
        'e USING INTEGER PRIMARY KEY (rowid=?)',
        'SCAN CONSTANT ROW',
      ],
    ],
    ['the audit log', auditSql.all.sqlite, ['audit_log USING INTEGER PRIMARY KEY (rowid<?)']],
    [
      'the audit log of a workspace',
      auditSql.ofWorkspace.sqlite,
      ['audit_log_of_workspace (workspace_public_id=? AND rowid<?)'],
    ],
    [
      'the audit log of a target',
      auditSql.ofTarget.sqlite,
      ['audit_log_of_target (target_id=? AND rowid<?)'],
    ],
    [
      'names by id',
      auditSql.names.sqlite,
      [
        'json_each VIRTUAL TABLE INDEX',
        ...['workspaces', 'members', 'keys', 'operators', 'webhooks'].map(
          (table) => `${table} USING INDEX sqlite_autoindex_${table}_1 (public_id=?)`,
        ),
      ],
    ],
  ])
})
