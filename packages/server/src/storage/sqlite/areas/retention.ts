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
  deleteSecrets: `
    DELETE FROM secrets WHERE id IN (
      SELECT id FROM secrets WHERE expires_at IS NOT NULL AND expires_at <= ? LIMIT ?)`,
  deleteManualSends: `
    DELETE FROM manual_sends WHERE id IN (SELECT id FROM manual_sends WHERE sent_at < ? LIMIT ?)`,
  deleteWebhooks: `
    DELETE FROM webhooks WHERE id IN (
      SELECT w.id FROM webhooks w INDEXED BY webhooks_deleted
      WHERE w.deleted_at < ?
        AND NOT EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_of_webhook WHERE webhook_id = w.id)
      LIMIT ?)`,
  emptyWorkspaces: `
    SELECT s.id FROM workspaces s INDEXED BY workspaces_deleted
    WHERE s.deleted_at < ? AND NOT EXISTS (SELECT 1 FROM webhooks WHERE workspace_id = s.id) LIMIT ?`,
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
  const stages = [deliveries(db), events(db), notifications(db), ...smallTables(db), workspaces(db)]
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

function notifications(db: Connection): Stage {
  const oldest = db.prepare<[], Aged>(retentionSql.oldestNotifications)
  const remove = db.prepare<[number]>(retentionSql.deleteNotification)
  return (params) => {
    const gone = expired(oldest.iterate(), params)
    for (const { id } of gone) remove.run(id)
    return gone.length
  }
}

function smallTables(db: Connection): Stage[] {
  const secrets = db.prepare<[number, number]>(retentionSql.deleteSecrets)
  const manualSends = db.prepare<[number, number]>(retentionSql.deleteManualSends)
  const webhooks = db.prepare<[number, number]>(retentionSql.deleteWebhooks)
  return [
    ({ now, limit }) => secrets.run(now, limit).changes,
    ({ before, limit }) => manualSends.run(before, limit).changes,
    ({ before, limit }) => webhooks.run(before, limit).changes,
  ]
}

/** All events of a workspace that was deleted before `before` are older still, and went in an earlier stage. */
function workspaces(db: Connection): Stage {
  const empty = db.prepare<[number, number], { id: number }>(retentionSql.emptyWorkspaces)
  const removals = [retentionSql.deleteKeys, retentionSql.deleteMembers, retentionSql.deleteWorkspace].map(
    (text) => db.prepare<[number]>(text),
  )
  return ({ before, limit }) => {
    const gone = empty.all(before, limit)
    for (const { id } of gone) for (const removal of removals) removal.run(id)
    return gone.length
  }
}
