import type { HealthInCall } from '../../healthInCall.ts'
import { auditSwitchedOff } from '../../queries/audit.ts'
import { addNotification } from '../../queries/notifications.ts'
import { AttemptDelta } from '../../rowMappers/figureDeltas.ts'
import type { Notification } from '../../rows.ts'
import { type AttemptToRecord, type RecordResult, StoreUnavailableError } from '../../storage.ts'
import { type CarryOut, carryOutOn } from '../asyncWork.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { hot, type Quick, type VerbParams, type VerbTable, writes } from '../verb.ts'
import {
  type After,
  type Locked,
  lockHeld,
  recordEach,
  type Settled,
  succeedAtOnce,
  succeedIf,
} from './attemptRows.ts'
import { cancel } from './cancel.ts'
import { insertAttempts } from './figureDeltas.ts'
import { loadHealth, lockHealth, saveHealth } from './health.ts'
import { byId, closeEmpty, lockLeases } from './leases.ts'
import { bumpMatching } from './matching.ts'
import { nodeHolds } from './nodes.ts'

type Params = VerbParams<'recordAttempts'>

/** Failed attempts of a call kept for a notification. */
const FAILURES_KEPT = 3

export function recordVerbs({ locks }: Store): Pick<VerbTable, 'recordAttempts'> {
  const carryOut = carryOutOn({ locks })

  /** First tries that succeeded, at webhooks that were well: all in one go. */
  function quick(params: Params): Quick<RecordResult> | null {
    const first = firstOfEach(params.results)
    return first.every(succeededAtOnce) ? (tx) => recordSuccesses(tx, params, first.sort(byId)) : null
  }

  async function recordSuccesses(
    tx: Tx,
    { nodeId, results, now }: Params,
    first: readonly AttemptToRecord[],
  ): Promise<RecordResult | null> {
    const webhookIds = [...new Set(first.map(({ webhookId }) => webhookId))]
    const leases = [...new Set(first.map(({ lease }) => lease))]
    const locking = lockLeases(tx, nodeId, first)
    const recording = succeedIf(tx, { nodeId, leases, webhookIds }, first, now)
    const closing = closeEmpty(tx, leases)
    tx.endHere()
    const [ended] = await Promise.all([recording, locking, closing])
    if (ended === null) return null
    return { lost: lostOf(results, first, ended.ids), switchedOff: [], notifications: [] }
  }

  async function record(tx: Tx, params: Params): Promise<RecordResult> {
    const { nodeId, results, now } = params
    const first = firstOfEach(results)
    // In the order in which the results name them, which is the order in which they are told of.
    const webhookIds = [...new Set(first.map(({ webhookId }) => webhookId))]
    const [lives, seen] = await Promise.all([nodeHolds(tx, nodeId), loadHealth(tx, webhookIds)])
    if (!lives) return { lost: results.map((r) => r.deliveryId), switchedOff: [], notifications: [] }
    const unsteady = unsteadyOf(first, seen)
    const excluded = workspacesAtRisk(first, seen, params)
    if (excluded.size > 0) await locks.exclude(tx, excluded)
    const [webhooks, leases, locked] = await Promise.all([
      lockHealth(
        tx,
        webhookIds.filter((id) => unsteady.has(id)),
      ),
      // Before deliveries, as whoever takes over from a node does.
      lockLeases(tx, nodeId, first),
      lockHeld(
        tx,
        first.filter(({ webhookId }) => unsteady.has(webhookId)),
      ),
    ])
    const mine = first.filter(({ lease }) => leases.has(lease))
    const settled = settle(mine, webhooks, locked, params).sort((one, other) =>
      byId(one.result, other.result),
    )
    const ended = await Promise.all([
      succeedAtOnce(tx, settled.filter(isAtOnce).map(resultOf), now),
      recordEach(
        tx,
        settled.filter((one) => !isAtOnce(one)),
      ),
    ])
    const told = await changeWebhooks({ tx, carryOut }, webhooks, excluded, now)
    const ids = ended.flatMap((one) => one.ids)
    await Promise.all([
      closeEmpty(
        tx,
        ended.flatMap(({ emptied }) => emptied),
      ),
      insertAttempts(tx, deltaOf(settled, ids), now),
    ])
    return { lost: lostOf(results, mine, ids), ...told }
  }

  return { recordAttempts: { ...hot(writes(record)), quick } }
}

/** @param ids of the deliveries of which an attempt was recorded */
function deltaOf(settled: readonly Settled[], ids: readonly number[]): AttemptDelta {
  const found = new Set(ids)
  const delta = new AttemptDelta()
  for (const { result } of settled) if (found.has(result.deliveryId)) delta.add(result)
  return delta
}

/** @param mine of the results, those that may have been recorded @param ids of the deliveries of which one was */
function lostOf(
  results: readonly AttemptToRecord[],
  mine: readonly AttemptToRecord[],
  ids: readonly number[],
): number[] {
  const found = new Set(ids)
  const recorded = new Set(mine.filter(({ deliveryId }) => found.has(deliveryId)))
  return results.filter((result) => !recorded.has(result)).map(({ deliveryId }) => deliveryId)
}

