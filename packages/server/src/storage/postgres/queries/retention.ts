import { aged, deleteOld } from '../../queries/expiry.ts'
import { type Day, days } from '../../queries/layout.ts'
import { EndedCounts } from '../../queries/replayCounts.ts'
import { carryOutOn } from '../asyncWork.ts'
import { type CallParams, type CallTable, writes } from '../call.ts'
import { isLockTimeout } from '../failures.ts'
import { dropping, type Partitions } from '../partitions.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { countCanceled } from './leases.ts'

export const retentionSql = {
  broughtIds: aged('brought_ids', 'created_at < $1').postgres,
  recent: aged('recent_events', 'created_at < $1').postgres,
  notifications: aged('notifications', 'created_at < $1').postgres,
  /** A running replay soon finds nothing to do, and is then finished. */
  replays: aged('replays', 'created_at < $1 AND finished_at IS NOT NULL').postgres,
  audit: aged('audit_log', 'at < $1').postgres,
}

type Expiry = CallParams<'deleteExpired'>

/** Removes up to `limit` rows. @returns how many. */
type Stage = (tx: Tx, limit: number) => Promise<number>

export function retentionCalls({ locks, partitions }: Store): Pick<CallTable, 'deleteExpired'> {
  const carryOut = carryOutOn({ locks })
  return {
    deleteExpired: writes(async (tx, params) => {
      if (!(await locks.tryAlone(tx, 'retention'))) return { handled: 0, expired: 0 }
      const known = await carryOut(tx, days())
      const old = await expiredDays(tx, known, params.before)
      const { expired, replayed } = await expireWaiting(tx, old, params.limit, params.now)
      await carryOut(tx, replayed.save(params.now))
      // Rows that belong to events are deleted after them.
      const eventsFrom = Math.min(params.before, known[0]?.from ?? params.before)
      let left = params.limit - expired
      for (const stage of agingTables(params, eventsFrom)) if (left > 0) left -= await stage(tx, left)
      left -= await carryOut(tx, deleteOld(params, left))
      if (left < params.limit) return { handled: params.limit - left, expired }
      // All senders wait for these locks, so the transaction does nothing else.
      const oldest = await oldestUnkept(tx, old, params.expiredBefore)
      const dropped = oldest !== undefined && (await dropDay(tx, partitions, oldest, params.now))
      return { handled: dropped ? 1 : 0, expired }
    }),
  }
}

function agingTables({ before, auditBefore }: Expiry, eventsFrom: number): Stage[] {
  const stage = (text: string, time: number): Stage => {
    return (tx, limit) => tx.run(text, [time, limit])
  }
  return [
    stage(retentionSql.broughtIds, eventsFrom),
    stage(retentionSql.recent, eventsFrom),
    stage(retentionSql.notifications, before),
    stage(retentionSql.replays, before),
    stage(retentionSql.audit, auditBefore),
  ]
}

/** While this waits for the tables of a day, other calls wait behind it: no longer than this for each table. */
const LOCK_WITHIN_MS = 500

/** Lost events of one day that are counted for a consumer. */
const MAX_LOST = 10_000

/** Leased, or not created yet. */
const LEASED = `(
  EXISTS (SELECT 1 FROM leases WHERE open > 0 AND from_time < $2 AND to_time >= $1)
  OR EXISTS (SELECT 1 FROM fanouts WHERE created_at >= $1 AND created_at < $2))`

