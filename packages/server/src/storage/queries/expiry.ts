import { ends, QUEUE_KEPT_MS } from '../../core/stats/units.ts'
import type { CallParams } from '../callGroups.ts'
import { indexedBy, isOneOf, numberList, type Statement, sql, type Value } from './sql.ts'
import { all, rows, run, type Work } from './work.ts'

/** Of some rows of a table. PostgreSQL skips locked rows for now. */
const some = (table: string, key: string, condition: string) => ({
  sqlite: `${key} IN (SELECT ${key.replaceAll(/[()]/g, '')} FROM ${table} WHERE ${condition} LIMIT $2)`,
  postgres: `ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
})

export const aged = (table: string, condition: string, key = 'id'): Statement =>
  sql`DELETE FROM ${table} WHERE ${some(table, key, condition)}`

export const expirySql = {
  idempotencyKeys: aged('idempotency_keys', 'created_at < $1', '(scope, key)'),
  responseData: sql`
    UPDATE idempotency_keys SET memo = NULL, memo_until = NULL
    WHERE ${some('idempotency_keys', '(scope, key)', 'memo_until <= $1')}`,
  sessions: aged('sessions', 'expires_at < $1'),
  browserSessions: aged('browser_sessions', 'expires_at < $1'),
  links: aged('sign_in_links', 'expires_at < $1'),
  secrets: aged('secrets', 'expires_at IS NOT NULL AND expires_at < $1'),
  manualSends: aged('manual_sends', 'sent_at < $1'),
  stops: aged('stops', 'ended_at IS NOT NULL AND ended_at < $1'),
  searchTests: aged('search_tests', 'created_at < $1', 'event_id'),
  searchOutcomes: aged('search_outcomes', 'at < $1'),
  queueSamples: aged('queue_samples', 'at < $1', 'at'),
  stats: aged('stats', 'unit = $3 AND scope = $4 AND at < $1'),
  emptyWebhooks: sql`
    SELECT w.id FROM webhooks w ${indexedBy('webhooks_deleted')}
    WHERE w.deleted_at < $1
      AND NOT EXISTS (SELECT 1 FROM deliveries ${indexedBy('deliveries_of_webhook')} WHERE webhook_id = w.id)
    LIMIT $2`,
  emptyWorkspaces: sql`
    SELECT s.id FROM workspaces s ${indexedBy('workspaces_deleted')}
    WHERE s.deleted_at < $1 AND NOT EXISTS (SELECT 1 FROM webhooks WHERE workspace_id = s.id) LIMIT $2`,
}

const removal = (table: string, column: string) =>
  sql`DELETE FROM ${table} WHERE ${column} ${isOneOf('$1', 'bigint')}`
const OF_WEBHOOK = [
  removal('webhook_urls', 'webhook_id'),
  removal('retries', 'webhook_id'),
  removal('limit_owners', 'webhook_id'),
  removal('stops', 'webhook_id'),
  removal('webhooks', 'id'),
]
const OF_WORKSPACE = [
  removal('replays', 'workspace_id'),
  removal('search_progress', 'workspace_id'),
  removal('stops', 'workspace_id'),
  removal('consumers', 'workspace_id'),
  removal('keys', 'workspace_id'),
  removal('members', 'workspace_id'),
  removal('workspaces', 'id'),
]

/** Removes up to `limit` rows. @returns how many */
type Stage = (limit: number) => Work<number>

/**
 * The retention that both stores share: expired rows of small tables, and deleted objects, once nothing refers to them.
 * @returns how many rows were deleted
 */
export function* deleteOld(expiry: CallParams<'deleteExpired'>, limit: number): Work<number> {
  let left = limit
  for (const stage of stagesOf(expiry)) if (left > 0) left -= yield* stage(left)
  return limit - left
}

function stagesOf({ before, now, idempotencyBefore }: CallParams<'deleteExpired'>): Stage[] {
  const stage =
    (statement: Statement, time: number, ...which: readonly Value[]): Stage =>
    (limit) =>
      run(statement, [time, limit, ...which])
  return [
    stage(expirySql.idempotencyKeys, idempotencyBefore),
    stage(expirySql.responseData, now),
    stage(expirySql.sessions, now),
    stage(expirySql.browserSessions, now),
    stage(expirySql.links, now),
    stage(expirySql.secrets, before),
    stage(expirySql.manualSends, before),
    stage(expirySql.stops, before),
    stage(expirySql.searchTests, before),
    stage(expirySql.searchOutcomes, before),
    stage(expirySql.queueSamples, now - QUEUE_KEPT_MS),
    ...ends(now).map(({ unit, scope, before }) => stage(expirySql.stats, before, unit, scope)),
    (limit) => parents(expirySql.emptyWebhooks, OF_WEBHOOK, before, limit),
    (limit) => parents(expirySql.emptyWorkspaces, OF_WORKSPACE, before, limit),
  ]
}

/** @param removals what goes with each, itself last */
function* parents(
  empty: Statement,
  removals: readonly Statement[],
  before: number,
  limit: number,
): Work<number> {
  const gone = yield* rows<{ readonly id: number }>(empty, [before, limit])
  if (gone.length === 0) return 0
  const ids = numberList(gone.map(({ id }) => id))
  yield* all(...removals.map((statement) => run(statement, [ids])))
  return gone.length
}
