import type { QueuePeak, QueueState } from '../../storage.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { claimSql } from './claim.ts'

/**
 * Deliveries looked at in one call, or a tenth as many webhooks: some 1 ms, for which the thread that writes is asked. It is done
 * every minute, and the other thread would be kept for nothing else by a service that nobody looks at.
 */
const MAX_LOOKED = 1_000
const WEBHOOK_COSTS = 10
const BEFORE_ALL = Number.MIN_SAFE_INTEGER
const NOTHING: QueueState = { pending: 0, due: 0, unmade: 0, oldestDueAt: null }

const WAITING = `
    SELECT next_attempt_at, id FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL AND webhook_id = ?`

export const queueSql = {
  sameTime: `${WAITING} AND next_attempt_at = ? AND id > ? ORDER BY id LIMIT ?`,
  later: `${WAITING} AND next_attempt_at > ? ORDER BY next_attempt_at, id LIMIT ?`,
  held: 'SELECT count(*) FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL',
  unmade: 'SELECT coalesce(sum(waiting), 0) FROM fanout_queues',
  /** Ids of events grow with time, give or take what nodes reserve ahead. */
  oldestUnmade: `
    SELECT min(created_at) FROM (
      SELECT e.created_at FROM fanouts f CROSS JOIN events e ON e.id = f.event_id ORDER BY f.event_id LIMIT 1)`,
  /** A large number is bound as a floating point one, and would not be divided like an integer. */
  peaks: `
    SELECT @from + CAST(at - @from AS INTEGER) / CAST(@stepMs AS INTEGER) * @stepMs AS at, max(pending) AS pending,
      max(coalesce(queue_samples.at - oldest_due_at, 0)) AS oldestDueMs
    FROM queue_samples WHERE at >= @from AND at < @to GROUP BY 1 ORDER BY 1`,
}

const sql = {
  has: 'SELECT 1 FROM queue_samples WHERE at = ?',
  keep: 'INSERT OR IGNORE INTO queue_samples (at, pending, due, oldest_due_at) VALUES (?, ?, ?, ?)',
}

type QueueVerbs = Pick<VerbTable, 'readQueue' | 'hasQueueSample' | 'keepQueueSample' | 'queuePeaks'>

export function queueVerbs({ db }: Store): QueueVerbs {
  const nextWaiting = db.prepare<[number], { webhook_id: number; next_attempt_at: number }>(
    claimSql.nextWaiting,
  )
  const claimable = db.prepare<[number]>(claimSql.claimable)
  const sameTime = db.prepare<number[], [number, number]>(queueSql.sameTime).raw()
  const later = db.prepare<number[], [number, number]>(queueSql.later).raw()
  const held = db.prepare<[], number>(queueSql.held).pluck()
  const unmadeCount = db.prepare<[], number>(queueSql.unmade).pluck()
  const oldestUnmade = db.prepare<[], number | null>(queueSql.oldestUnmade).pluck()
  const has = db.prepare<[number]>(sql.has)
  const keep = db.prepare<[number, number, number, number | null]>(sql.keep)
  const peaks = db.prepare<VerbParams<'queuePeaks'>, QueuePeak>(queueSql.peaks)

  function waitingOf(webhookId: number, dueAt: number, id: number, limit: number): [number, number][] {
    const rows = sameTime.all(webhookId, dueAt, id, limit)
    return rows.length === limit ? rows : [...rows, ...later.all(webhookId, dueAt, limit - rows.length)]
  }

  /** What is held and what is to be made: counted with the first part. */
  function besideWaiting(): QueueState {
    const unmade = unmadeCount.get()!
    const oldestDueAt = unmade === 0 ? null : oldestUnmade.get()!
    return { pending: unmade + held.get()!, due: unmade, unmade, oldestDueAt }
  }

  return {
    readQueue({ now, from }) {
      const { unmade, ...beside } = from === null ? besideWaiting() : NOTHING
      let { pending, due, oldestDueAt } = beside
      let [webhookId, dueAt, id] = from ?? [0, BEFORE_ALL, 0]
      for (let left = MAX_LOOKED; ; left -= WEBHOOK_COSTS) {
        if (dueAt === BEFORE_ALL) webhookId = nextWaiting.get(webhookId!)?.webhook_id
        if (webhookId === undefined) return { pending, due, unmade, oldestDueAt, next: null }
        const rows = waitingOf(webhookId, dueAt!, id!, Math.max(left, 1))
        pending += rows.length
        if (rows.length > 0 && rows[0]![0] <= now && claimable.get(webhookId) !== undefined) {
          due += rows.filter(([time]) => time <= now).length
          oldestDueAt = Math.min(oldestDueAt ?? now, rows[0]![0])
        }
        if (rows.length >= left) {
          const [lastTime, lastId] = rows.at(-1) ?? [dueAt!, id!]
          return { pending, due, unmade, oldestDueAt, next: [webhookId, lastTime, lastId] }
        }
        left -= rows.length
        dueAt = BEFORE_ALL
        id = 0
      }
    },
    hasQueueSample: ({ at }) => has.get(at) !== undefined,
    keepQueueSample({ at, pending, due, oldestDueAt }) {
      keep.run(at, pending, due, oldestDueAt)
    },
    queuePeaks: (range) => peaks.all(range),
  }
}