/**
 * The one result of each delivery that may count: the first under the lease that is named last. Whoever could not be told
 * that a result was recorded brings it again; by then the node may have taken the delivery anew, and bring both.
 */
function firstOfEach(results: readonly AttemptToRecord[]): AttemptToRecord[] {
  const leases = new Map(results.map(({ deliveryId, lease }) => [deliveryId, lease]))
  return results.filter(
    ({ deliveryId, lease }) => leases.get(deliveryId) === lease && leases.delete(deliveryId),
  )
}

/** Webhooks whose health a result may change; nearly every other finds it as it leaves it. */
function unsteadyOf(
  results: readonly AttemptToRecord[],
  webhooks: ReadonlyMap<number, HealthInCall>,
): Set<number> {
  const unsteady = new Set<number>()
  for (const { webhookId, next } of results) {
    if (next.status !== 'delivered' || !webhooks.get(webhookId)!.steady) unsteady.add(webhookId)
  }
  return unsteady
}

/** Workspaces of webhooks that these results switch off, as far as is known: their publishes have to wait, which comes before all rows. */
function workspacesAtRisk(
  results: readonly AttemptToRecord[],
  webhooks: ReadonlyMap<number, HealthInCall>,
  params: Params,
): Set<number> {
  const atRisk = new Set<number>()
  for (const result of results) {
    const webhook = webhooks.get(result.webhookId)!
    if (webhook.weigh(result, params).off !== null) atRisk.add(webhook.workspaceId)
  }
  return atRisk
}

/**
 * Folds the results into their webhooks, in order, and says how each delivery stands then. Of webhooks that change,
 * only what the node holds still counts; of others the statement itself decides.
 */
function settle(
  results: readonly AttemptToRecord[],
  webhooks: ReadonlyMap<number, HealthInCall>,
  locked: readonly Locked[],
  params: Params,
): Settled[] {
  const { now } = params
  const rows = new Map(locked.map((row) => [row.id, row]))
  return results.flatMap((result): Settled[] => {
    const webhook = webhooks.get(result.webhookId)
    if (webhook === undefined) return [{ result, after: delivered(now) }]
    const row = rows.get(result.deliveryId)
    if (row === undefined) return []
    const canceled = webhook.canceled(result.deliveryId)
    const change = webhook.weigh(result, params)
    webhook.accept(change)
    if (result.next.status === 'delivered') return [{ result, after: delivered(now) }]
    webhook.failures.push(result)
    if (webhook.failures.length > FAILURES_KEPT) webhook.failures.shift()
    if (row.status === 'canceled') return [{ result, after: canceledAt(row.finished_at!) }]
    return [{ result, after: canceled ? canceledAt(webhook.canceledAt ?? now) : afterFailure(result, now) }]
  })
}

/** Writes what the results did to their webhooks. */
async function changeWebhooks(
  { tx, carryOut }: { readonly tx: Tx; readonly carryOut: CarryOut },
  webhooks: ReadonlyMap<number, HealthInCall>,
  excluded: ReadonlySet<number>,
  now: number,
): Promise<Omit<RecordResult, 'lost'>> {
  await saveHealth(tx, webhooks.values(), now)
  const switchedOff: RecordResult['switchedOff'][number][] = []
  const notifications: Notification[] = []
  const changed = new Set<number>()
  for (const { webhookId, workspaceId, off, warn, failures } of webhooks.values()) {
    if (off !== null) {
      if (!excluded.has(workspaceId))
        throw new StoreUnavailableError('a webhook began to fail long ago only just now; to be tried again')
      switchedOff.push({ webhookId, reason: off })
      changed.add(workspaceId)
      notifications.push(await carryOut(tx, addNotification('webhook_off', webhookId, failures, now)))
      await carryOut(tx, auditSwitchedOff(webhookId, off, now))
    } else if (warn)
      notifications.push(await carryOut(tx, addNotification('webhook_failing', webhookId, failures, now)))
  }
  if (switchedOff.length > 0) {
    await bumpMatching(tx, [...changed])
    await cancel(
      tx,
      switchedOff.map(({ webhookId }) => webhookId),
      now,
    )
  }
  return { switchedOff, notifications }
}

function isAtOnce({ result, after }: Settled): boolean {
  return after.status === 'delivered' && isFirst(result)
}

function succeededAtOnce(result: AttemptToRecord): boolean {
  return result.next.status === 'delivered' && isFirst(result)
}

function isFirst({ attempt: { number, trigger } }: AttemptToRecord): boolean {
  return number === 1 && trigger === 'schedule'
}

function resultOf({ result }: Settled): AttemptToRecord {
  return result
}

function delivered(finishedAt: number): After {
  return { status: 'delivered', nextAttemptAt: null, finishedAt }
}

function canceledAt(finishedAt: number): After {
  return { status: 'canceled', nextAttemptAt: null, finishedAt }
}

function afterFailure({ next }: AttemptToRecord, now: number): After {
  if (next.status === 'delivered') throw new Error('a delivered attempt is no failure')
  if (next.status !== 'pending') return { status: next.status, nextAttemptAt: null, finishedAt: now }
  // Should this very result switch the webhook off, then this delivery is canceled with all others.
  return { status: 'pending', nextAttemptAt: next.nextAttemptAt, finishedAt: null }
}
