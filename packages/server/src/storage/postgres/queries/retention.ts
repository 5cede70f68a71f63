import { ends, QUEUE_KEPT_MS } from '../../../core/figures/units.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { type VerbParams, type VerbTable, writes } from '../verb.ts'
import { dropDay, expiredDays, expireWaiting, oldestUnkept } from './expiredDays.ts'

/** Rows that somebody else is busy with are left for another time. */
const aged = (table: string, condition: string) => `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED))`

export const retentionSql = {
  deleteBroughtIds: aged('brought_ids', 'created_at < $1'),
  deleteRecent: aged('recent_events', 'created_at < $1'),
  deleteNotifications: aged('notifications', 'created_at < $1'),
  /** One that goes on finds nothing to do soon, and is finished then. */
  deleteReplays: aged('replays', 'created_at < $1 AND finished_at IS NOT NULL'),
  deleteAudit: aged('audit_log', 'at < $1'),
  deleteOnce: aged('idempotency_keys', 'created_at < $1'),
  deleteMemos: `
    UPDATE idempotency_keys SET memo = NULL, memo_until = NULL WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency_keys WHERE memo_until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  deleteSessions: aged('sessions', 'expires_at < $1'),
  deleteBrowserSessions: aged('browser_sessions', 'expires_at < $1'),
  deleteLinks: aged('sign_in_links', 'expires_at < $1'),
  deleteSecrets: aged('secrets', 'expires_at IS NOT NULL AND expires_at < $1'),
  deleteManualSends: aged('manual_sends', 'sent_at < $1'),
  deleteFigures: `
    DELETE FROM figures WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM figures WHERE unit = $3 AND scope = $4 AND at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  deleteQueueSamples: aged('queue_samples', 'at < $1'),
  emptyWebhooks: `
    SELECT w.id FROM webhooks w
    WHERE w.deleted_at < $1 AND NOT EXISTS (SELECT 1 FROM deliveries WHERE webhook_id = w.id)
    LIMIT $2`,
  emptyWorkspaces: `
    SELECT s.id FROM workspaces s
    WHERE s.deleted_at < $1 AND NOT EXISTS (SELECT 1 FROM webhooks WHERE workspace_id = s.id)
    LIMIT $2`,
}

const sql = {
  deleteUrls: 'DELETE FROM webhook_urls WHERE webhook_id = ANY ($1::bigint[])',
  deleteWebhooks: 'DELETE FROM webhooks WHERE id = ANY ($1::bigint[])',
  deleteReplays: 'DELETE FROM replays WHERE workspace_id = ANY ($1::bigint[])',
  deleteKeys: 'DELETE FROM keys WHERE workspace_id = ANY ($1::bigint[])',
  deleteMembers: 'DELETE FROM members WHERE workspace_id = ANY ($1::bigint[])',
  deleteWorkspaces: 'DELETE FROM workspaces WHERE id = ANY ($1::bigint[])',
}

type Expiry = VerbParams<'deleteExpired'>

/** Removes up to `limit` rows. @returns how many. */
type Stage = (tx: Tx, limit: number) => Promise<number>

export function retentionVerbs({ locks, partitions }: Store): Pick<VerbTable, 'deleteExpired'> {
  return {
    deleteExpired: writes(async (tx, params) => {
      if (!(await locks.tryAlone(tx, 'retention'))) return { handled: 0, expired: 0 }
      const days = await partitions.list(tx)
      const old = await expiredDays(tx, days, params.before)
      const expired = await expireWaiting(tx, old, params.limit, params.now)
      // What belongs to events goes after them.
      const eventsFrom = Math.min(params.before, days[0]?.from ?? params.before)
      let left = params.limit - expired
      for (const stage of [...agingTables(params, eventsFrom), ...parents(params)]) {
        if (left > 0) left -= await stage(tx, left)
      }
      if (left < params.limit) return { handled: params.limit - left, expired }
      // Everybody who sends waits for the locks of this, so nothing else is done under them.
      const oldest = await oldestUnkept(tx, old, params.expiredBefore)
      const dropped = oldest !== undefined && (await dropDay(tx, partitions, oldest))
      return { handled: dropped ? 1 : 0, expired }
    }),
  }
}

function agingTables({ before, now, auditBefore, onceBefore }: Expiry, eventsFrom: number): Stage[] {
  const stage = (text: string, time: number, ...which: readonly string[]): Stage => {
    return (tx, limit) => tx.run(text, [time, limit, ...which])
  }
  return [
    stage(retentionSql.deleteBroughtIds, eventsFrom),
    stage(retentionSql.deleteRecent, eventsFrom),
    stage(retentionSql.deleteNotifications, before),
    stage(retentionSql.deleteReplays, before),
    stage(retentionSql.deleteAudit, auditBefore),
    stage(retentionSql.deleteOnce, onceBefore),
    stage(retentionSql.deleteMemos, now),
    stage(retentionSql.deleteSessions, now),
    stage(retentionSql.deleteBrowserSessions, now),
    stage(retentionSql.deleteLinks, now),
    stage(retentionSql.deleteSecrets, before),
    stage(retentionSql.deleteManualSends, before),
    stage(retentionSql.deleteQueueSamples, now - QUEUE_KEPT_MS),
    ...ends(now).map((end) => stage(retentionSql.deleteFigures, end.before, end.unit, end.scope)),
  ]
}

/** What was deleted by people, once nothing that refers to it is left. */
function parents({ before }: Expiry): Stage[] {
  const stage = (empty: string, removals: readonly string[]): Stage => {
    return async (tx, limit) => {
      const gone = await tx.rows<{ id: number }>(empty, [before, limit])
      if (gone.length === 0) return 0
      const ids = numbers(gone.map(({ id }) => id))
      await Promise.all(removals.map((removal) => tx.run(removal, [ids])))
      return gone.length
    }
  }
  return [
    stage(retentionSql.emptyWebhooks, [sql.deleteUrls, sql.deleteWebhooks]),
    stage(retentionSql.emptyWorkspaces, [
      sql.deleteReplays,
      sql.deleteKeys,
      sql.deleteMembers,
      sql.deleteWorkspaces,
    ]),
  ]
}
