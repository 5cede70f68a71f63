import type { CallParams, CallResult } from '../../../src/storage/callGroups.ts'
import { gapSince, Receivers } from '../../../src/storage/queries/egress.ts'
import { uncreatedOf } from './publishing.ts'
import { countReplayed } from './recording.ts'
import type { StoredDelivery } from './rows.ts'
import { type Calls, end, type StoreState } from './state.ts'

type MaintenanceCallName =
  | 'readClock'
  | 'noteClock'
  | 'pullInDue'
  | 'deleteExpired'
  | 'rollUpStats'
  | 'hasQueueSample'
  | 'findUnindexed'
  | 'readUnindexed'
  | 'indexEvents'
  | 'indexCodes'
  | 'keepQueueSample'
  | 'readQueue'
  | 'countPending'
  | 'readOpen'
  | 'noteOpen'
  | 'listOutages'
  | 'recentlyReached'

export function maintenanceCalls(state: StoreState): Calls<MaintenanceCallName> {
  let clock: CallResult<'readClock'> = { steadyAt: null, leaptAt: null }
  const samples = new Set<number>()

  return {
    readClock: () => clock,
    noteClock({ steadyAt, leaptAt }) {
      clock = { steadyAt: steadyAt ?? clock.steadyAt, leaptAt: leaptAt ?? clock.leaptAt }
    },
    pullInDue({ now, latest, limit, afterWebhookId }) {
      if (state.latestDueAt <= latest) return { pulled: 0, nextAfterWebhookId: 0 }
      let pulled = 0
      let looked = 0
      for (const webhook of state.webhooks.slice(afterWebhookId)) {
        if (webhook.waiting.first === undefined) continue
        if (looked++ === limit) return { pulled, nextAfterWebhookId: webhook.id - 1 }
        const far = webhook.waiting.items.filter(({ nextAttemptAt }) => nextAttemptAt! > latest)
        for (const delivery of far.slice(0, limit - pulled)) {
          delivery.nextAttemptAt = now
          pulled++
          state.note({ kind: 'pulledIn', deliveryId: delivery.id, dueAt: now })
        }
        if (far.length > 0) {
          webhook.waiting.refill(webhook.waiting.items)
          state.due.note(webhook)
        }
        if (pulled === limit) return { pulled, nextAfterWebhookId: webhook.id - 1 }
      }
      return { pulled, nextAfterWebhookId: 0 }
    },
    deleteExpired: retention(state),
    rollUpStats: () => false,
    // Simulations do not search.
    findUnindexed: () => ({ workspaceIds: [], nextAfterWorkspaceId: 0 }),
    readUnindexed: () => ({ parts: [], left: [] }),
    indexEvents: () => ({ indexed: 0, passedOver: [] }),
    indexCodes: () => ({ indexed: 0, more: false }),
    hasQueueSample: ({ at }) => samples.has(at),
    keepQueueSample({ at }) {
      samples.add(at)
    },
    readOpen: () => state.openAt,
    noteOpen({ now, waited, notBefore }) {
      const gap = state.openAt === null ? null : gapSince(state.openAt, now, notBefore)
      if (gap !== null) {
        state.outages.unshift({ ...gap, waited })
        state.note({ kind: 'outage', ...gap, waited })
      }
      state.openAt = now
    },
    listOutages: () => [...state.outages],
    recentlyReached({ since, limit }) {
      const wasReached = ({ attempts }: StoredDelivery) =>
        attempts.some(({ errorCode, startedAt }) => errorCode === null && startedAt >= since!)
      const reached = new Set(
        since === null
          ? state.webhooks
          : state.deliveries.filter((delivery) => wasReached(delivery)).map(({ webhook }) => webhook),
      )
      const receivers = new Receivers(limit)
      receivers.add(
        [...reached]
          .filter(({ status, deletedAt }) => status === 'on' && deletedAt === null)
          .filter(({ failingSince }) => since === null || failingSince === null)
          .reverse()
          .map(({ id, workspace, url }) => ({ webhookId: id, workspaceId: workspace.id, url })),
      )
      return receivers.all
    },
    // Simulations do not read stats.
    readQueue: () => ({ pending: 0, due: 0, limited: 0, unmade: 0, oldestDueAt: null, next: null }),
    countPending({ workspaceId }) {
      const workspace = state.workspaces[workspaceId - 1]!
      const waiting = workspace.webhooks.reduce((sum, webhook) => sum + webhook.waiting.items.length, 0)
      return { pending: waiting + uncreatedOf(workspace), next: null }
    },
  }
}

/** Deletes old rows; pending ones are canceled first, and kept for a while. */
function retention(state: StoreState): (params: CallParams<'deleteExpired'>) => CallResult<'deleteExpired'> {
  /** All before it are deleted. */
  let first = 0

  function expire(delivery: StoredDelivery, now: number): void {
    const { waiting } = delivery.webhook
    end(delivery, 'canceled', now)
    delivery.cancelReason = 'expired'
    countReplayed(state, delivery, false, now)
    waiting.refill(waiting.items.filter((one) => one !== delivery))
    state.due.note(delivery.webhook)
    state.note({ kind: 'expired', deliveryId: delivery.id })
  }

  function remove(delivery: StoredDelivery): void {
    delivery.removed = true
    delivery.webhook.unhealthy.delete(delivery)
    state.note({ kind: 'removed', deliveryId: delivery.id })
  }

  const isOld = ({ removed, event, lease }: StoredDelivery, before: number) =>
    !removed && event.createdAt < before && lease === null
  /**
   * A delivery canceled for its age is still shown for a while, and one that ends with its webhook is left to
   * that.
   */
  const isKept = ({ status, cancelReason, finishedAt, webhook }: StoredDelivery, expiredBefore: number) =>
    status === 'pending'
      ? webhook.canceledThrough !== null
      : cancelReason === 'expired' && finishedAt! >= expiredBefore

  return ({ before, now, expiredBefore, limit }) => {
    while (state.deliveries[first]?.removed === true) first++
    const old = state.deliveries
      .slice(first)
      .filter((delivery) => isOld(delivery, before) && !isKept(delivery, expiredBefore))
      .slice(0, limit)
    const pending = old.filter(({ status }) => status === 'pending')
    const finished = old.filter(({ status }) => status !== 'pending')
    for (const delivery of pending) expire(delivery, now)
    for (const delivery of finished) remove(delivery)
    return { handled: old.length, expired: pending.length }
  }
}
