import { ends, QUEUE_KEPT_MS } from '../../../core/figures/units.ts'
import type { Connection } from '../connection.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

/** Rows that one stage looks at, whether they go or not. */
const MAX_LOOKED = 20_000

type Expiry = VerbParams<'deleteExpired'>

/** Removes up to `limit` rows. @returns how many. */
type Stage = (params: Expiry) => number

export const retentionSql = {
  oldestDeliveries: 'SELECT id, created_at FROM deliveries WHERE lease IS NULL ORDER BY id',
  deleteDelivery: 'DELETE FROM deliveries WHERE id = ?',
  deleteAttempts: 'DELETE FROM attempts WHERE delivery_id = ?',
  /** An event's deliveries have consecutive ids, so one look at the table tells whether any is left. */
  oldestEvents: `
    SELECT e.id, e.workspace_id, e.type, e.created_at, EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.id >= e.first_delivery_id AND d.id < e.first_delivery_id + e.delivery_count) AS needed
    FROM events e ORDER BY e.id`,
  deleteEvent: 'DELETE FROM events WHERE id = ?',
  deleteRecent: 'DELETE FROM recent_events WHERE workspace_id = ? AND type = ? AND event_id = ?',
  oldestNotifications: 'SELECT id, created_at FROM notifications ORDER BY id',
  deleteNotification: 'DELETE FROM notifications WHERE id = ?',
  /** One that goes on finds nothing to do soon, and is finished then. */
  oldestReplays: 'SELECT id, created_at, finished_at IS NULL AS needed FROM replays ORDER BY id',
  deleteReplay: 'DELETE FROM replays WHERE id = ?',
  oldestAudit: 'SELECT id, at AS created_at FROM audit_log ORDER BY id',
  deleteAudit: 'DELETE FROM audit_log WHERE id = ?',
  deleteOnce: `
    DELETE FROM idempotency_keys WHERE (scope, key) IN (
      SELECT scope, key FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
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

interface Aged {
  readonly id: number
  readonly created_at: number
  /** 1 while something refers to the row. */
  readonly needed?: 0 | 1
}

interface AgedEvent extends Aged {
  readonly workspace_id: number
  readonly type: string
}

export function retentionVerbs({ db }: Store): Pick<VerbTable, 'deleteExpired'> {
  // Children first: what a stage leaves behind keeps its parents.
  const stages = [
    deliveries(db),
    events(db),
    ...agingTables(db),
    ...smallTables(db),
    figures(db),
    webhooks(db),
    workspaces(db),
  ]
  return {
    deleteExpired(params) {
      let left = params.limit
      for (const stage of stages) {
        if (left > 0) left -= stage({ ...params, limit: left })
      }
      return params.limit - left
    },
  }
}

/**
 * Rows are made in the order of their ids, so the walk ends at the first that is still wanted. One stamped in the
 * future tells of a clock that was wrong, not of its age, and must not keep everything behind it for ever.
 * @param rows oldest first; read only as far as needed
 */
function expired<Row extends Aged>(rows: Iterable<Row>, { before, now, limit }: Expiry): Row[] {
  const found: Row[] = []
  let looked = 0
  for (const row of rows) {
    if (row.created_at < before && !row.needed) found.push(row)
    else if (row.created_at >= before && row.created_at <= now) break
    if (found.length === limit || ++looked === MAX_LOOKED) break
  }
  return found
}

function deliveries(db: Connection): Stage {
  const oldest = db.prepare<[], Aged>(retentionSql.oldestDeliveries)
  const deleteDelivery = db.prepare<[number]>(retentionSql.deleteDelivery)
  const deleteAttempts = db.prepare<[number]>(retentionSql.deleteAttempts)
  return (params) => {
    const gone = expired(oldest.iterate(), params)
    for (const { id } of gone) {
      deleteAttempts.run(id)
      deleteDelivery.run(id)
    }
    return gone.length
  }
}

function events(db: Connection): Stage {
  const oldest = db.prepare<[], AgedEvent>(retentionSql.oldestEvents)
  const deleteEvent = db.prepare<[number]>(retentionSql.deleteEvent)
  const deleteRecent = db.prepare<[number, string, number]>(retentionSql.deleteRecent)
  return (params) => {
    const gone = expired(oldest.iterate(), params)
    for (const event of gone) {
      deleteRecent.run(event.workspace_id, event.type, event.id)
      deleteEvent.run(event.id)
    }
    return gone.length
  }
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
  const oldest = db.prepare<[], Aged>(oldestSql)
  const remove = db.prepare<[number]>(deleteSql)
  return (params) => {
    const gone = expired(oldest.iterate(), params)
    for (const { id } of gone) remove.run(id)
    return gone.length
  }
}

function smallTables(db: Connection): Stage[] {
  const once = db.prepare<[number, number]>(retentionSql.deleteOnce)
  const sessions = db.prepare<[number, number]>(retentionSql.deleteSessions)
  const browserSessions = db.prepare<[number, number]>(retentionSql.deleteBrowserSessions)
  const links = db.prepare<[number, number]>(retentionSql.deleteLinks)
  const secrets = db.prepare<[number, number]>(retentionSql.deleteSecrets)
  const manualSends = db.prepare<[number, number]>(retentionSql.deleteManualSends)
  const queueSamples = db.prepare<[number, number]>(retentionSql.deleteQueueSamples)
  return [
    ({ onceBefore, limit }) => once.run(onceBefore, limit).changes,
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
