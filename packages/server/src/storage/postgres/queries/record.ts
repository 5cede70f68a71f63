import { afterAttempt, finished } from '../../afterAttempt.ts'
import {
  HEALTH_COLUMNS,
  HealthInCall,
  type HealthRow,
  outagesFor,
  settleHealth,
  type WeighParams,
} from '../../queries/health.ts'
import { countReplayed } from '../../queries/replayCounts.ts'
import { noteOutcomes } from '../../queries/searchCodes.ts'
import { addPendingCounts, PendingAttemptCounts, PendingEndCounts } from '../../queries/statsRollup.ts'
import { nothing } from '../../queries/work.ts'
import { type AttemptToRecord, type RecordResult, StoreUnavailableError } from '../../storage.ts'
import { carryOutOn } from '../asyncWork.ts'
import { type CallParams, type CallTable, hot, type Quick, writes } from '../call.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { numbers } from '../values.ts'
import { type Locked, lockLeased, recordEach, type Settled, succeedAtOnce, succeedIf } from './attemptRows.ts'
import { byId, closeEmpty, lockLeases } from './leases.ts'
import { nodeHolds } from './nodes.ts'

type Params = CallParams<'recordAttempts'>

const SELECT = `SELECT id, ${HEALTH_COLUMNS} FROM webhooks WHERE id = ANY ($1::bigint[])`

export const healthSql = { load: SELECT, lock: `${SELECT} ORDER BY id FOR NO KEY UPDATE` }

