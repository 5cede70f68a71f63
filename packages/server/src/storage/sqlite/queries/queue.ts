import type { QueueState } from '../../storage.ts'
import { lookingUp, type VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { claimSql } from './claim.ts'

/**
 * Deliveries looked at in one call, or a tenth as many webhooks: some 1 ms, for which the thread that writes is asked. It is done
 * every minute, and the other thread would be kept for nothing else by a service that nobody looks at.
 */
const MAX_LOOKED = 1_000
const WEBHOOK_COSTS = 10
const BEFORE_ALL = Number.MIN_SAFE_INTEGER
/** Deliveries or webhooks that a count for one workspace looks at in one call: some 1 ms. */
const MAX_COUNTED = 1_000
const MAX_WEBHOOKS = 200
const NOTHING: QueueState = { pending: 0, due: 0, unmade: 0, oldestDueAt: null }

const WAITING = `
    SELECT next_attempt_at, id FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL AND webhook_id = ?`

export const queueSql = {
  sameTime: `${WAITING} AND next_attempt_at = ? AND id > ? ORDER BY id LIMIT ?`,
  later: `${WAITING} AND next_attempt_at > ? ORDER BY next_attempt_at, id LIMIT ?`,
  webhook: `
    SELECT id FROM webhooks WHERE workspace_id = ? AND deleted_at IS NULL AND id >= ? ORDER BY id LIMIT 1`,
  /** The time up to which so many wait; those of the same time are counted together. */
  countedTo: `
    SELECT next_attempt_at FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL AND webhook_id = ? AND next_attempt_at > ?
    ORDER BY next_attempt_at LIMIT 1 OFFSET ${MAX_COUNTED - 1}`,
  counted: `
    SELECT count(*) FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL AND webhook_id = ? AND next_attempt_at > ? AND next_attempt_at <= ?`,
  unmadeOf: 'SELECT waiting FROM fanout_queues WHERE workspace_id = ?',
  leased: 'SELECT count(*) FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL',
  unmade: 'SELECT coalesce(sum(waiting), 0) FROM fanout_queues',
  /** Ids of events grow with time, give or take what nodes reserve ahead. */
  oldestUnmade: `
    SELECT min(created_at) FROM (
      SELECT e.created_at FROM fanouts f CROSS JOIN events e ON e.id = f.event_id ORDER BY f.event_id LIMIT 1)`,
}

type QueueVerbs = Pick<VerbTable, 'readQueue' | 'countPending'>

export function queueVerbs({ db }: Store): QueueVerbs {
  const nextWaiting = db.prepare<[number], { webhook_id: number; next_attempt_at: number }>(
    claimSql.nextWaiting,
  )
  const claimable = db.prepare<[number]>(claimSql.claimable)
  const sameTime = db.prepare<number[], [number, number]>(queueSql.sameTime).raw()
  const later = db.prepare<number[], [number, number]>(queueSql.later).raw()
  const leased = db.prepare<[], number>(queueSql.leased).pluck()
  const unmadeCount = db.prepare<[], number>(queueSql.unmade).pluck()
  const oldestUnmade = db.prepare<[], number | null>(queueSql.oldestUnmade).pluck()
  const nextWebhook = db.prepare<[number, number], number>(queueSql.webhook).pluck()
  const countedTo = db.prepare<[number, number], number>(queueSql.countedTo).pluck()
  const counted = db.prepare<[number, number, number], number>(queueSql.counted).pluck()
  const unmadeOf = db.prepare<[number], number>(queueSql.unmadeOf).pluck()

  function waitingOf(webhookId: number, dueAt: number, id: number, limit: number): [number, number][] {
    const rows = sameTime.all(webhookId, dueAt, id, limit)
    return rows.length === limit ? rows : [...rows, ...later.all(webhookId, dueAt, limit - rows.length)]
  }

  /** What is leased to nodes and what is not created yet: counted with the first part. */
  function besideWaiting(): QueueState {
    const unmade = unmadeCount.get()!
    const oldestDueAt = unmade === 0 ? null : oldestUnmade.get()!
    return { pending: unmade + leased.get()!, due: unmade, unmade, oldestDueAt }
  }

  return {
    readQueue: lookingUp(({ now, from }) => {
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
    }),
    countPending: lookingUp(({ workspaceId, from }) => {
      let pending = from === null ? (unmadeOf.get(workspaceId) ?? 0) : 0
      let [webhookId, after] = [from?.[0] ?? 0, from?.[1] ?? BEFORE_ALL]
      let looked = 0
      for (let webhooks = 0; looked < MAX_COUNTED && webhooks < MAX_WEBHOOKS; webhooks++) {
        const id = nextWebhook.get(workspaceId, webhookId)
        if (id === undefined) return { pending: pending + looked, next: null }
        if (id !== webhookId) after = BEFORE_ALL
        const upTo = countedTo.get(id, after)
        looked += counted.get(id, after, upTo ?? Number.MAX_SAFE_INTEGER)!
        webhookId = upTo === undefined ? id + 1 : id
        after = upTo ?? BEFORE_ALL
      }
      pending += looked
      return { pending, next: [webhookId, after] }
    }),
  }
}
