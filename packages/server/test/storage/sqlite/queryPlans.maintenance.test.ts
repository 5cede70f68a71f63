import { describe } from 'vitest'
import { expirySql } from '../../../src/storage/queries/expiry.ts'
import { lostSql } from '../../../src/storage/queries/lostEvents.ts'
import { peopleSql } from '../../../src/storage/queries/people.ts'
import { retentionSql } from '../../../src/storage/sqlite/queries/retention.ts'
import { testPlans } from './plans.ts'

describe('for retention and to end sessions, rows are', () => {
  testPlans([
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
      expirySql.emptyWebhooks.sqlite,
      ['webhooks_deleted', 'deliveries_of_webhook'],
    ],
    [
      'old idempotency keys',
      expirySql.idempotencyKeys.sqlite,
      ['PRIMARY KEY (scope=? AND key=?)', 'idempotency_keys_by_age (created_at<?)'],
    ],
    [
      'response data whose time is over',
      expirySql.responseData.sqlite,
      ['PRIMARY KEY (scope=? AND key=?)', 'idempotency_keys_by_memo (memo_until<?)'],
    ],
    ['consumers behind what is removed', lostSql.behind.sqlite, ['SCAN consumers']],
    ['sessions that have run out', expirySql.sessions.sqlite, ['sessions_expiring (expires_at<?)']],
    [
      'sessions of browsers that have run out',
      expirySql.browserSessions.sqlite,
      ['browser_sessions_expiring (expires_at<?)'],
    ],
    ['links that have run out', expirySql.links.sqlite, ['sign_in_links_expiring (expires_at<?)']],
    [
      'addresses that are no one',
      peopleSql.withoutRights.sqlite,
      ['members_of_email (email=?)', 's USING INTEGER PRIMARY KEY', 'o USING COVERING INDEX'],
    ],
    [
      'ending the sessions of addresses',
      peopleSql.removeOfEmails.sqlite,
      ['browser_sessions_of_email (email=?)', 'SCAN json_each'],
    ],
    [
      'ending the sessions of addresses that began with links',
      peopleSql.removeByLink.sqlite,
      ['browser_sessions_of_email (email=?)', 'SCAN json_each'],
    ],
    ['ending the sessions of members', peopleSql.removeOfMembers.sqlite, ['(member_id=?)', 'SCAN json_each']],
    [
      'using up the links of addresses',
      peopleSql.useUpOfEmails.sqlite,
      ['sign_in_links_of_email (email=?)', 'SCAN json_each'],
    ],
    [
      'using up the links of members',
      peopleSql.useUpOfMembers.sqlite,
      ['sign_in_links_of_member (member_id=?)', 'SCAN json_each'],
    ],
    ['old secrets', expirySql.secrets.sqlite, ['secrets_expiring (expires_at>? AND expires_at<?)']],
    [
      'old figures',
      expirySql.figures.sqlite,
      ['COVERING INDEX sqlite_autoindex_figures_1 (unit=? AND scope=? AND at<?)'],
    ],
    ['old samples of the queue', expirySql.queueSamples.sqlite, ['PRIMARY KEY (rowid<?)']],
  ])
})
