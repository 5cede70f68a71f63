import { expect, test } from 'vitest'
import { attemptSql } from '../../../src/storage/sqlite/areas/attemptRows.ts'
import { cancelSql } from '../../../src/storage/sqlite/areas/cancel.ts'
import { claimSql } from '../../../src/storage/sqlite/areas/claim.ts'
import { recordSql } from '../../../src/storage/sqlite/areas/deliveryRecords.ts'
import { matchSql } from '../../../src/storage/sqlite/areas/matching.ts'
import { nodeSql } from '../../../src/storage/sqlite/areas/nodes.ts'
import { repeatSql } from '../../../src/storage/sqlite/areas/repeats.ts'
import { retentionSql } from '../../../src/storage/sqlite/areas/retention.ts'
import { openDatabase } from './database.ts'

// Each must find its rows by a key: on a table of millions, anything else stalls every commit behind it.
const plans: readonly [string, string, string[]][] = [
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
  ['a repeat by its id', repeatSql.byBroughtId, ['events_brought (workspace_id=? AND brought_id=?)']],
  ['recording a first success', attemptSql.succeedAtOnce, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  ['recording a success', attemptSql.succeed, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  ['recording a failure', attemptSql.fail, ['deliveries USING INTEGER PRIMARY KEY (rowid=?)']],
  ['the log of a webhook', recordSql.list, ['deliveries_of_webhook (webhook_id=? AND rowid<?)']],
  ['one delivery', recordSql.one, ['d USING INTEGER PRIMARY KEY (rowid=?)']],
  ['the attempts of a delivery', recordSql.attempts, ['attempts USING PRIMARY KEY (delivery_id=?)']],
  ['freeing the leases of a node', nodeSql.free, ['deliveries_leased (lease=?)']],
  ['canceling what waits', cancelSql.cancelWaiting, ['deliveries_waiting (webhook_id=?)']],
  ['canceling what is in flight', cancelSql.cancelLeased, ['d USING INDEX deliveries_leased']],
  ['webhooks that are being canceled', cancelSql.canceling, ['webhooks_canceling']],
  ['the oldest deliveries', retentionSql.oldestDeliveries, ['SCAN deliveries']],
  [
    'the oldest events',
    retentionSql.oldestEvents,
    ['SCAN e', 'd USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ],
  [
    'deleted webhooks without deliveries',
    retentionSql.emptyWebhooks,
    ['webhooks_deleted', 'deliveries_of_webhook'],
  ],
]

test.each(plans)('%s: found by a key, in order, without sorting', (_, statement, steps) => {
  const plan = openDatabase()
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
    .all(...bindingsOf(statement))
    .map(({ detail }) => detail)
  for (const step of steps) expect(plan.join('\n')).toContain(step)
  expect(plan.join('\n')).not.toContain('TEMP B-TREE')
})

function bindingsOf(statement: string): unknown[] {
  const named = [...statement.matchAll(/@(\w+)/g)].map(([, name]) => [name!, 1] as const)
  if (named.length > 0) return [Object.fromEntries(named)]
  return Array.from(statement.matchAll(/\?/g), () => 1)
}
