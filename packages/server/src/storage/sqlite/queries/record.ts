import type { HealthInCall } from '../../healthInCall.ts'
import { auditSwitchedOff } from '../../queries/audit.ts'
import { addNotification } from '../../queries/notifications.ts'
import { AttemptDelta } from '../../rowMappers/figureDeltas.ts'
import type { Notification } from '../../rows.ts'
import type { AttemptToRecord, RecordResult } from '../../storage.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { carryOutOn } from '../syncWork.ts'
import { type AfterFailure, attemptRows } from './attemptRows.ts'
import { canceler } from './cancel.ts'
import { deltaRows } from './figureDeltas.ts'
import { healthRows } from './health.ts'
import { nodeCheck } from './nodes.ts'

type RecordParams = VerbParams<'recordAttempts'>

/** Failed attempts of a call kept for a notification. */
const FAILURES_KEPT = 3

export function recordVerbs(store: Store): Pick<VerbTable, 'recordAttempts'> {
  const { db, matchCache } = store
  const nodeLives = nodeCheck(db)
  const attempts = attemptRows(db)
  const healths = healthRows(db)
  const { cancel } = canceler(db)
  const carryOut = carryOutOn(store)
  const deltas = deltaRows(db)

  function recordSuccess(result: AttemptToRecord, webhook: HealthInCall, params: RecordParams): boolean {
    if (!attempts.success(params.nodeId, result, params.now)) return false
    if (!webhook.steady) webhook.accept(webhook.weigh(result, params))
    return true
  }

  function recordFailure(result: AttemptToRecord, webhook: HealthInCall, params: RecordParams): boolean {
    const change = webhook.weigh(result, params)
    const after = webhook.canceled(result.deliveryId)
      ? canceledAt(webhook.canceledAt ?? params.now)
      : afterFailure(result, params.now)
    if (!attempts.failure(params.nodeId, result, after)) return false
    webhook.accept(change)
    webhook.failures.push(result)
    if (webhook.failures.length > FAILURES_KEPT) webhook.failures.shift()
    return true
  }

  /** Writes what the results did to their webhooks. */
  function settle(webhooks: Iterable<HealthInCall>, now: number): Omit<RecordResult, 'lost'> {
    const switchedOff: RecordResult['switchedOff'][number][] = []
    const notifications: Notification[] = []
    for (const webhook of webhooks) {
      const { webhookId, workspaceId, off, warn, failures } = webhook
      healths.save(webhook, now)
      if (off !== null) {
        switchedOff.push({ webhookId, reason: off })
        notifications.push(carryOut(addNotification('webhook_off', webhookId, failures, now)))
        carryOut(auditSwitchedOff(webhookId, off, now))
        matchCache.forget(workspaceId)
      } else if (warn)
        notifications.push(carryOut(addNotification('webhook_failing', webhookId, failures, now)))
    }
    cancel(
      switchedOff.map(({ webhookId }) => webhookId),
      now,
    )
    return { switchedOff, notifications }
  }

  return {
    recordAttempts(params) {
      const { nodeId, results, now } = params
      if (!nodeLives(nodeId))
        return { lost: results.map((result) => result.deliveryId), switchedOff: [], notifications: [] }
      const lost: number[] = []
      const delta = new AttemptDelta()
      const webhooks = new Map<number, HealthInCall>()
      for (const result of results) {
        let webhook = webhooks.get(result.webhookId)
        if (webhook === undefined) {
          webhook = healths.load(result.webhookId)
          webhooks.set(result.webhookId, webhook)
        }
        const record = result.next.status === 'delivered' ? recordSuccess : recordFailure
        if (record(result, webhook, params)) delta.add(result)
        else lost.push(result.deliveryId)
      }
      deltas.attempts(delta, now)
      return { lost, ...settle(webhooks.values(), now) }
    },
  }
}

function canceledAt(finishedAt: number): AfterFailure {
  return { status: 'canceled', nextAttemptAt: null, finishedAt }
}

function afterFailure(result: AttemptToRecord, now: number): AfterFailure {
  const { status, nextAttemptAt } = result.next
  if (status === 'delivered') throw new Error('a delivered attempt is no failure')
  if (status !== 'pending') return { status, nextAttemptAt: null, finishedAt: now }
  // Should this very result switch the webhook off, then this delivery is canceled with all others.
  return { status, nextAttemptAt, finishedAt: null }
}
