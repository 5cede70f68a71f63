import type { RunTrigger } from '../../../core/delivery.ts'
import { deleteOld } from '../../queries/expiry.ts'
import { noteLost, type RemovedEvent } from '../../queries/lostEvents.ts'
import { EndedCounts } from '../../queries/replayCounts.ts'
import { PendingEndCounts } from '../../queries/statsRollup.ts'
import type { Connection } from '../connection.ts'
import type { CallParams, CallTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { carryOutOn } from '../syncWork.ts'

type Expiry = CallParams<'deleteExpired'>

/** Removes up to `limit` rows. @returns how many. */
type Stage = (params: Expiry) => number

export const retentionSql = {
  oldestDeliveries: `
    SELECT id, created_at, status = 'pending' AS pending,
      coalesce(cancel_reason = 'expired' AND finished_at >= @expiredBefore, 0) AS needed
    FROM deliveries WHERE lease IS NULL AND id > @after ORDER BY id`,
  /** Deliveries that are canceled with their webhook are left to that. */
  expireDelivery: `
    UPDATE deliveries SET status = 'canceled', cancel_reason = 'expired', next_attempt_at = NULL, finished_at = ?
    WHERE id = ? AND id > coalesce((SELECT canceled_through FROM webhooks WHERE id = webhook_id), 0)
    RETURNING webhook_id AS webhookId, trigger, replay_id AS replayId`,
  deleteDelivery: 'DELETE FROM deliveries WHERE id = ?',
  deleteAttempts: 'DELETE FROM attempts WHERE delivery_id = ?',
  /** An event's deliveries have consecutive ids, but for those that were added, so two looks tell whether any is left. */
  oldestEvents: `
    SELECT e.id, e.workspace_id, e.type, e.seq, e.created_at, EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.id >= e.first_delivery_id AND d.id < e.first_delivery_id + e.delivery_count)
      OR EXISTS (SELECT 1 FROM added_deliveries a JOIN deliveries d ON d.id = a.delivery_id WHERE a.event_id = e.id)
      OR EXISTS (SELECT 1 FROM fanouts f WHERE f.event_id = e.id) AS needed
    FROM events e WHERE e.id > @after ORDER BY e.id`,
  deleteEvent: 'DELETE FROM events WHERE id = ?',
  deleteAdded: 'DELETE FROM added_deliveries WHERE event_id = ?',
  deleteRecent: 'DELETE FROM recent_events WHERE workspace_id = ? AND type = ? AND event_id = ?',
}

interface AgedDelivery extends Aged {
  readonly pending: 0 | 1
}

interface Expired {
  readonly webhookId: number
  readonly trigger: RunTrigger
  readonly replayId: number | null
}

interface AgedEvent extends Aged {
  readonly workspace_id: number
  readonly type: string
  /** `null`: a test. */
  readonly seq: number | null
}

export function retentionCalls(store: Store): Pick<CallTable, 'deleteExpired'> {
  const { db } = store
  const carryOut = carryOutOn(store)
  let expired = 0
  const audit = aging(db, 'audit_log', 'at')
  // Children first: rows that a stage leaves keep their parents.
  const stages: Stage[] = [
    deliveries(store, (count) => {
      expired += count
    }),
    events(store),
    searchSegments(db),
    aging(db, 'notifications'),
    // A replay that is still running soon finds nothing to do, and is then finished.
    aging(db, 'replays', 'created_at', 'finished_at IS NULL'),
    (params) => audit({ ...params, before: params.auditBefore }),
    (params) => carryOut(deleteOld(params, params.limit)),
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

function deliveries(store: Store, onExpired: (count: number) => void): Stage {
  const { db } = store
  const carryOut = carryOutOn(store)
  const walk = new OldestFirstScan<AgedDelivery>(db, retentionSql.oldestDeliveries)
  const expireDelivery = db.prepare<[number, number], Expired>(retentionSql.expireDelivery)
  const deleteDelivery = db.prepare<[number]>(retentionSql.deleteDelivery)
  const deleteAttempts = db.prepare<[number]>(retentionSql.deleteAttempts)
  return (params) => {
    const ended = new PendingEndCounts()
    const replayed = new EndedCounts()
    const handled = walk.step(params, ({ id, pending }) => {
      if (pending) {
        const expired = expireDelivery.get(params.now, id)
        if (expired === undefined) return false
        onExpired(1)
        if (expired.trigger !== 'test') ended.canceled(expired.webhookId, params.now)
        if (expired.replayId !== null) replayed.add(expired.replayId, 'failed')
        return true
      }
      deleteAttempts.run(id)
      deleteDelivery.run(id)
      return true
    })
    carryOut(ended.save())
    carryOut(replayed.save(params.now))
    return handled
  }
}

function events(store: Store): Stage {
  const { db } = store
  const carryOut = carryOutOn(store)
  const walk = new OldestFirstScan<AgedEvent>(db, retentionSql.oldestEvents)
  const deleteEvent = db.prepare<[number]>(retentionSql.deleteEvent)
  const deleteAdded = db.prepare<[number]>(retentionSql.deleteAdded)
  const deleteRecent = db.prepare<[number, string, number]>(retentionSql.deleteRecent)
  return (params) => {
    const removed: RemovedEvent[] = []
    const handled = walk.step(params, (event) => {
      deleteRecent.run(event.workspace_id, event.type, event.id)
      deleteAdded.run(event.id)
      deleteEvent.run(event.id)
      if (event.seq !== null)
        removed.push({ workspaceId: event.workspace_id, type: event.type, place: event.seq })
      return true
    })
    carryOut(noteLost(removed, params.now))
    return handled
  }
}

const searchExpirySql = {
  oldest: 'SELECT workspace_id, segment FROM search_segments WHERE last_at < ? ORDER BY last_at LIMIT 1',
  terms: `
    DELETE FROM search_terms WHERE (workspace_id, segment, term) IN (
      SELECT workspace_id, segment, term FROM search_terms WHERE workspace_id = @workspace_id AND segment = @segment LIMIT @limit)`,
  events: 'DELETE FROM search_events WHERE workspace_id = @workspace_id AND segment = @segment',
  segment: 'DELETE FROM search_segments WHERE workspace_id = @workspace_id AND segment = @segment',
  codes: `
    DELETE FROM search_codes WHERE (webhook_id, code, created_at, delivery_id) IN (
      SELECT webhook_id, code, created_at, delivery_id FROM search_codes WHERE created_at < ? LIMIT ?)`,
}

/** A segment at a time, terms first: once it is gone, nothing of it would be found. */
function searchSegments(db: Connection): Stage {
  interface Segment {
    readonly workspace_id: number
    readonly segment: number
  }
  const oldest = db.prepare<[number], Segment>(searchExpirySql.oldest)
  const terms = db.prepare<Segment & { limit: number }>(searchExpirySql.terms)
  const events = db.prepare<Segment>(searchExpirySql.events)
  const segments = db.prepare<Segment>(searchExpirySql.segment)
  const codes = db.prepare<[number, number]>(searchExpirySql.codes)
  return ({ before, now, expiredBefore, limit }) => {
    // Events whose deliveries were canceled at the end of the retention are shown for a while longer.
    const last = before - (now - expiredBefore)
    let left = limit - codes.run(last, limit).changes
    while (left > 0) {
      const segment = oldest.get(last)
      if (segment === undefined) break
      left -= terms.run({ ...segment, limit: left }).changes
      if (left <= 0) break
      left -= events.run(segment).changes + segments.run(segment).changes
    }
    return limit - Math.max(left, 0)
  }
}

/** @param time the column of the age @param needed whether a row must stay */
function aging(db: Connection, table: string, time = 'created_at', needed = 'false'): Stage {
  const oldest = `SELECT id, ${time} AS created_at, ${needed} AS needed FROM ${table} WHERE id > @after ORDER BY id`
  const walk = new OldestFirstScan<Aged>(db, oldest)
  const remove = db.prepare<[number]>(`DELETE FROM ${table} WHERE id = ?`)
  return (params) =>
    walk.step(params, ({ id }) => {
      remove.run(id)
      return true
    })
}

/** Rows of a table that one step looks at, whether they go or not. */
const MAX_LOOKED = 20_000

interface Aged {
  readonly id: number
  readonly created_at: number
  /** 1 while the row must stay. */
  readonly needed?: 0 | 1
}

type Ages = Pick<CallParams<'deleteExpired'>, 'before' | 'now' | 'expiredBefore' | 'limit'>

/**
 * Goes over the rows of a table, oldest first, in bounded steps. Rows are created in the order of their ids, so the scan ends
 * at the first that is young enough to stay. A row from the future is skipped: the clock was wrong, and it must not keep all
 * rows after it. Each step begins where the last one stopped; otherwise old rows that must stay would hold up all others.
 */
export class OldestFirstScan<Row extends Aged> {
  readonly #rows
  readonly #maxLooked: number
  #after = 0

  /** @param sql rows with an id greater than `@after`, in the order of their ids */
  constructor(db: Connection, sql: string, maxLooked = MAX_LOOKED) {
    this.#rows = db.prepare<{ after: number; expiredBefore: number }, Row>(sql)
    this.#maxLooked = maxLooked
  }

  /**
   * Hands rows that are too old to `handle`, which tells whether it changed anything.
   * @returns how many it changed, and at least 1 as long as there is more to look at
   */
  step(ages: Ages, handle: (row: Row) => boolean): number {
    const { rows, ended } = this.#collect(ages)
    const changed = rows.filter(handle).length
    return ended ? changed : Math.max(changed, 1)
  }

  #collect({ before, now, expiredBefore, limit }: Ages): { rows: readonly Row[]; ended: boolean } {
    const rows: Row[] = []
    let looked = 0
    for (const row of this.#rows.iterate({ after: this.#after, expiredBefore })) {
      if (row.created_at >= before && row.created_at <= now) break
      if (row.created_at < before && !row.needed) rows.push(row)
      if (rows.length === limit || ++looked === this.#maxLooked) {
        this.#after = row.id
        return { rows, ended: false }
      }
    }
    this.#after = 0
    return { rows, ended: true }
  }
}