export const expiredDaySql = {
  leased: `SELECT ${LEASED} AS yes`,
  /** Deliveries of disabled webhooks are left to their own cancellation. */
  expireWaiting: `
    WITH picked AS MATERIALIZED (
      SELECT ctid, delivery_id, created_at FROM waiting t
      WHERE created_at >= $1 AND created_at < $2
        AND delivery_id > coalesce((SELECT canceled_through FROM webhooks WHERE id = t.webhook_id), 0)
      LIMIT $3 FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM waiting WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked))),
    noted AS (
      INSERT INTO expired_days (from_time, last_expired_at)
      SELECT $1, $4 WHERE EXISTS (SELECT 1 FROM picked)
      ON CONFLICT (from_time) DO UPDATE SET last_expired_at = $4),
    ended AS (
      UPDATE deliveries d SET status = 'canceled', ended_badly = 'canceled', cancel_reason = 'expired',
        next_attempt_at = NULL, finished_at = $4
      FROM picked p WHERE d.id = p.delivery_id AND d.created_at = p.created_at AND d.status = 'pending'
      RETURNING d.webhook_id, d.status, d.trigger, d.finished_at, d.replay_id),
    ${countCanceled('ended')}
    SELECT count(*) AS count, ARRAY(SELECT replay_id FROM ended WHERE replay_id IS NOT NULL) AS replays FROM picked`,
  needed: `
    SELECT ${LEASED} OR EXISTS (SELECT 1 FROM waiting WHERE created_at >= $1 AND created_at < $2) AS yes`,
  kept: 'SELECT from_time FROM expired_days WHERE last_expired_at >= $1',
  /** Up to a bound for each consumer, since acknowledgements of these wait. */
  noteLost: ({ name }: Day) => `
    UPDATE consumers c SET lost = c.lost + l.count, lost_at = $1
    FROM (
      SELECT k.id, x.count FROM consumers k CROSS JOIN LATERAL (
        SELECT count(*) AS count FROM (
          SELECT 1 FROM events_${name} e
          WHERE e.workspace_id = k.workspace_id AND e.xact IS NOT NULL AND (e.xact, e.id) > (k.major, k.minor)
            AND (k.event_types IS NULL OR e.type IN (SELECT json_array_elements_text(k.event_types::json)))
          ORDER BY e.xact, e.id LIMIT ${MAX_LOST}) e) x
      WHERE x.count > 0) l
    WHERE c.id = l.id`,
  forget: 'DELETE FROM expired_days WHERE from_time = $1',
}

/** @returns days with only rows older than `before`, of which none is leased or still to be created, oldest first */
async function expiredDays(tx: Tx, days: readonly Day[], before: number): Promise<readonly Day[]> {
  const old = days.filter(({ to }) => to <= before)
  const leased = await Promise.all(old.map((day) => is(tx, expiredDaySql.leased, day)))
  return old.filter((_, index) => !leased[index])
}

/**
 * Cancels pending deliveries of these days: none of them is claimed from here on. @returns how many, and counts for their
 * replays
 */
async function expireWaiting(
  tx: Tx,
  days: readonly Day[],
  limit: number,
  now: number,
): Promise<{ readonly expired: number; readonly replayed: EndedCounts }> {
  let expired = 0
  const replayed = new EndedCounts()
  for (const { from, to } of days) {
    if (expired === limit) break
    const values = [from, to, limit - expired, now]
    const step = (await tx.row<ExpiredRow>(expiredDaySql.expireWaiting, values))!
    expired += step.count
    for (const id of step.replays) replayed.add(Number(id), 'failed')
  }
  return { expired, replayed }
}

interface ExpiredRow {
  readonly count: number
  /** For deliveries that a bulk replay had started over, the replay. */
  readonly replays: readonly (number | string)[]
}

/** @returns the oldest of these days that is no longer shown */
async function oldestUnkept(tx: Tx, days: readonly Day[], expiredBefore: number): Promise<Day | undefined> {
  const rows = await tx.rows<{ from_time: number }>(expiredDaySql.kept, [expiredBefore])
  const kept = new Set(rows.map((row) => row.from_time))
  return days.find(({ from }) => !kept.has(from))
}

/**
 * Drops the tables of a day, in a transaction that has changed nothing else. A day that is needed again, or whose tables are in
 * use, is skipped for now.
 * @returns whether it was dropped
 */
async function dropDay(tx: Tx, partitions: Partitions, day: Day, now: number): Promise<boolean> {
  if (await is(tx, expiredDaySql.needed, day)) return false
  await tx.command(`SAVEPOINT whole; SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`)
  try {
    await tx.run(expiredDaySql.noteLost(day), [now])
    await tx.command(dropping(day))
    // No other call can reach these tables any more, so this answer is final.
    if (!(await is(tx, expiredDaySql.needed, day))) {
      await tx.run(expiredDaySql.forget, [day.from])
      tx.onCommit(() => partitions.forget())
      tx.onDoubt(() => partitions.forget())
      return true
    }
  } catch (error) {
    if (!isLockTimeout(error)) throw error
  }
  await tx.command('ROLLBACK TO SAVEPOINT whole')
  return false
}

async function is(tx: Tx, sql: string, { from, to }: Day): Promise<boolean> {
  return (await tx.row<{ yes: boolean }>(sql, [from, to]))!.yes
}
