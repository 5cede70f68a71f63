import { describe } from 'vitest'
import { cancelSql } from '../../../src/storage/queries/cancel.ts'
import { fanoutStepSql } from '../../../src/storage/queries/fanouts.ts'
import { manualSendSql } from '../../../src/storage/queries/manualSends.ts'
import { NEWEST_DELIVERIES, notificationSql } from '../../../src/storage/queries/notifications.ts'
import { replaySql } from '../../../src/storage/queries/replays.ts'
import { claimSql, pullInSql } from '../../../src/storage/sqlite/queries/claim.ts'
import { fanoutSql, lateSql } from '../../../src/storage/sqlite/queries/fanouts.ts'
import { matchSql } from '../../../src/storage/sqlite/queries/matching.ts'
import { nodeSql } from '../../../src/storage/sqlite/queries/nodes.ts'
import { repeatSql } from '../../../src/storage/sqlite/queries/publish.ts'
import { attemptSql } from '../../../src/storage/sqlite/queries/record.ts'
import { testPlans } from './plans.ts'

describe('to publish, send, cancel and replay, rows are', () => {
  testPlans([
    [
      'skipping to the next webhook with due deliveries',
      claimSql.nextWaiting,
      ['deliveries_waiting (webhook_id>?)'],
    ],
    ['the due deliveries of one webhook', claimSql.waitingOf, ['deliveries_waiting (webhook_id=?)']],
    ['who sends to a limited webhook', claimSql.owned, ['limit_owners USING INTEGER PRIMARY KEY (rowid=?)']],
    ['taking a delivery', claimSql.take, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
    [
      'matching webhooks',
      matchSql.onWebhooks,
      ['webhooks_of_workspace (workspace_id=?)', 'PRIMARY KEY (rowid=?)'],
    ],
    [
      'whose turn it is to fan out',
      fanoutStepSql.turn.sqlite,
      ['fanouts USING COVERING INDEX fanouts_of_workspace (workspace_id>?)', 'SCAN CONSTANT ROW'],
    ],
    [
      'the oldest fan-outs of a workspace',
      fanoutStepSql.oldest.sqlite,
      [
        'fanouts USING INDEX fanouts_of_workspace (workspace_id=?)',
        'events USING INTEGER PRIMARY KEY (rowid=?)',
      ],
    ],
    ['the event of a late delivery', lateSql.event, ['events USING INTEGER PRIMARY KEY (rowid=?)']],
    [
      'sets of webhooks',
      fanoutStepSql.readSets.sqlite,
      ['match_sets USING INTEGER PRIMARY KEY (rowid=?)', 'SCAN json_each'],
    ],
    [
      'webhooks of sets',
      fanoutStepSql.targets.sqlite,
      ['webhooks USING INTEGER PRIMARY KEY (rowid=?)', 'SCAN json_each'],
    ],
    [
      'the end of fan-outs',
      fanoutStepSql.finish.sqlite,
      ['fanouts_of_workspace (workspace_id=? AND event_id=?)', 'SCAN json_each'],
    ],
    [
      'dropping sets',
      fanoutStepSql.dropSets.sqlite,
      ['match_sets USING INTEGER PRIMARY KEY (rowid=?)', 'fanouts_of_set (set_id=?)', 'SCAN json_each'],
    ],
    [
      'what a workspace has to be made',
      fanoutSql.waiting,
      ['fanout_queues USING INTEGER PRIMARY KEY (rowid=?)'],
    ],
    ['a repeat by its id', repeatSql.byBroughtId, ['events_brought (workspace_id=? AND brought_id=?)']],
    [
      'recording a first success',
      attemptSql.succeedAtOnce,
      ['deliveries USING INTEGER PRIMARY KEY (rowid=?)'],
    ],
    ['recording a success', attemptSql.succeed, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
    ['recording a failure', attemptSql.fail, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
    [
      'notifications that are due',
      notificationSql.due.sqlite,
      ['notifications_waiting (<expr>=? AND due_at<?)'],
    ],
    [
      'a notification that is claimed',
      notificationSql.claimed.sqlite,
      [
        'n USING INTEGER PRIMARY KEY',
        's USING INTEGER PRIMARY KEY',
        'm USING INTEGER PRIMARY KEY',
        'w USING INTEGER PRIMARY KEY',
        'o USING INDEX notifications_of_webhook (webhook_id=? AND created_at>? AND created_at<?)',
        'SCAN recent',
      ],
    ],
    ['notifications that wait', notificationSql.waiting.sqlite, ['notifications_waiting']],
    [
      'the webhooks to replay',
      replaySql.webhooks.sqlite,
      ['webhooks_of_workspace (workspace_id=? AND rowid>? AND rowid<?)'],
    ],
    ['whose turn it is to replay', replaySql.turn.sqlite, ['replays_unfinished']],
    ['the replays of a workspace that go on', replaySql.unfinished.sqlite, ['replays_unfinished']],
    ['a replay that goes on', replaySql.hold.sqlite, ['replays_unfinished']],
    [
      'the last recovery of a webhook',
      replaySql.latestRecovery.sqlite,
      ['recoveries_of_webhook (webhook_id=?)'],
    ],
    ['whether webhooks to replay are being canceled', replaySql.canceling.sqlite, ['webhooks_canceling']],
    ['one replay', replaySql.get.sqlite, ['r USING INDEX sqlite_autoindex_replays_1 (public_id=?)']],
    [
      'the dead of a webhook, from a position on',
      replaySql.dead.sqlite,
      [
        'deliveries_unhealthy (webhook_id=? AND status=? AND created_at=? AND rowid>?)',
        'deliveries_unhealthy (webhook_id=? AND status=? AND created_at>? AND created_at<?)',
        'e USING INTEGER PRIMARY KEY (rowid=?)',
      ],
    ],
    [
      'new runs of deliveries',
      manualSendSql.startRuns.sqlite,
      ['deliveries USING INTEGER PRIMARY KEY (rowid=?)', 'SCAN json_each'],
    ],
    [
      'the newest deliveries of a webhook',
      NEWEST_DELIVERIES,
      ['COVERING INDEX deliveries_of_webhook (webhook_id=?)'],
    ],
    ['freeing the leases of a node', nodeSql.free, ['deliveries_leased (lease=?)']],
    [
      'deliveries that are due too far off',
      pullInSql.pullIn,
      [
        'deliveries USING INTEGER PRIMARY KEY (rowid=?)',
        'deliveries_waiting (webhook_id=? AND next_attempt_at>?)',
      ],
    ],
    ['canceling what waits', cancelSql.cancelWaiting.sqlite, ['deliveries_waiting (webhook_id=?)']],
    ['what is in flight and to be canceled', cancelSql.leased.sqlite, ['d USING INDEX deliveries_leased']],
    [
      'canceling what is in flight',
      cancelSql.cancelLeased.sqlite,
      ['deliveries USING INTEGER PRIMARY KEY (rowid=?)', 'SCAN json_each'],
    ],
    ['webhooks that are being canceled', cancelSql.canceling.sqlite, ['webhooks_canceling']],
    [
      'counting the replays of a workspace that go on',
      replaySql.unfinishedCount.sqlite,
      ['replays USING INDEX replays_unfinished'],
    ],
  ])
})
