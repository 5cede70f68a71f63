import type { CallResult } from '../../../src/storage/callGroups.ts'
import { HealthInCall, type WeighParams } from '../../../src/storage/queries/health.ts'
import type { Notification } from '../../../src/storage/rows.ts'
import type { AttemptToRecord } from '../../../src/storage/storage.ts'
import { disable } from './canceling.ts'
import type { StoredDelivery, StoredWebhook } from './rows.ts'
import { type Calls, end, type StoreState } from './state.ts'

export function recordCalls(state: StoreState): Calls<'recordAttempts'> {
  let notifications = 0

  /** Whether the node has the delivery under the result's lease, and no newer attempt was recorded. */
  function isLeased(nodeId: number, { deliveryId, lease, attempt }: AttemptToRecord): boolean {
    const delivery = state.deliveries[deliveryId - 1]!
    if (delivery.lease !== lease || state.leases.get(lease)?.nodeId !== nodeId) return false
    return delivery.attempts.length === attempt.number - 1
  }

  function record(result: AttemptToRecord, health: HealthInCall, nodeId: number, params: WeighParams): void {
    const { attempt, next } = result
    const { now, steadySince, failingFrom, outages } = params
    const delivery = state.deliveries[result.deliveryId - 1]!
    const canceled = delivery.status === 'canceled' || health.canceled(delivery.id)
    health.accept(health.weigh(result, params), result, params)
    if (next.status !== 'delivered' && result.signal !== 'none') health.failures.push(result)
    state.note({ kind: 'attempted', nodeId, now, steadySince, failingFrom, outages, result })
    state.endLease(delivery)
    delivery.attempts.push(attempt)
    if (next.status !== 'pending') countReplayed(state, delivery, next.status === 'delivered', now)
    if (next.status !== 'delivered' && canceled) end(delivery, 'canceled', health.canceledAt ?? now)
    else if (next.status !== 'pending') end(delivery, next.status, now)
    else {
      delivery.nextAttemptAt = next.nextAttemptAt
      state.wait(delivery)
    }
  }

  function settle(
    healths: ReadonlyMap<StoredWebhook, HealthInCall>,
    now: number,
  ): Omit<CallResult<'recordAttempts'>, 'lost'> {
    const disabled: CallResult<'recordAttempts'>['disabled'][number][] = []
    const created: Notification[] = []
    for (const [webhook, { health, off: reason, warn, failures }] of healths) {
      webhook.failingSince = health.failingSince
      webhook.warned = health.warned
      if (reason !== null) {
        webhook.offReason = reason
        state.note({ kind: 'disabled', webhookId: webhook.id, reason })
        disable(state, webhook, now)
        disabled.push({ webhookId: webhook.id, reason })
        created.push(notification('webhook_off', webhook, failures, now))
      } else if (warn) {
        state.note({ kind: 'warned', webhookId: webhook.id })
        created.push(notification('webhook_failing', webhook, failures, now))
      }
    }
    return { disabled, notifications: created }
  }

  function notification(
    kind: 'webhook_off' | 'webhook_failing',
    webhook: StoredWebhook,
    failures: readonly AttemptToRecord[],
    createdAt: number,
  ): Notification {
    const { id: webhookId, workspace, made, offReason: reason, failingSince } = webhook
    const data = { webhook_public_id: made.publicId, reason, failing_since: failingSince, failures }
    const of = { workspaceId: workspace.id, webhookId, memberId: null }
    const unsent = { attempts: 0, lastError: null, sentAt: null, givenUpAt: null }
    const id = ++notifications
    return { id, messageKey: `message ${id}`, kind, ...of, data, createdAt, ...unsent }
  }

  return {
    recordAttempts(asked) {
      const { nodeId, now, outageNotBefore, results } = asked
      const params = { ...asked, outages: state.closed(now, outageNotBefore) }
      const lost: number[] = []
      const healths = new Map<StoredWebhook, HealthInCall>()
      const counted = state.holds(nodeId) ? firstOfEach(results) : new Set<AttemptToRecord>()
      for (const result of results) {
        if (!counted.has(result) || !isLeased(nodeId, result)) {
          lost.push(result.deliveryId)
          state.note({ kind: 'refused', nodeId, result })
          continue
        }
        const { webhook } = state.deliveries[result.deliveryId - 1]!
        const health = healths.get(webhook) ?? healthOf(webhook)
        healths.set(webhook, health)
        record(result, health, nodeId, params)
      }
      return { lost, ...settle(healths, now) }
    },
  }
}

/** Counts for the bulk replay that started the run. */
export function countReplayed(
  state: StoreState,
  { replayId }: StoredDelivery,
  delivered: boolean,
  now: number,
): void {
  const replay = replayId === null ? undefined : state.replays[replayId - 1]
  if (replay === undefined) return
  const { row } = replay
  const counted = {
    ...row,
    delivered: row.delivered + (delivered ? 1 : 0),
    failed: row.failed + (delivered ? 0 : 1),
  }
  const ended = counted.finishedAt !== null && counted.delivered + counted.failed >= counted.replayed
  const isDone = ended && counted.doneAt === null && counted.canceledAt === null
  replay.row = isDone ? { ...counted, doneAt: now } : counted
}

/** The only result of each delivery that may count: the first under its latest lease. */
function firstOfEach(results: readonly AttemptToRecord[]): Set<AttemptToRecord> {
  const leases = new Map(results.map(({ deliveryId, lease }) => [deliveryId, lease]))
  return new Set(
    results.filter(({ deliveryId, lease }) => leases.get(deliveryId) === lease && leases.delete(deliveryId)),
  )
}

/** The store in memory has no early warnings: they do not affect deliveries. */
const NOT_WARNED_EARLY = {
  failures: 0,
  alert_reason: null,
  alerted_at: null,
  recovered_at: null,
  snoozed_until: null,
  warn: null,
}

function healthOf(webhook: StoredWebhook): HealthInCall {
  return new HealthInCall(webhook.id, {
    workspace_id: webhook.workspace.id,
    status: webhook.status,
    deleted_at: webhook.deletedAt,
    failing_since: webhook.failingSince,
    warned: webhook.warned,
    canceled_through: webhook.canceledThrough,
    canceled_at: webhook.canceledAt,
    ...NOT_WARNED_EARLY,
  })
}