export function recordCalls({ locks }: Store): Pick<CallTable, 'recordAttempts'> {
  const carryOut = carryOutOn({ locks })

  /** First attempts that succeeded, at healthy webhooks: all in one statement. */
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
    return { lost: lostOf(results, first, ended.ids), disabled: [], notifications: [] }
  }

  async function record(tx: Tx, asked: Params): Promise<RecordResult> {
    const { nodeId, results, now } = asked
    const first = firstOfEach(results)
    // In the order of the results, in which their changes are returned.
    const webhookIds = [...new Set(first.map(({ webhookId }) => webhookId))]
    const [lives, seen, outages] = await Promise.all([
      nodeHolds(tx, nodeId),
      loadHealth(tx, webhookIds),
      carryOut(tx, outagesFor(asked)),
    ])
    const params = { ...asked, outages }
    if (!lives) return { lost: results.map((r) => r.deliveryId), disabled: [], notifications: [] }
    const unsteady = unsteadyOf(first, seen)
    const excluded = workspacesAtRisk(first, seen, params)
    if (excluded.size > 0) await locks.exclude(tx, excluded)
    const [webhooks, leases, locked] = await Promise.all([
      lockHealth(
        tx,
        webhookIds.filter((id) => unsteady.has(id)),
      ),
      // Before deliveries, in the same order as a take-over from a node.
      lockLeases(tx, nodeId, first),
      lockLeased(
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
    for (const { off, workspaceId } of webhooks.values()) {
      if (off !== null && !excluded.has(workspaceId))
        throw new StoreUnavailableError('a webhook began to fail long ago only just now; to be tried again')
    }
    const changes = await carryOut(tx, settleHealth([...webhooks.values()], params))
    const ids = ended.flatMap((one) => one.ids)
    const found = new Set(ids)
    const changed = settled.filter(({ result }) => found.has(result.deliveryId))
    const recorded = changed.map(resultOf)
    const { counts, ends } = countsOf(changed)
    await Promise.all([
      closeEmpty(
        tx,
        ended.flatMap(({ emptied }) => emptied),
      ),
      carryOut(tx, counts.empty ? nothing() : addPendingCounts(counts.at(now))),
      carryOut(tx, ends.save()),
      carryOut(tx, countReplayed(recorded, now)),
      carryOut(tx, noteOutcomes(recorded, now)),
    ])
    return { lost: lostOf(results, mine, ids), ...changes }
  }

  return { recordAttempts: { ...hot(writes(record)), quick } }
}

function countsOf(recorded: readonly Settled[]) {
  const counts = new PendingAttemptCounts()
  const ends = new PendingEndCounts()
  for (const { result, after } of recorded) {
    counts.add(result)
    if (after.status === 'failed' || after.status === 'dead') counts.failedForGood(result)
    else if (after.status === 'canceled' && result.attempt.trigger !== 'test')
      ends.canceled(result.webhookId, after.finishedAt)
  }
  return { counts, ends }
}

type Row = HealthRow & { readonly id: number }

/** @returns the health of each of these webhooks, including deleted ones */
async function loadHealth(tx: Tx, webhookIds: readonly number[]): Promise<Map<number, HealthInCall>> {
  return byWebhook(webhookIds, await tx.rows<Row>(healthSql.load, [numbers(webhookIds)]))
}

/** The same, locked for a change. */
async function lockHealth(tx: Tx, webhookIds: readonly number[]): Promise<Map<number, HealthInCall>> {
  if (webhookIds.length === 0) return new Map()
  return byWebhook(webhookIds, await tx.rows<Row>(healthSql.lock, [numbers(webhookIds)]))
}

function byWebhook(webhookIds: readonly number[], rows: readonly Row[]): Map<number, HealthInCall> {
  const found = new Map(rows.map((row) => [row.id, row]))
  return new Map(webhookIds.map((id) => [id, new HealthInCall(id, found.get(id))]))
}

/** @param mine the results that may have been recorded @param ids of the deliveries with a recorded result */
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
 * The one result of each delivery that may count: the first under the lease that is named last. If a node gets no answer to a
 * recorded result, it sends it again; by then it may have leased the delivery again, and send results under both leases.
 */
function firstOfEach(results: readonly AttemptToRecord[]): AttemptToRecord[] {
  const leases = new Map(results.map(({ deliveryId, lease }) => [deliveryId, lease]))
  return results.filter(
    ({ deliveryId, lease }) => leases.get(deliveryId) === lease && leases.delete(deliveryId),
  )
}

/** Webhooks whose health a result may change; nearly all results change none. */
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

/** Workspaces of webhooks that these results will probably disable: publishes to them are excluded before any row is locked. */
function workspacesAtRisk(
  results: readonly AttemptToRecord[],
  webhooks: ReadonlyMap<number, HealthInCall>,
  params: WeighParams,
): Set<number> {
  const atRisk = new Set<number>()
  for (const result of results) {
    const webhook = webhooks.get(result.webhookId)!
    // An earlier success in the same call resets since when it was failing.
    const healths = [webhook.health, { ...webhook.health, failingSince: null }]
    if (healths.some((health) => webhook.weigh(result, params, health).off !== null))
      atRisk.add(webhook.workspaceId)
  }
  return atRisk
}

/**
 * Applies the results to their webhooks, in order, and returns the resulting state of each delivery. For webhooks that change,
 * only results of deliveries that are still leased to the node count; for others the statement itself checks that.
 */
function settle(
  results: readonly AttemptToRecord[],
  webhooks: ReadonlyMap<number, HealthInCall>,
  locked: readonly Locked[],
  params: WeighParams,
): Settled[] {
  const { now } = params
  const rows = new Map(locked.map((row) => [row.id, row]))
  return results.flatMap((result): Settled[] => {
    const webhook = webhooks.get(result.webhookId)
    if (webhook === undefined) return [{ result, after: afterAttempt(result, now) }]
    const row = rows.get(result.deliveryId)
    if (row === undefined) return []
    const canceled = webhook.canceled(result.deliveryId)
    const change = webhook.weigh(result, params)
    webhook.accept(change, result, params)
    if (result.next.status === 'delivered') return [{ result, after: afterAttempt(result, now) }]
    const canceledAt = row.status === 'canceled' ? row.finished_at! : (webhook.canceledAt ?? now)
    const isCanceled = canceled || row.status === 'canceled'
    const after = isCanceled ? finished('canceled', canceledAt) : afterAttempt(result, now)
    if (result.signal !== 'none') webhook.failed(result, after.status)
    return [{ result, after }]
  })
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
