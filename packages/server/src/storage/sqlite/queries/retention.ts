import { ends, QUEUE_KEPT_MS } from '../../../core/figures/units.ts'
import type { Connection } from '../connection.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { type Aged, AgeWalk } from './ageWalk.ts'

type Expiry = VerbParams<'deleteExpired'>

/** Removes up to `limit` rows. @returns how many. */
type Stage = (params: Expiry) => number

export const retentionSql = {
  oldestDeliveries: `
    SELECT id, created_at, status = 'pending' AS pending,
      coalesce(cancel_reason = 'expired' AND finished_at >= @expiredBefore, 0) AS needed
    FROM deliveries WHERE lease IS NULL AND id > @after ORDER BY id`,
  /** What ends with its webhook is left to that. */
  expireDelivery: `
    UPDATE deliveries SET status = 'canceled', cancel_reason = 'expired', next_attempt_at = NULL, finished_at = ?
    WHERE id = ? AND id > coalesce((SELECT canceled_through FROM webhooks WHERE id = webhook_id), 0)`,
  deleteDelivery: 'DELETE FROM deliveries WHERE id = ?',
  deleteAttempts: 'DELETE FROM attempts WHERE delivery_id = ?',
  /** An event's deliveries have consecutive ids, so one look at the table tells whether any is left. */
  oldestEvents: `
    SELECT e.id, e.workspace_id, e.type, e.created_at, EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.id >= e.first_delivery_id AND d.id < e.first_delivery_id + e.delivery_count)
      OR EXISTS (SELECT 1 FROM fanouts f WHERE f.event_id = e.id) AS needed
    FROM events e WHERE e.id > @after ORDER BY e.id`,
  deleteEvent: 'DELETE FROM events WHERE id = ?',
  deleteRecent: 'DELETE FROM recent_events WHERE workspace_id = ? AND type = ? AND event_id = ?',
  oldestNotifications: 'SELECT id, created_at FROM notifications WHERE id > @after ORDER BY id',
  deleteNotification: 'DELETE FROM notifications WHERE id = ?',
  /** One that goes on finds nothing to do soon, and is finished then. */
  oldestReplays:
    'SELECT id, created_at, finished_at IS NULL AS needed FROM replays WHERE id > @after ORDER BY id',
  deleteReplay: 'DELETE FROM replays WHERE id = ?',
  oldestAudit: 'SELECT id, at AS created_at FROM audit_log WHERE id > @after ORDER BY id',
  deleteAudit: 'DELETE FROM audit_log WHERE id = ?',
  deleteOnce: `
    DELETE FROM idempotency_keys WHERE (scope, key) IN (
      SELECT scope, key FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
  deleteMemos: `
    UPDATE idempotency_keys SET memo = NULL, memo_until = NULL WHERE (scope, key) IN (
      SELECT scope, key FROM idempotency_keys WHERE memo_until <= ? LIMIT ?)`,
  deleteSessions: `
    DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < ? LIMIT ?)`,
  deleteBrowserSessions: `
    DELETE FROM browser_sessions WHERE id IN (SELECT id FROM browser_sessions WHERE expires_at < ? LIMIT ?)`,
  deleteLinks: `
    DELETE FROM sign_in_links WHERE id IN (SELECT id FROM sign_in_links WHERE expires_at < ? LIMIT ?)`,
  deleteSecrets: `
    DELETE FROM secrets WHERE id IN (
      SELECT id FROM secrets WHERE expires_at IS NOT NULL AND expires_at < ? LIMIT ?)`,
  deleteManualSends: `
    DELETE FROM manual_sends WHERE id IN (SELECT id FROM manual_sends WHERE sent_at < ? LIMIT ?)`,
  deleteFigures: `
    DELETE FROM figures WHERE id IN (
      SELECT id FROM figures WHERE unit = ? AND scope = ? AND at < ? LIMIT ?)`,
  deleteQueueSamples: `
    DELETE FROM queue_samples WHERE at IN (SELECT at FROM queue_samples WHERE at < ? LIMIT ?)`,
  emptyWebhooks: `
    SELECT w.id FROM webhooks w INDEXED BY webhooks_deleted
    WHERE w.deleted_at < ?
      AND NOT EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_of_webhook WHERE webhook_id = w.id)
    LIMIT ?`,
  deleteUrls: 'DELETE FROM webhook_urls WHERE webhook_id = ?',
  deleteWebhook: 'DELETE FROM webhooks WHERE id = ?',
  emptyWorkspaces: `
    SELECT s.id FROM workspaces s INDEXED BY workspaces_deleted
    WHERE s.deleted_at < ? AND NOT EXISTS (SELECT 1 FROM webhooks WHERE workspace_id = s.id) LIMIT ?`,
  deleteReplays: 'DELETE FROM replays WHERE workspace_id = ?',
  deleteKeys: 'DELETE FROM keys WHERE workspace_id = ?',
  deleteMembers: 'DELETE FROM members WHERE workspace_id = ?',
  deleteWorkspace: 'DELETE FROM workspaces WHERE id = ?',
}

interface AgedDelivery extends Aged {
  readonly pending: 0 | 1
}

interface AgedEvent extends Aged {
  readonly workspace_id: number
  readonly type: string
}

export function retentionVerbs({ db }: Store): Pick<VerbTable, 'deleteExpired'> {
  let expired = 0
  // Children first: what a stage leaves behind keeps its parents.
  const stages = [
    deliveries(db, (count) => {
      expired += count
    }),
    events(db),
    ...agingTables(db),
    ...smallTables(db),
    figures(db),
    webhooks(db),
    workspaces(db),
  ]
  return {
    deleteExpired(params) {
      expired = 0
      let left = params.limit
      for (const stage of stages) {
        if (left > 0) left -= stage({ ...params, limit: left })
      }
      return { handled: params.limit - left, expired }
    },
  }
}

function deliveries(db: Connection, onExpired: (count: number) => void): Stage {
  const walk = new AgeWalk<AgedDelivery>(db, retentionSql.oldestDeliveries)
  const expireDelivery = db.prepare<[number, number]>(retentionSql.expireDelivery)
  const deleteDelivery = db.prepare<[number]>(retentionSql.deleteDelivery)
  const deleteAttempts = db.prepare<[number]>(retentionSql.deleteAttempts)
  return (params) =>
    walk.step(params, ({ id, pending }) => {
      if (pending) {
        const { changes } = expireDelivery.run(params.now, id)
        onExpired(changes)
        return changes > 0
      }
      deleteAttempts.run(id)
      deleteDelivery.run(id)
      return true
    })
}

function events(db: Connection): Stage {
  const walk = new AgeWalk<AgedEvent>(db, retentionSql.oldestEvents)
  const deleteEvent = db.prepare<[number]>(retentionSql.deleteEvent)
  const deleteRecent = db.prepare<[number, string, number]>(retentionSql.deleteRecent)
  return (params) =>
    walk.step(params, (event) => {
      deleteRecent.run(event.workspace_id, event.type, event.id)
      deleteEvent.run(event.id)
      return true
    })
}

function agingTables(db: Connection): Stage[] {
  const { oldestNotifications, deleteNotification, oldestReplays, deleteReplay, oldestAudit, deleteAudit } =
    retentionSql
  const audit = aging(db, oldestAudit, deleteAudit)
  return [
    aging(db, oldestNotifications, deleteNotification),
    aging(db, oldestReplays, deleteReplay),
    (params) => audit({ ...params, before: params.auditBefore }),
  ]
}

function aging(db: Connection, oldestSql: string, deleteSql: string): Stage {
  const walk = new AgeWalk<Aged>(db, oldestSql)
  const remove = db.prepare<[number]>(deleteSql)
  return (params) =>
    walk.step(params, ({ id }) => {
      remove.run(id)
      return true
    })
}

function smallTables(db: Connection): Stage[] {
  const once = db.prepare<[number, number]>(retentionSql.deleteOnce)
  const memos = db.prepare<[number, number]>(retentionSql.deleteMemos)
  const sessions = db.prepare<[number, number]>(retentionSql.deleteSessions)
  const browserSessions = db.prepare<[number, number]>(retentionSql.deleteBrowserSessions)
  const links = db.prepare<[number, number]>(retentionSql.deleteLinks)
  const secrets = db.prepare<[number, number]>(retentionSql.deleteSecrets)
  const manualSends = db.prepare<[number, number]>(retentionSql.deleteManualSends)
  const queueSamples = db.prepare<[number, number]>(retentionSql.deleteQueueSamples)
  return [
    ({ onceBefore, limit }) => once.run(onceBefore, limit).changes,
    ({ now, limit }) => memos.run(now, limit).changes,
    ({ now, limit }) => sessions.run(now, limit).changes,
    ({ now, limit }) => browserSessions.run(now, limit).changes,
    ({ now, limit }) => links.run(now, limit).changes,
    ({ before, limit }) => secrets.run(before, limit).changes,
    ({ before, limit }) => manualSends.run(before, limit).changes,
    ({ now, limit }) => queueSamples.run(now - QUEUE_KEPT_MS, limit).changes,
  ]
}

function figures(db: Connection): Stage {
  const remove = db.prepare<[string, string, number, number]>(retentionSql.deleteFigures)
  return ({ now, limit }) => {
    let left = limit
    for (const { unit, scope, before } of ends(now)) left -= remove.run(unit, scope, before, left).changes
    return limit - left
  }
}

function webhooks(db: Connection): Stage {
  const { emptyWebhooks, deleteUrls, deleteWebhook } = retentionSql
  return parents(db, emptyWebhooks, [deleteUrls, deleteWebhook])
}

/** All events of a workspace that was deleted before `before` are older still, and went in an earlier stage. */
function workspaces(db: Connection): Stage {
  const { emptyWorkspaces, deleteReplays, deleteKeys, deleteMembers, deleteWorkspace } = retentionSql
  return parents(db, emptyWorkspaces, [deleteReplays, deleteKeys, deleteMembers, deleteWorkspace])
}

/** @param removalSqls what goes with each, itself last */
function parents(db: Connection, emptySql: string, removalSqls: readonly string[]): Stage {
  const empty = db.prepare<[number, number], { id: number }>(emptySql)
  const removals = removalSqls.map((text) => db.prepare<[number]>(text))
  return ({ before, limit }) => {
    const gone = empty.all(before, limit)
    for (const { id } of gone) for (const removal of removals) removal.run(id)
    return gone.length
  }
}
